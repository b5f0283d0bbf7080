//! Password, database and TLS, and what is told when one of them is wrong.

use std::sync::Arc;

use domain::ports::RateLimitWindow;
use redis_window::{Address, RedisWindow, Settings, probe};
use rustls::pki_types::CertificateDer;
use rustls::{ClientConfig, RootCertStore};
use test_redis::TestRedis;

use crate::support::{Chance, Lenient, client, is_shared, settings};

async fn refusal(settings: &Settings) -> String {
    probe(settings).await.unwrap_err().to_string()
}

#[tokio::test]
async fn a_password_is_given_and_a_wrong_one_told_without_repeating_it() {
    let redis = TestRedis::with(&["--requirepass", "correct horse"]);
    let url = |login: &str| format!("redis://{login}127.0.0.1:{}", redis.port());
    probe(&settings(&url(":correct%20horse@"))).await.unwrap();
    probe(&settings(&url("default:correct%20horse@"))).await.unwrap();
    let wrong = refusal(&settings(&url(":hunter2@"))).await;
    assert!(wrong.starts_with("Redis says: ") && !wrong.contains("hunter2"), "{wrong}");
    let none = refusal(&settings(&url(""))).await;
    assert!(none.contains("Authentication required"), "{none}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_database_of_the_address_is_the_one_that_counts() {
    let redis = TestRedis::start();
    let settings = settings(&format!("{}/3", redis.url()));
    let node = RedisWindow::start(settings, Arc::new(Lenient), Arc::new(Chance));
    is_shared(&node).await;
    assert_eq!(node.count(client(1), 600, 0).await.remaining, 599);
    let keyspace = redis.command(&["INFO", "keyspace"]);
    assert!(keyspace.contains("db3:keys=2") && !keyspace.contains("db0"), "{keyspace}");
}

#[tokio::test]
async fn nobody_listening_is_told() {
    let told = refusal(&settings(&TestRedis::absent().url())).await;
    assert!(told.starts_with("no connection: "), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn tls_trusts_whom_it_is_told_to_trust_and_nobody_else() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let folder = tempfile::tempdir().unwrap();
    let signed = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let file = |name: &str, text: String| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let certificate = file("certificate", signed.cert.pem());
    let key = file("key", signed.signing_key.serialize_pem());
    let redis = TestRedis::with(&[
        "--port",
        "0",
        "--tls-port",
        "PORT",
        "--tls-auth-clients",
        "no",
        "--tls-cert-file",
        &certificate,
        "--tls-key-file",
        &key,
    ]);
    let with_roots = |trusted: Option<&CertificateDer<'static>>| {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(trusted.cloned());
        let tls = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
        let address = Address::parse(&format!("rediss://localhost:{}", redis.port())).unwrap();
        Settings::new(address, Some(Arc::new(tls)))
    };
    probe(&with_roots(Some(signed.cert.der()))).await.unwrap();
    let stranger = refusal(&with_roots(None)).await;
    assert!(stranger.contains("invalid peer certificate"), "{stranger}");
    // In the clear it answers nothing that counts.
    let plain = refusal(&settings(&redis.url())).await;
    assert!(!plain.is_empty(), "{plain}");
}
