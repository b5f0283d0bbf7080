//! The process dies while a call is recorded, filed and analysed; afterwards everything is there, once.

use std::time::Duration;

use phone::{Action, Happening};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::support::record::sounds;
use crate::support::{Bucket, Desk, Installation, PATIENCE, Receiver, Recording, Telephone, says, waits};

const GREETING: &str = "Good morning, how can I help you?";

/// Greets, hears one wish, and answers at length.
const PATIENT: &str = r#"
name = "Patient"
engine = "builtin"
first_message = "Good morning, how can I help you?"
closing_line = "This is a long explanation, which goes on and on for quite a while, so that there is time enough for everything to break before all of it has been said."
[[steps]]
wait_for = "speech"
say = "Let me explain that to you."
"#;

/// A desk that waits for callbacks.
struct Office {
    installation: Installation,
    desk: Desk,
    receiver: Receiver,
}

impl Office {
    async fn open(settings: &[(&str, &str)], points: &str, telephone: &Telephone) -> Self {
        let mut installation = Installation::new(settings).await;
        installation.start(&[("FAILPOINTS", points)]);
        installation.ready().await;
        let desk = Desk::provision(&installation, PATIENT, &["--address", &telephone.address()]);
        Self { installation, desk, receiver: Receiver::answering(&[200]).await }
    }

    async fn place(&self) -> String {
        let mut request = self.desk.request();
        request["callbackUrl"] = json!(self.receiver.url());
        let (status, placed) = self.desk.place(&request).await;
        assert_eq!(status, 201, "{placed}");
        placed["outboundCallId"].as_str().unwrap().to_owned()
    }

    async fn restart(&mut self) {
        self.installation.start(&[]);
        self.installation.ready().await;
        self.desk.follow(&self.installation);
    }

    /// The call's complete record, of which everything is there once; its recording and its callback.
    async fn everything_once(&mut self, call: &str) -> (Value, Recording, Value) {
        let record = self.desk.complete_record(call, true).await;
        self.installation.keeps_no_records().await;
        for (table, rows) in [
            ("outbound_calls", 1),
            ("call_transcripts", 1),
            ("call_artifacts", 2),
            ("analyses WHERE state = 'done'", 1),
        ] {
            assert_eq!(self.installation.count(table).await, rows, "{table}");
        }
        let callback = self.receiver.next(PATIENCE).await;
        let body = callback.json();
        assert_eq!(body["outboundCallId"], call);
        let status = self.desk.status(call).await;
        assert_eq!(body["status"], status["status"]);
        let reason = &body["callDetails"]["endedReason"];
        assert_eq!([&record["callEndedReason"], &status["callDetails"]["endedReason"]], [reason; 2]);
        // One whose answer was lost with the process is sent once more, and known by its id.
        let id = callback.header("webhook-id").to_owned();
        while let Ok(again) = tokio::time::timeout(Duration::from_secs(2), self.receiver.next(PATIENCE)).await
        {
            assert_eq!((again.header("webhook-id"), again.json()), (id.as_str(), body.clone()));
        }
        (record.clone(), self.desk.recording(&record).await, body)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_said_until_the_process_was_killed_is_there_after_its_next_start() {
    let mut telephone =
        Telephone::that([Action::LISTEN, says("I would like to know more."), waits(60_000)]).await;
    let mut office = Office::open(&[], "", &telephone).await;
    let call = office.place().await;
    telephone.until(|what| matches!(what, Happening::Answered { .. })).await;
    let answered = Instant::now();
    telephone.until(|what| matches!(what, Happening::Said { .. })).await;
    telephone.until(|what| matches!(what, Happening::HeardSpeechStarted { .. })).await;
    // In the midst of the long explanation.
    let until = answered.elapsed() + Duration::from_secs(4);
    office.installation.has_recorded(until).await;
    let talked = answered.elapsed();
    office.installation.kill();
    office.restart().await;

    let (record, recording, callback) = office.everything_once(&call).await;
    assert_eq!(
        (&callback["status"], &record["callEndedReason"]),
        (&json!("failed"), &json!("service-interrupted"))
    );
    assert!(office.receiver.stays_quiet(Duration::from_secs(1)).await);
    let length = recording.length();
    assert!(
        length + Duration::from_millis(1_500) >= talked && length <= talked + Duration::from_millis(500),
        "{length:?} of {talked:?}"
    );
    assert!(sounds(&recording.left).iter().filter(|sound| **sound).count() > 40, "the callee is heard");
    let last_second = sounds(&recording.right[recording.right.len() - 8_000..]);
    assert!(last_second.iter().filter(|sound| **sound).count() > 10, "the assistant is heard to the end");
    let turns = office.desk.transcript(&record).await;
    let said: Vec<(&str, &str)> = turns.iter().map(|turn| (turn.who.as_str(), turn.text.as_str())).collect();
    assert_eq!(said[0], ("Assistant", GREETING), "{said:?}");
    assert!(said[1].0 == "Customer" && said[1].1.starts_with("[caller spoke, "), "{said:?}");
    // Nothing of what it never finished, unless as far as it was said.
    assert!(said.len() <= 3, "{said:?}");
}

/// A call whose end survives, of a process that dies at `point` afterwards; with a bucket, if there
/// is one.
async fn dies_after_the_call(point: &str, bucket: Option<&Bucket>) {
    let mut telephone = Telephone::that([
        Action::LISTEN,
        says("I will call you again tomorrow."),
        waits(1_500),
        Action::HangUp,
    ])
    .await;
    let settings = bucket.map(Bucket::settings).unwrap_or_default();
    let settings: Vec<(&str, &str)> = settings.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let mut office = Office::open(&settings, point, &telephone).await;
    let call = office.place().await;
    let talked = telephone.talked().await;
    office.installation.wait_for_end().await;
    office.restart().await;

    let (_, recording, callback) = office.everything_once(&call).await;
    // Its end and its record become complete side by side; what was not written yet is an interruption.
    let reason = callback["callDetails"]["endedReason"].as_str().unwrap();
    assert!(["customer-ended-call", "service-interrupted"].contains(&reason), "{point}: {reason}");
    let difference = recording.length().abs_diff(talked);
    assert!(difference < Duration::from_millis(600), "{point}: {:?} of {talked:?}", recording.length());
    if let Some(bucket) = bucket {
        assert_eq!(bucket.files().iter().filter(|name| *name == "recording.wav").count(), 1);
        assert_eq!(bucket.files().iter().filter(|name| *name == "transcript.txt").count(), 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn dying_with_the_transcript_filed() {
    dies_after_the_call("filing=return", None).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn dying_with_the_recording_stored_but_not_filed() {
    dies_after_the_call("uploaded=return", None).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn dying_with_the_recording_in_the_bucket_but_not_filed() {
    dies_after_the_call("uploaded=return", Some(&Bucket::serving())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn dying_between_the_recording_and_the_transcript() {
    dies_after_the_call("uploaded=1*off->return", None).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn dying_with_everything_filed_but_not_removed() {
    dies_after_the_call("filed=return", None).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn dying_with_the_analysis_claimed() {
    dies_after_the_call("analysis-claimed=return", None).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn dying_with_the_analysis_made_but_not_settled() {
    dies_after_the_call("analysis-made=return", None).await;
}
