//! Which addresses there are, what they open, and what is said of those that open nothing.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use domain::call::{ArtifactKey, ArtifactKind};
use domain::ids::CallId;
use domain::ports::{ArtifactBody, Artifacts, ArtifactsUnavailable, Clock, Filing};
use serde_json::Value;
use time::OffsetDateTime;
use url::Url;

use super::{ORGANIZATION, RECORDING, TENANT, ask, target, target_of, with_a_recording};
use crate::support::{App, log};

const REFUSED: &str = "The address is invalid or has expired: fetch the call again for a fresh one";

async fn detail(app: &App, call: &str) -> Value {
    let answer = app.get(&format!("/api/calls/{call}")).key(&app.key()).send().await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_tells_the_address_of_each_file_from_its_filing_on_and_a_fresh_one_each_time() {
    let app = App::start().await;
    let id = app.placed().await;
    let call = CallId::parse(&id).unwrap();
    let key = |kind| ArtifactKey { tenant: TENANT, organization: ORGANIZATION, call, kind };
    for (kind, field, others) in [
        (ArtifactKind::Transcript, "transcriptUrl", Some("recordingUrl")),
        (ArtifactKind::Recording, "recordingUrl", None),
    ] {
        assert_eq!(detail(&app, &id).await[field], Value::Null);
        let body = ArtifactBody::Text(kind.as_str().to_owned());
        let bytes = app.artifacts().put(&key(kind), body).await.unwrap();
        assert_eq!(detail(&app, &id).await[field], Value::Null);
        app.store.inner.file_artifact(call, kind, bytes, app.clock.now()).await.unwrap();
        let record = detail(&app, &id).await;
        if let Some(others) = others {
            assert_eq!(record[others], Value::Null);
        }
        let address = Url::parse(record[field].as_str().unwrap()).unwrap();
        assert_eq!(address.origin(), Url::parse(&format!("http://{}", app.address)).unwrap().origin());
        let fetched = app.get(&target_of(&address)).send().await;
        assert_eq!((fetched.status, fetched.body.as_slice()), (200, kind.as_str().as_bytes()));
    }
    let first = detail(&app, &id).await;
    app.clock.advance(Duration::from_mins(61));
    let later = detail(&app, &id).await;
    for field in ["transcriptUrl", "recordingUrl"] {
        let target = |record: &Value| target_of(&Url::parse(record[field].as_str().unwrap()).unwrap());
        assert_eq!(app.get(&target(&first)).send().await.error(403), REFUSED);
        assert_eq!(app.get(&target(&later)).send().await.status, 200);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_is_wrong_with_an_address_gets_the_same_403_to_the_byte_whether_there_is_a_file_or_not() {
    let app = with_a_recording().await;
    let good = target(&app, &RECORDING).await;
    let missing = ArtifactKey { kind: ArtifactKind::Transcript, ..RECORDING };
    let absent = target(&app, &missing).await;
    let (path, query) = good.split_once('?').unwrap();
    let (absent_path, _) = absent.split_once('?').unwrap();
    let mut bodies = Vec::new();
    for target in [
        path.to_owned(),
        format!("{path}?"),
        format!("{path}?{}", query.split('&').next().unwrap()),
        format!("{path}?{}", query.split('&').nth(1).unwrap()),
        format!("{good}0"),
        format!("{good}&{query}"),
        format!("{good}%00"),
        format!("{good}%FF"),
        good.replace("expires=1", "expires=2"),
        good.replace("expires=", "expires=0"),
        good.replace("expires=", "expires=%2B"),
        format!("{absent_path}?{query}"),
        absent_path.to_owned(),
        good.replace(
            &RECORDING.tenant.to_string(),
            &RECORDING.tenant.to_string().to_uppercase().replace('0', "A"),
        ),
        good.replace("recording.wav", "secret.key"),
        good.replace("recording.wav", "%2e%2e"),
        good.replace("recording.wav", "..%2f..%2f..%2f..%2fsecret.key"),
        format!("/artifacts/%2e%2e/%2e%2e/%2e%2e/secret.key?{query}"),
        format!("/artifacts/a/b/c/d?{query}"),
        "/artifacts/drafts/a/b/c".to_owned(),
    ] {
        let answer = app.get(&target).send().await;
        assert_eq!(answer.error(403), REFUSED, "{target}");
        bodies.push(answer.body);
    }
    app.clock.advance(Duration::from_hours(1));
    for target in [&good, &absent] {
        bodies.push(app.get(target).send().await.body);
    }
    bodies.dedup();
    assert_eq!(bodies.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_good_address_of_a_file_that_is_gone_gets_404() {
    let app = App::start().await;
    assert_eq!(ask(&app, "GET").await.send().await.error(404), "The file is not here");
    assert_eq!(ask(&app, "HEAD").await.send().await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_listed() {
    let app = with_a_recording().await;
    let key = app.key();
    let target = target(&app, &RECORDING).await;
    let (path, query) = target.split_once('?').unwrap();
    let mut folder = path;
    while let Some((above, _)) = folder.rsplit_once('/').filter(|(above, _)| !above.is_empty()) {
        folder = above;
        for asked in [folder.to_owned(), format!("{folder}/"), format!("{folder}?{query}")] {
            app.get(&asked).key(&key).send().await.error(404);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_key_is_asked_for_and_no_request_counted() {
    let app = with_a_recording().await;
    let request = ask(&app, "HEAD").await;
    let refused = app.request("HEAD", "/artifacts/a/b/c/d");
    for _ in 0..350 {
        assert_eq!((request.send().await.status, refused.send().await.status), (200, 403));
    }
    let answer = request.send().await;
    assert_eq!((answer.status, answer.header("x-ratelimit-limit")), (200, None));
    let counted = app.get("/api/calls/x").key(&app.key()).send().await;
    assert_eq!(counted.number("x-ratelimit-remaining"), 1209);
}

#[tokio::test(flavor = "multi_thread")]
async fn other_methods_are_refused() {
    let app = with_a_recording().await;
    for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
        let answer = ask(&app, method).await.send().await;
        answer.error(405);
        assert_eq!(answer.header("allow"), Some("GET, HEAD"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn before_the_service_is_built_a_visitor_is_told_to_come_again() {
    let app = App::start_closed(None);
    assert_eq!(app.get("/artifacts/a/b/c/d").send().await.error(503), "The service is starting");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_artifact_that_cannot_be_read_is_a_503_without_its_cause() {
    let app = App::start().await;
    // A folder on the way that is a file.
    std::fs::write(app.folder.path().join("artifacts").join(TENANT.to_string()), "").unwrap();
    let answer = ask(&app, "GET").await.send().await;
    assert_eq!(answer.error(503), "The service is temporarily unavailable");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_has_the_pattern_of_an_address_and_neither_path_nor_signature() {
    let lines = log::captured();
    let app = with_a_recording().await;
    let call = ArtifactKey { call: CallId::from_uuid(uuid::Uuid::from_u128(0x10_6ED)), ..RECORDING };
    app.artifacts().put(&call, ArtifactBody::Text("x".into())).await.unwrap();
    let target = target(&app, &call).await;
    let answer = app.get(&target).header("X-Request-Id", "artifact-log-1").send().await;
    assert_eq!(answer.status, 200);
    let own = lines.with("artifact-log-1");
    let pattern = "route=\"/artifacts/{tenant}/{organization}/{call}/{file}\"";
    assert!(own.iter().any(|line| line.contains(pattern) && line.contains(" INFO ")), "{own:?}");
    let (_, signature) = target.split_once("signature=").unwrap();
    for secret in ["00000106ed", signature] {
        assert_eq!(lines.with(secret), Vec::<String>::new());
    }
}

/// A store elsewhere, which may fail to sign.
struct Elsewhere(bool);

#[async_trait]
impl Artifacts for Elsewhere {
    async fn put(&self, _: &ArtifactKey, _: ArtifactBody) -> Result<u64, ArtifactsUnavailable> {
        Ok(0)
    }

    async fn sign(&self, key: &ArtifactKey, _: OffsetDateTime) -> Result<Url, ArtifactsUnavailable> {
        if self.0 {
            Ok(Url::parse(&format!("https://bucket.example.com/{key}")).unwrap())
        } else {
            Err(ArtifactsUnavailable("no ink".into()))
        }
    }

    fn origin(&self) -> url::Origin {
        Url::parse("https://bucket.example.com").unwrap().origin()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn where_another_store_serves_its_files_nothing_is_found_here() {
    let app = App::start_closed(None);
    app.open_with(Arc::new(Elsewhere(true)), None).await;
    let id = app.placed().await;
    let call = CallId::parse(&id).unwrap();
    app.store.inner.file_artifact(call, ArtifactKind::Recording, 1, app.clock.now()).await.unwrap();
    let record = detail(&app, &id).await;
    let address = format!("https://bucket.example.com/{TENANT}/{ORGANIZATION}/{id}/recording.wav");
    assert_eq!(record["recordingUrl"], address);
    let asked = app.get(&format!("/artifacts/{TENANT}/{ORGANIZATION}/{id}/recording.wav")).send().await;
    assert_eq!(asked.error(404), "Route not found");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_record_is_told_without_an_address_that_cannot_be_signed() {
    let lines = log::captured();
    let app = App::start_closed(None);
    app.open_with(Arc::new(Elsewhere(false)), None).await;
    let id = app.placed().await;
    let call = CallId::parse(&id).unwrap();
    app.store.inner.file_artifact(call, ArtifactKind::Recording, 1, app.clock.now()).await.unwrap();
    let record = detail(&app, &id).await;
    assert_eq!((record["recordingUrl"].clone(), record["id"].as_str()), (Value::Null, Some(id.as_str())));
    assert!(lines.with("no ink").iter().any(|line| line.contains(&id)));
}
