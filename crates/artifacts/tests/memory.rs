//! However long a recording is, no more of it than one part is in memory.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "these are tests"
)]

#[allow(dead_code, reason = "other tests ask for more of it")]
#[path = "s3/bucket.rs"]
mod bucket;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use artifacts::{LocalArtifacts, S3Artifacts};
use bucket::{Bucket, Visitor};
use domain::call::{ArtifactKey, ArtifactKind};
use domain::ids::{CallId, OrganizationId, TenantId};
use domain::ports::{ArtifactBody, Artifacts, FixedKeys};
use domain::testing::artifacts::Fetches;
use url::Url;
use uuid::Uuid;

const RECORDING: ArtifactKey = ArtifactKey {
    tenant: TenantId::from_uuid(Uuid::from_u128(1)),
    organization: OrganizationId::from_uuid(Uuid::from_u128(2)),
    call: CallId::from_uuid(Uuid::from_u128(3)),
    kind: ArtifactKind::Recording,
};

/// Half an hour of sound, in eight parts.
const BYTES: u64 = 64 << 20;

/// The most memory that this process ever had, in bytes.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().strip_suffix(" kB").unwrap().parse::<u64>().unwrap() * 1024
}

/// A file of so many zeros.
fn long_file(folder: &Path) -> PathBuf {
    let path = folder.join("long");
    std::fs::File::create(&path).unwrap().set_len(BYTES).unwrap();
    path
}

// Both in one test: the peak is the whole process's.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_recording_is_stored_in_little_memory() {
    let folder = tempfile::tempdir().unwrap();
    let file = long_file(folder.path());

    let url = Url::parse("https://calls.example.com").unwrap();
    let local =
        LocalArtifacts::open(folder.path().join("artifacts"), &url, Arc::new(FixedKeys::one([7; 32])))
            .unwrap();
    let before = peak();
    assert_eq!(local.put(&RECORDING, ArtifactBody::File(file.clone())).await.unwrap(), BYTES);
    let grown = peak() - before;
    assert!(grown < 4 << 20, "{grown} bytes to store on the local disk");

    let bucket = Bucket::serve().await;
    let (store, visitor) = (S3Artifacts::new(&bucket.settings()).unwrap(), Visitor::of(&bucket));
    store.put(&RECORDING, ArtifactBody::Text("first".into())).await.unwrap();
    let before = peak();
    assert_eq!(store.put(&RECORDING, ArtifactBody::File(file)).await.unwrap(), BYTES);
    // A part, and what the server, which is in this process too, has of it.
    let grown = peak() - before;
    assert!(grown < 24 << 20, "{grown} bytes to store in a bucket");
    let end = store.sign(&RECORDING, visitor.now()).await.unwrap();
    let range = format!("bytes={}-", BYTES - 10);
    assert_eq!(visitor.fetch(&end, Some(&range)).await.unwrap().body, [0; 10]);
}
