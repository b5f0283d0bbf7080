//! Artifacts on the local disk: what a crash leaves, and what an address opens. Over HTTP they are put
//! to the test where they are served.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "these are tests; one starts itself anew and tells itself so by a variable"
)]

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use artifacts::LocalArtifacts;
use domain::call::{ArtifactKey, ArtifactKind};
use domain::ids::{CallId, OrganizationId, TenantId};
use domain::ports::{ArtifactBody, Artifacts, FixedKeys, Opened, SignedFiles};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use time::OffsetDateTime;
use time::macros::datetime;
use url::Url;
use uuid::Uuid;

const NOW: OffsetDateTime = datetime!(2026-03-01 09:30 UTC);

const RECORDING: ArtifactKey = ArtifactKey {
    tenant: TenantId::from_uuid(Uuid::from_u128(1)),
    organization: OrganizationId::from_uuid(Uuid::from_u128(2)),
    call: CallId::from_uuid(Uuid::from_u128(3)),
    kind: ArtifactKind::Recording,
};

fn open(root: &Path) -> LocalArtifacts {
    let url = Url::parse("https://calls.example.com/voice/").unwrap();
    LocalArtifacts::open(root.to_owned(), &url, Arc::new(FixedKeys::one([7; 32]))).unwrap()
}

/// What the address of the recording opens.
async fn opened(store: &LocalArtifacts) -> Opened {
    let address = store.sign(&RECORDING, NOW).await.unwrap();
    assert_eq!(address.origin(), store.origin());
    let path = address.path().strip_prefix("/voice/artifacts/").unwrap();
    let value = |name| address.query_pairs().find(|(own, _)| own == name).unwrap().1.into_owned();
    store.open(path, &value("expires"), &value("signature"), NOW).await.unwrap()
}

async fn bytes(store: &LocalArtifacts) -> Vec<u8> {
    let Opened::File { kind: ArtifactKind::Recording, mut file } = opened(store).await else {
        panic!("not there")
    };
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).unwrap();
    bytes
}

/// Every file under a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in folder.read_dir().unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            found.extend(files(&entry.path()));
        } else {
            found.push(entry.path());
        }
    }
    found
}

#[tokio::test]
async fn an_address_names_the_key_its_end_and_a_signature_below_the_public_url() {
    let folder = tempfile::tempdir().unwrap();
    let address = open(folder.path()).sign(&RECORDING, NOW).await.unwrap();
    let (before, signature) = address.as_str().split_once("&signature=").unwrap();
    let expected = format!("https://calls.example.com/voice/artifacts/{RECORDING}?expires=1772361000");
    assert_eq!(before, expected);
    assert_eq!(signature.len(), 43);
}

#[tokio::test]
async fn a_file_is_whole_in_its_place_for_its_owner_alone_and_no_draft_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let (root, sound) = (folder.path().join("artifacts"), folder.path().join("sound"));
    std::fs::write(&sound, vec![7; 100_000]).unwrap();
    let store = open(&root);
    assert!(matches!(opened(&store).await, Opened::Missing));
    assert_eq!(store.put(&RECORDING, ArtifactBody::File(sound.clone())).await.unwrap(), 100_000);
    assert_eq!(bytes(&store).await, vec![7; 100_000]);
    let place = root.join(RECORDING.to_string());
    assert_eq!(files(&root), std::slice::from_ref(&place));
    assert_eq!(place.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(place.parent().unwrap().metadata().unwrap().permissions().mode() & 0o777, 0o700);
    assert!(sound.exists());
}

#[tokio::test]
async fn whoever_reads_is_not_disturbed_by_a_replacement() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    store.put(&RECORDING, ArtifactBody::Text("before".into())).await.unwrap();
    let Opened::File { mut file, .. } = opened(&store).await else { panic!("not there") };
    store.put(&RECORDING, ArtifactBody::Text("after".into())).await.unwrap();
    let mut read = String::new();
    file.read_to_string(&mut read).unwrap();
    assert_eq!((read.as_str(), bytes(&store).await.as_slice()), ("before", b"after".as_slice()));
}

#[tokio::test]
async fn nodes_with_the_same_key_take_each_others_addresses_and_no_other_does() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    store.put(&RECORDING, ArtifactBody::Text("x".into())).await.unwrap();
    let path = RECORDING.to_string();
    for (key, same) in [(7, true), (8, false)] {
        let url = Url::parse("http://elsewhere/").unwrap();
        let other =
            LocalArtifacts::open(folder.path().join("other"), &url, Arc::new(FixedKeys::one([key; 32])))
                .unwrap();
        let address = other.sign(&RECORDING, NOW).await.unwrap();
        let (_, signature) = address.as_str().split_once("&signature=").unwrap();
        let opened = store.open(&path, "1772361000", signature, NOW).await.unwrap();
        assert_eq!(matches!(opened, Opened::File { .. }), same);
        assert_eq!(matches!(opened, Opened::Forbidden), !same);
    }
}

/// Set for the program that is killed: the folder in which it works.
const DOOMED: &str = "ARTIFACTS_TEST_DOOMED";

#[test]
fn a_program_that_is_killed_while_it_stores_leaves_what_was_there_and_nothing_half() {
    if let Some(folder) = std::env::var_os(DOOMED) {
        return store_from_a_pipe(Path::new(&folder));
    }
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("artifacts");
    for before in [None, Some("the whole of it")] {
        if let Some(text) = before {
            let stored = open(&root);
            runtime.block_on(stored.put(&RECORDING, ArtifactBody::Text(text.into()))).unwrap();
        }
        let pipe = folder.path().join("pipe");
        let _ = std::fs::remove_file(&pipe);
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let mut doomed = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "a_program_that_is_killed_while_it_stores_leaves_what_was_there_and_nothing_half",
            ])
            .env(DOOMED, folder.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        // Opens when the other side reads. More than a pipe holds has been read, and written to the
        // disk, when this returns.
        let mut writer = File::options().write(true).open(&pipe).unwrap();
        writer.write_all(&vec![1; 1 << 20]).unwrap();
        let half: Vec<PathBuf> = files(&root.join("drafts"));
        assert_eq!(half.len(), 1);
        doomed.kill().unwrap();
        assert_eq!(doomed.wait().unwrap().signal(), Some(9));
        assert!(half.first().unwrap().metadata().unwrap().len() > 0);

        let store = open(&root);
        assert_eq!(files(&root.join("drafts")), Vec::<PathBuf>::new());
        match before {
            None => assert!(matches!(runtime.block_on(opened(&store)), Opened::Missing)),
            Some(text) => assert_eq!(runtime.block_on(bytes(&store)), text.as_bytes()),
        }
    }
}

fn store_from_a_pipe(folder: &Path) {
    let store = open(&folder.join("artifacts"));
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let _ = runtime.block_on(store.put(&RECORDING, ArtifactBody::File(folder.join("pipe"))));
}
