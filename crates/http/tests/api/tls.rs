//! HTTPS by rustls, with HTTP/1.1 alone.

use std::sync::Arc;

use rcgen::generate_simple_self_signed;
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use rustls::{AlertDescription, ClientConfig, RootCertStore, ServerConfig};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::support::App;
use crate::support::wire::read_answer;

/// A server with a certificate of its own.
async fn start() -> (App, CertificateDer<'static>) {
    let pair = generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let key = PrivatePkcs8KeyDer::from(pair.signing_key.serialize_der());
    let mut config = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![pair.cert.der().clone()], key.into())
        .unwrap();
    // What a configuration asks for does not count.
    config.alpn_protocols = vec![b"h2".to_vec()];
    let app = App::start_tls(config).await;
    // The client's library takes the process's provider; another test may have set it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    (app, pair.cert.der().clone())
}

/// Connects, and offers these protocols.
async fn connect(
    app: &App,
    root: &CertificateDer<'static>,
    protocols: &[&[u8]],
) -> std::io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots.add(root.clone()).unwrap();
    let mut config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
    let connection = TcpStream::connect(app.address).await.unwrap();
    TlsConnector::from(Arc::new(config)).connect("localhost".try_into().unwrap(), connection).await
}

#[tokio::test(flavor = "multi_thread")]
async fn https_serves_http_1_1() {
    let (app, root) = start().await;
    what_is_no_http_is_refused_in_shape(&app, &root).await;
    let root = reqwest::Certificate::from_der(&root).unwrap();
    let url = format!("https://localhost:{}/api/outbound/x/status", app.address.port());
    // The client offers HTTP/2 as well.
    let client = reqwest::Client::builder()
        .tls_certs_only([root.clone()])
        .no_proxy()
        .resolve("localhost", app.address)
        .build()
        .unwrap();
    let answer = client.get(&url).bearer_auth(app.key()).send().await.unwrap();
    assert_eq!((answer.version(), answer.status().as_u16()), (reqwest::Version::HTTP_11, 404));
    assert_eq!(answer.headers()["x-ratelimit-limit"], "600");
    let body: serde_json::Value = answer.json().await.unwrap();
    assert_eq!(body, serde_json::json!({"error": "Outbound call not found"}));
}

#[tokio::test(flavor = "multi_thread")]
async fn alpn_agrees_on_http_1_1_and_never_on_h2() {
    let (app, root) = start().await;
    for offered in [&[&b"h2"[..], b"http/1.1"][..], &[b"http/1.1", b"h2"], &[b"http/1.1"]] {
        let connection = connect(&app, &root, offered).await.unwrap();
        assert_eq!(connection.get_ref().1.alpn_protocol(), Some(&b"http/1.1"[..]), "{offered:?}");
    }
    let without = connect(&app, &root, &[]).await.unwrap();
    assert_eq!(without.get_ref().1.alpn_protocol(), None);
    let refused = connect(&app, &root, &[b"h2"]).await.unwrap_err();
    let alert = refused.get_ref().and_then(|cause| cause.downcast_ref::<rustls::Error>());
    assert_eq!(alert, Some(&rustls::Error::AlertReceived(AlertDescription::NoApplicationProtocol)));
}

#[tokio::test(flavor = "multi_thread")]
async fn http_2_without_negotiation_is_refused() {
    let (app, root) = start().await;
    for offered in [&[][..], &[&b"http/1.1"[..]]] {
        let mut connection = connect(&app, &root, offered).await.unwrap();
        // The connection preface and an empty SETTINGS frame (RFC 9113 §3.4).
        let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00";
        connection.write_all(preface).await.unwrap();
        let answer = read_answer(&mut connection, false).await;
        assert!((400..600).contains(&answer.status), "{answer:?}");
    }
}

async fn what_is_no_http_is_refused_in_shape(app: &App, root: &CertificateDer<'static>) {
    let mut connection = connect(app, root, &[]).await.unwrap();
    connection.write_all(b"nonsense\r\n\r\n").await.unwrap();
    let answer = read_answer(&mut connection, false).await;
    assert_eq!(answer.error(400), "The request is not valid HTTP");
}
