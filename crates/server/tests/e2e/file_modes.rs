//! What a call leaves on the disk is for the service's user alone, whatever umask the service is started with.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use phone::{Action, Happening};
use serde_json::json;
use tokio::time::Instant;

use crate::support::{Desk, Installation, PATIENCE, Telephone, says, waits};

const PATIENT: &str = r#"
name = "Patient"
engine = "builtin"
first_message = "Good morning, how can I help you?"
[[steps]]
wait_for = "speech"
say = "Thank you."
[[steps]]
wait_for = "speech"
say = "Goodbye."
"#;

/// Looks at everything in a folder, and gives what kinds of files there are: the endings of their names.
fn all_private(folder: &Path) -> BTreeSet<String> {
    let mut kinds = BTreeSet::new();
    for entry in folder.read_dir().unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        // The test itself writes the log and assistants there; files that come and go may be gone.
        let Ok(metadata) = entry.path().symlink_metadata() else { continue };
        if ["server-", "assistant-"].iter().any(|own| name.starts_with(own)) {
            continue;
        }
        let mode = metadata.permissions().mode() & 0o7777;
        let expected = if metadata.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode, expected, "{}: {mode:o}", entry.path().display());
        if metadata.is_dir() {
            kinds.extend(all_private(&entry.path()));
        } else {
            kinds.insert(name.split_once('.').map_or(name.clone(), |(_, ending)| ending.to_owned()));
        }
    }
    kinds
}

/// Waits until there is such a file, and everything that there is meanwhile is private.
async fn until_there_is(installation: &Installation, kind: &str) {
    let deadline = Instant::now() + PATIENCE;
    while !all_private(installation.data()).contains(kind) {
        assert!(Instant::now() < deadline, "no {kind}: {}", installation.log());
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

async fn every_file_is_private_under(umask: &'static str) {
    let talk = [Action::LISTEN, says("Hello."), waits(4_000), Action::HangUp];
    let mut telephone = Telephone::that(talk).await;
    let mut installation = Installation::new(&[]).await;
    installation.under_umask(umask);
    installation.start(&[]);
    installation.ready().await;
    let desk = Desk::provision(&installation, PATIENT, &["--address", &telephone.address()]);
    let (status, placed) = desk.place(&desk.request()).await;
    assert_eq!(status, 201, "{placed}");
    let call = placed["outboundCallId"].as_str().unwrap();
    telephone.until(|what| matches!(what, Happening::Answered { .. })).await;
    installation.saves_an_answer().await;
    until_there_is(&installation, "turns").await;
    until_there_is(&installation, "wav.part").await;
    // Without a database the end of the call waits in the spool.
    installation.without_database(true).await;
    until_there_is(&installation, "json").await;
    until_there_is(&installation, "done").await;
    installation.without_database(false).await;
    let record = desk.complete_record(call, true).await;
    assert_eq!(record["callEndedReason"], json!("customer-ended-call"), "{record}");
    installation.keeps_no_records().await;
    let kinds = all_private(installation.data());
    for kind in ["key", "wav", "txt", "node-id", "lock"] {
        assert!(kinds.contains(kind), "{kind} is none of {kinds:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_file_of_a_call_is_private_without_an_umask() {
    every_file_is_private_under("000").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_file_of_a_call_is_private_under_umask_077() {
    every_file_is_private_under("077").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn files_that_others_could_open_are_private_after_a_start() {
    let mut installation = Installation::new(&[]).await;
    let data = installation.data().to_owned();
    for (name, text) in [
        ("spool/0190a6e0-7e6b-7cc0-98b7-2f7c1c2f4a11.part", ""),
        ("records/0190a6e0-7e6b-7cc0-98b7-2f7c1c2f4a11.wav.broken", "x"),
        ("artifacts/tenant/organization/call/recording.wav", "x"),
    ] {
        std::fs::create_dir_all(data.join(name).parent().unwrap()).unwrap();
        std::fs::write(data.join(name), text).unwrap();
    }
    // As a service without an umask would have made them.
    let opened = std::process::Command::new("chmod").args(["-R", "a+rwX"]).arg(&data).status();
    assert!(opened.unwrap().success());
    installation.start(&[]);
    installation.ready().await;
    // Artifacts may be many, and are looked at in the background.
    let deadline = Instant::now() + PATIENCE;
    let recording = data.join("artifacts/tenant/organization/call/recording.wav");
    while recording.metadata().unwrap().permissions().mode() & 0o777 != 0o600 {
        assert!(Instant::now() < deadline, "{}", installation.log());
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(all_private(&data).is_superset(&["part", "wav", "wav.broken"].map(str::to_owned).into()));
    assert_eq!(data.metadata().unwrap().permissions().mode() & 0o022, 0, "nobody else writes to it");
}
