//! Records that go to a bucket, also one that is away for a while.

use std::time::Duration;

use phone::Action;

use crate::support::record::{fetch, turns};
use crate::support::{Bucket, Desk, Installation, LISTENER, Recording, Telephone, says, waits};

/// An installation that keeps its artifacts there, with a call that has been answered and ended.
async fn call(bucket: &Bucket) -> (Installation, Desk, String, Duration) {
    let settings = bucket.settings();
    let settings: Vec<(&str, &str)> = settings.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let installation = Installation::serving(&settings).await;
    let mut telephone =
        Telephone::that([Action::LISTEN, says("Good morning."), waits(1_500), Action::HangUp]).await;
    let desk = Desk::provision(&installation, LISTENER, &["--address", &telephone.address()]);
    let (status, placed) = desk.place(&desk.request()).await;
    assert_eq!(status, 201, "{placed}");
    let talked = telephone.talked().await;
    (installation, desk, placed["outboundCallId"].as_str().unwrap().to_owned(), talked)
}

async fn is_there(bucket: &Bucket, desk: &Desk, call: &str, talked: Duration) {
    let record = desk.complete_record(call, true).await;
    for field in ["recordingUrl", "transcriptUrl"] {
        assert!(record[field].as_str().unwrap().contains("/calls/voice/"), "{record}");
    }
    let recording = Recording::read(&fetch(&record["recordingUrl"]).await);
    assert!(recording.length().abs_diff(talked) < Duration::from_millis(600), "{talked:?}");
    let turns = turns(&String::from_utf8(fetch(&record["transcriptUrl"]).await).unwrap());
    assert_eq!((turns[0].who.as_str(), turns[0].text.as_str()), ("Assistant", "Hello."));
    let stored = |name: &str| bucket.files().iter().filter(|file| *file == name).count();
    assert_eq!([stored("recording.wav"), stored("transcript.txt")], [1, 1], "{:?}", bucket.files());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_record_is_fetched_from_the_bucket() {
    let bucket = Bucket::serving();
    let (installation, desk, call, talked) = call(&bucket).await;
    is_there(&bucket, &desk, &call, talked).await;
    installation.keeps_no_records().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_record_waits_for_a_bucket_that_is_away_and_its_summary_does_not() {
    let mut bucket = Bucket::away();
    let (mut installation, mut desk, call, talked) = call(&bucket).await;
    installation.logs("a record is not filed yet").await;
    let record = desk.summarized(&call).await;
    assert!(record["recordingUrl"].is_null() && record["transcriptUrl"].is_null(), "{record}");

    // Nor is it lost when the process dies meanwhile.
    installation.kill();
    installation.start(&[]);
    installation.ready().await;
    desk.follow(&installation);
    bucket.comes();
    is_there(&bucket, &desk, &call, talked).await;
    installation.keeps_no_records().await;
}
