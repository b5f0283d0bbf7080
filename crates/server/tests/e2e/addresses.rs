//! Where the addresses of recordings lead, on the node's disk and in a bucket.

use reqwest::Url;

use crate::support::installation::client;
use crate::support::{ANNOUNCEMENT, Desk, Installation};

/// A trunk where nobody listens: a call that fails has a record, too.
const NOBODY: [&str; 2] = ["--address", "127.0.0.1:9"];

/// The address of a call's recording that is filed.
async fn address(installation: &Installation) -> (Url, String) {
    let desk = Desk::provision(installation, ANNOUNCEMENT, &NOBODY);
    let (status, placed) = desk.place(&desk.request()).await;
    assert_eq!(status, 201, "{placed}");
    let call = placed["outboundCallId"].as_str().unwrap().to_owned();
    assert!(desk.record(&call).await["recordingUrl"].is_null());
    installation.files_a_recording(&call).await;
    let record = desk.record(&call).await;
    (Url::parse(record["recordingUrl"].as_str().unwrap()).unwrap(), call)
}

#[tokio::test]
async fn a_recording_on_the_nodes_disk_is_fetched_from_the_node_also_after_a_restart() {
    let mut installation = Installation::serving(&[]).await;
    let (mut address, _) = address(&installation).await;
    assert!(address.as_str().starts_with(&format!("{}/artifacts/", installation.base())), "{address}");
    let get = async |address: &Url| client().get(address.clone()).send().await.unwrap();
    assert_eq!(get(&address).await.status(), 404);
    let place = installation.data().join(address.path().trim_start_matches('/'));
    std::fs::create_dir_all(place.parent().unwrap()).unwrap();
    std::fs::write(place, "0123456789").unwrap();
    assert_eq!(get(&address).await.bytes().await.unwrap(), "0123456789");

    installation.kill();
    installation.start(&[]);
    installation.ready().await;
    let port = Url::parse(installation.base()).unwrap().port();
    address.set_port(port).unwrap();
    let rest = client().get(address.clone()).header("Range", "bytes=4-").send().await.unwrap();
    assert_eq!((rest.status().as_u16(), rest.bytes().await.unwrap().as_ref()), (206, b"456789".as_slice()));
    address.set_query(None);
    assert_eq!(get(&address).await.status(), 403);
}

#[tokio::test]
async fn a_recording_in_a_bucket_is_fetched_from_there() {
    let installation = Installation::serving(&[
        ("ARTIFACTS__S3__BUCKET", "calls"),
        ("ARTIFACTS__S3__ENDPOINT", "https://store.example.com"),
        ("ARTIFACTS__S3__PREFIX", "voice"),
        ("ARTIFACTS__S3__ACCESS_KEY_ID", "AKIA0"),
        ("ARTIFACTS__S3__SECRET_ACCESS_KEY", "hunter2"),
    ])
    .await;
    let (address, call) = address(&installation).await;
    assert!(address.as_str().starts_with("https://store.example.com/calls/voice/"), "{address}");
    assert!(address.path().ends_with(&format!("/{call}/recording.wav")), "{address}");
    assert!(address.query().unwrap().contains("X-Amz-Expires=3600&"), "{address}");
    let here = format!("{}/artifacts/a/b/c/d", installation.base());
    assert_eq!(client().get(here).send().await.unwrap().status(), 404);
    assert!(!installation.log().contains("hunter2"));
}
