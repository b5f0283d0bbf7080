//! Encrypted connections, on servers of their own: which certificates are accepted, and what is told of the
//! others.

#![allow(clippy::unwrap_used, reason = "tests fail by panic")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use domain::ports::{AuditLog, Nodes};
use domain::scope::Scope;
use domain::testing::{Ground, World};
use postgres::{ConnectError, Options, Protection, SealingKey, Store, migrate, pending_migrations};
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use test_database::{Authority, Certificate, OwnServer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use tokio_rustls::{TlsAcceptor, TlsConnector};

async fn open(url: &str) -> Result<Store, ConnectError> {
    Store::connect(url, SealingKey::from_bytes([1; 32]), Options::default()).await
}

/// A store on a server without tables, with how it is protected and by what.
async fn protection(url: &str) -> (Protection, Option<String>) {
    let store = open(url).await.unwrap();
    (store.protection(), store.tls_version().await.unwrap())
}

/// Why nothing connects: neither store nor migrations. It holds no password.
async fn refusal(server: &OwnServer, url: &str) -> String {
    let refused = open(url).await.unwrap_err();
    assert!(matches!(refused, ConnectError::Tls(_)), "{refused}");
    let told = refused.to_string();
    // Some texts count seconds.
    let timeless = |text: &str| text.replace(|letter: char| letter.is_ascii_digit(), "");
    for migration in [pending_migrations(url).await, migrate(url).await] {
        let migration = migration.unwrap_err().to_string();
        assert!(timeless(&migration).contains(&timeless(&told)), "{migration}: not {told}");
        assert!(!migration.contains(server.password()), "{migration}");
    }
    told
}

/// What [`protection`] tells where TLS is used.
fn by_tls(protection: Protection) -> (Protection, Option<String>) {
    (protection, Some("TLSv1.3".to_owned()))
}

#[tokio::test(flavor = "multi_thread")]
async fn every_connection_is_encrypted_under_verify_full() {
    let authority = Authority::named("ours");
    let server = OwnServer::with_certificate(&authority.certify());
    let url = server.url("localhost", &authority.trusted("verify-full"));
    assert!(!migrate(&url).await.unwrap().is_empty());
    assert!(pending_migrations(&url).await.unwrap().is_empty());
    let store = open(&url).await.unwrap();
    // Writes, lists, heartbeats and point reads have connections of their own.
    let ground = Ground::lay(&World::new(store.clone(), ()), None).await.unwrap();
    store.beat(ground.boot).await.unwrap();
    store.entries(Scope::Tenant(ground.tenant), None, None, 9).await.unwrap();
    store.for_pages().entries(Scope::Tenant(ground.tenant), None, None, 9).await.unwrap();
    assert_eq!(protection(&url).await, by_tls(Protection::VerifyFull));
    let connections = "SELECT count(*) >= 5, bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) \
                       WHERE application_name = 'callwright'";
    assert_eq!(server.rows(connections).await, [[Some("t".to_owned()), Some("t".to_owned())]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn each_sslmode_verifies_what_it_says() {
    let (authority, stranger) = (Authority::named("ours"), Authority::named("a stranger"));
    let server = OwnServer::with_certificate(&authority.certify());
    // The certificate is for `localhost`, not for the address.
    for (host, query, expected) in [
        ("localhost", authority.trusted("verify-full"), Ok(Protection::VerifyFull)),
        ("127.0.0.1", authority.trusted("verify-full"), Err("is not for the host of its URL")),
        ("localhost", stranger.trusted("verify-full"), Err("an authority that is not trusted")),
        ("localhost", "sslmode=verify-full".to_owned(), Err("an authority that is not trusted")),
        ("localhost", "sslmode=verify-full&sslrootcert=system".to_owned(), Err("not trusted")),
        ("127.0.0.1", authority.trusted("verify-ca"), Ok(Protection::VerifyCa)),
        ("127.0.0.1", stranger.trusted("verify-ca"), Err("an authority that is not trusted")),
        ("127.0.0.1", "sslmode=require".to_owned(), Ok(Protection::Require)),
    ] {
        let url = server.url(host, &query);
        match expected {
            Ok(protected) => assert_eq!(protection(&url).await, by_tls(protected), "{query}"),
            Err(why) => {
                let told = refusal(&server, &url).await;
                assert!(told.contains(why), "{query} at {host}: {told}");
            }
        }
    }
    // In clear text this server takes nobody, and nobody tries it unasked.
    let plain = open(&server.url("localhost", "")).await.unwrap_err();
    let told = std::error::Error::source(&plain).unwrap().to_string();
    assert!(told.contains("no encryption") && !told.contains(server.password()), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_expired_certificate_is_refused_where_one_is_verified() {
    let authority = Authority::named("ours");
    let server = OwnServer::with_certificate(&authority.certify_expired());
    for mode in ["verify-ca", "verify-full"] {
        let told = refusal(&server, &server.url("localhost", &authority.trusted(mode))).await;
        assert!(told.contains("has expired"), "{told}");
    }
    let required = server.url("localhost", "sslmode=require");
    assert_eq!(protection(&required).await, by_tls(Protection::Require));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_tls_needs_sslmode_disable() {
    let authority = Authority::named("ours");
    let server = OwnServer::start();
    for query in ["sslmode=require", "sslmode=verify-full"].map(str::to_owned).into_iter().chain([
        authority.trusted("verify-ca"),
        authority.trusted("verify-full"),
        "sslmode=require&channel_binding=require".to_owned(),
    ]) {
        let told = refusal(&server, &server.url("localhost", &query)).await;
        assert!(told.contains("does not offer TLS") && told.contains("sslmode=disable"), "{told}");
    }
    // A name of this machine that is not known to be one stands for another machine.
    let told = refusal(&server, &server.url("127.1", "")).await;
    assert!(told.contains("does not offer TLS"), "{told}");
    let clear = server.url("127.1", "sslmode=disable");
    assert_eq!(protection(&clear).await, (Protection::ClearText, None));
    assert_eq!(protection(&server.url("localhost", "")).await, (Protection::Loopback, None));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_abandoned_statement_is_cancelled_over_tls() {
    let authority = Authority::named("ours");
    let server = OwnServer::with_certificate(&authority.certify());
    let url = server.url("localhost", &authority.trusted("verify-full"));
    migrate(&url).await.unwrap();
    let store = open(&url).await.unwrap();
    let scope = Scope::Tenant(Ground::lay(&World::new(store.clone(), ()), None).await.unwrap().tenant);
    let held = "BEGIN; LOCK TABLE audit_entries IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(60); COMMIT";
    let waits = "SELECT count(*) FROM pg_locks WHERE relation = 'audit_entries'::regclass AND NOT granted";
    let waiting = async |count: &str| while server.rows(waits).await != [[Some(count.to_owned())]] {};
    let granted = "SELECT 1 FROM pg_locks WHERE relation = 'audit_entries'::regclass AND granted \
                   AND mode = 'AccessExclusiveLock'";
    let meanwhile = async {
        while server.rows(granted).await.is_empty() {}
        let listing = tokio::spawn(async move { store.entries(scope, None, None, 9).await });
        waiting("1").await;
        listing.abort();
        // Long before the lock is free, and before the limit of the statement itself.
        timeout(Duration::from_secs(4), waiting("0")).await.unwrap();
    };
    tokio::select! {
        () = meanwhile => {}
        _ = server.rows(held) => panic!("the lock was free before the statement was cancelled"),
    }
}

/// Stands between us and the server: ends TLS with a certificate of its own choice, and notes what we say.
struct Between {
    port: u16,
    said: Arc<Mutex<Vec<u8>>>,
}

impl Between {
    async fn stand(server: &OwnServer, shown: &Certificate, authority: &Authority) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let between = Self { port: listener.local_addr().unwrap().port(), said: Arc::default() };
        let (acceptor, connector) = (acceptor(shown), connector(authority));
        let (said, behind) = (Arc::clone(&between.said), server.port());
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let relayed = relay(client, acceptor.clone(), connector.clone(), behind, Arc::clone(&said));
                tokio::spawn(relayed);
            }
        });
        between
    }

    fn heard(&self, word: &str) -> bool {
        self.said.lock().unwrap().windows(word.len()).any(|window| window == word.as_bytes())
    }
}

fn acceptor(shown: &Certificate) -> TlsAcceptor {
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![CertificateDer::from_pem_slice(shown.chain.as_bytes()).unwrap()],
            PrivateKeyDer::from_pem_slice(shown.key.as_bytes()).unwrap(),
        );
    TlsAcceptor::from(Arc::new(config.unwrap()))
}

fn connector(authority: &Authority) -> TlsConnector {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(authority.file()).unwrap()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    TlsConnector::from(Arc::new(config))
}

/// A connection that ends early ends here, too: who opened it sees why.
async fn relay(
    mut client: TcpStream,
    acceptor: TlsAcceptor,
    connector: TlsConnector,
    behind: u16,
    said: Arc<Mutex<Vec<u8>>>,
) -> std::io::Result<()> {
    // The request for TLS has 8 bytes, the answer to it one.
    let mut request = [0; 8];
    client.read_exact(&mut request).await?;
    let mut server = TcpStream::connect(("127.0.0.1", behind)).await?;
    server.write_all(&request).await?;
    let answer = server.read_u8().await?;
    client.write_u8(answer).await?;
    let name = ServerName::try_from("localhost").unwrap();
    let mut server = connector.connect(name, server).await?;
    let mut client = acceptor.accept(client).await?;
    let (mut asked, mut answered) = ([0; 4096], [0; 4096]);
    loop {
        tokio::select! {
            length = client.read(&mut asked) => {
                let Some(bytes) = asked.get(..length?).filter(|bytes| !bytes.is_empty()) else { return Ok(()) };
                said.lock().unwrap().extend(bytes);
                server.write_all(bytes).await?;
                server.flush().await?;
            }
            length = server.read(&mut answered) => {
                let Some(bytes) = answered.get(..length?).filter(|bytes| !bytes.is_empty()) else { return Ok(()) };
                client.write_all(bytes).await?;
                client.flush().await?;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn channel_binding_ties_the_password_to_the_certificate() {
    let (authority, stranger) = (Authority::named("ours"), Authority::named("a stranger"));
    let certificate = authority.certify();
    let server = OwnServer::with_certificate(&certificate);
    let bound = "sslmode=require&channel_binding=require";
    assert_eq!(protection(&server.url("localhost", bound)).await, by_tls(Protection::Require));

    // With the server's own certificate it hears by which mechanism the password is proved.
    let with_its_own = Between::stand(&server, &certificate, &authority).await;
    assert_eq!(
        protection(&server.url_at("localhost", with_its_own.port, bound)).await,
        by_tls(Protection::Require)
    );
    assert!(with_its_own.heard("SCRAM-SHA-256-PLUS\0") && !with_its_own.heard(server.password()));

    // With another one it can relay everything, and still the server does not take what was proved.
    let with_another = Between::stand(&server, &stranger.certify(), &authority).await;
    let refused = open(&server.url_at("localhost", with_another.port, bound)).await.unwrap_err();
    let told = std::error::Error::source(&refused).unwrap().to_string();
    assert!(told.contains("channel binding"), "{told}");
    assert!(with_another.heard("SCRAM-SHA-256-PLUS\0"));
    let unbound = "sslmode=require&channel_binding=disable";
    open(&server.url_at("localhost", with_another.port, unbound)).await.unwrap();
}
