//! Uploads that fail half-way, and servers that are busy for a moment.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use artifacts::{BadSettings, S3Artifacts, S3Settings};
use domain::call::{ArtifactKey, ArtifactKind};
use domain::ids::{CallId, OrganizationId, TenantId};
use domain::ports::{ArtifactBody, Artifacts};
use domain::secret::Secret;
use domain::testing::artifacts::Fetches;
use hyper::body::Incoming;
use hyper::{Request, StatusCode};
use tokio::net::TcpListener;
use url::Url;
use uuid::Uuid;

use crate::bucket::{Bucket, Visitor};

const RECORDING: ArtifactKey = ArtifactKey {
    tenant: TenantId::from_uuid(Uuid::from_u128(1)),
    organization: OrganizationId::from_uuid(Uuid::from_u128(2)),
    call: CallId::from_uuid(Uuid::from_u128(3)),
    kind: ArtifactKind::Recording,
};

/// More than two parts.
const BYTES: usize = (2 << 23) + 9;

fn asks_for(request: &Request<Incoming>, what: &str) -> bool {
    request.uri().query().is_some_and(|query| query.contains(what))
}

async fn body(visitor: &Visitor) -> ArtifactBody {
    ArtifactBody::File(visitor.file(&vec![7; BYTES]).await.unwrap())
}

/// Puts a recording against a server that refuses part of it, and tells what the server is left with.
async fn left_after_refusal(refuse: fn(&Request<Incoming>) -> Option<StatusCode>) -> Vec<u64> {
    let bucket = Bucket::refusing(refuse).await;
    let (store, visitor) = (S3Artifacts::new(&bucket.settings()).unwrap(), Visitor::of(&bucket));
    store.put(&RECORDING, body(&visitor).await).await.unwrap_err();
    let address = store.sign(&RECORDING, visitor.now()).await.unwrap();
    assert_eq!(visitor.fetch(&address, None).await.unwrap().status, 404);
    bucket.files().into_iter().map(|(_, bytes)| bytes).collect()
}

#[tokio::test]
async fn of_an_upload_that_fails_in_the_middle_nothing_is_left_in_the_bucket() {
    let third =
        |request: &Request<Incoming>| asks_for(request, "partNumber=3").then_some(StatusCode::FORBIDDEN);
    assert_eq!(left_after_refusal(third).await, Vec::<u64>::new());
}

#[tokio::test]
async fn of_an_upload_that_cannot_be_completed_nothing_is_left_in_the_bucket() {
    let completion = |request: &Request<Incoming>| {
        let completes = request.method() == "POST" && asks_for(request, "uploadId=");
        completes.then_some(StatusCode::FORBIDDEN)
    };
    assert_eq!(left_after_refusal(completion).await, Vec::<u64>::new());
}

#[tokio::test]
async fn a_server_that_is_busy_for_a_moment_is_asked_again() {
    static TRIES: AtomicU32 = AtomicU32::new(0);
    let bucket = Bucket::refusing(|request| {
        let busy = asks_for(request, "partNumber=2") && TRIES.fetch_add(1, Ordering::SeqCst) < 2;
        busy.then_some(StatusCode::SERVICE_UNAVAILABLE)
    })
    .await;
    let (store, visitor) = (S3Artifacts::new(&bucket.settings()).unwrap(), Visitor::of(&bucket));
    let stored = store.put(&RECORDING, body(&visitor).await).await.unwrap();
    assert_eq!((usize::try_from(stored).unwrap(), TRIES.load(Ordering::SeqCst)), (BYTES, 3));
    let address = store.sign(&RECORDING, visitor.now()).await.unwrap();
    assert_eq!(visitor.fetch(&address, None).await.unwrap().body.len(), BYTES);
}

#[tokio::test]
async fn a_server_that_takes_everything_and_says_nothing_is_given_up() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mute = Url::parse(&format!("http://{}/", listener.local_addr().unwrap())).unwrap();
    let connected = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        tokio::io::copy(&mut socket, &mut tokio::io::sink()).await.unwrap()
    });
    let bucket = Bucket::serve().await;
    let limit = Duration::from_millis(300);
    let settings = S3Settings { endpoint: Some(mute), request_limit: limit, ..bucket.settings() };
    let store = S3Artifacts::new(&settings).unwrap();
    let visitor = Visitor::of(&bucket);
    let path = visitor.file(&[7; 10_000]).await.unwrap();
    let put = store.put(&RECORDING, ArtifactBody::File(path));
    tokio::time::timeout(Duration::from_secs(30), put).await.expect("it waits for ever").unwrap_err();
    // What was sent is more than the sound.
    assert!(connected.await.unwrap() > 10_000);
}

#[tokio::test]
async fn a_wrong_secret_neither_stores_nor_fetches_and_is_in_no_error() {
    let bucket = Bucket::serve().await;
    let (good, visitor) = (S3Artifacts::new(&bucket.settings()).unwrap(), Visitor::of(&bucket));
    good.put(&RECORDING, ArtifactBody::Text("said".into())).await.unwrap();
    let wrong = S3Settings { secret_access_key: Secret::new("hunter2".into()), ..bucket.settings() };
    assert!(!format!("{wrong:?}").contains("hunter2"));
    let store = S3Artifacts::new(&wrong).unwrap();
    let refusal = store.put(&RECORDING, ArtifactBody::Text("other".into())).await.unwrap_err();
    assert!(!format!("{refusal:?}").contains("hunter2"));
    let address = store.sign(&RECORDING, visitor.now()).await.unwrap();
    assert_eq!(visitor.fetch(&address, None).await.unwrap().status, 403);
    let address = good.sign(&RECORDING, visitor.now()).await.unwrap();
    assert_eq!(visitor.fetch(&address, None).await.unwrap().body, b"said");
}

#[tokio::test]
async fn a_certificate_of_a_stranger_is_not_trusted() {
    let bucket = Bucket::serve_tls().await;
    let stranger = Bucket::serve().await;
    let settings = S3Settings { tls: stranger.settings().tls, ..bucket.settings() };
    let store = S3Artifacts::new(&settings).unwrap();
    store.put(&RECORDING, ArtifactBody::Text("said".into())).await.unwrap_err();
    assert_eq!(bucket.files(), []);
}

#[tokio::test]
async fn a_bucket_in_front_of_a_bare_address_is_refused_at_once() {
    let bucket = Bucket::serve().await;
    let settings = S3Settings { path_style: false, ..bucket.settings() };
    assert!(matches!(S3Artifacts::new(&settings), Err(BadSettings::NoHost { .. })));
}
