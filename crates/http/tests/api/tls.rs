//! HTTPS by rustls, with HTTP/1.1 and HTTP/2.

use std::sync::Arc;

use rcgen::generate_simple_self_signed;
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::support::App;
use crate::support::wire::read_answer;

#[tokio::test(flavor = "multi_thread")]
async fn https_serves_http_1_1_and_http_2() {
    let pair = generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let key = PrivatePkcs8KeyDer::from(pair.signing_key.serialize_der());
    let config = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![pair.cert.der().clone()], key.into())
        .unwrap();
    let app = App::start_tls(config).await;
    // The client's library takes the process's provider; another test may have set it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    what_is_no_http_is_refused_in_shape(&app, pair.cert.der().clone()).await;
    let root = reqwest::Certificate::from_der(pair.cert.der()).unwrap();
    let url = format!("https://localhost:{}/api/outbound/x/status", app.address.port());
    for (http1, version) in [(true, reqwest::Version::HTTP_11), (false, reqwest::Version::HTTP_2)] {
        let mut client = reqwest::Client::builder()
            .tls_certs_only([root.clone()])
            .no_proxy()
            .resolve("localhost", app.address);
        if http1 {
            client = client.http1_only();
        }
        let client = client.build().unwrap();
        let answer = client.get(&url).bearer_auth(app.key()).send().await.unwrap();
        assert_eq!((answer.version(), answer.status().as_u16()), (version, 404));
        assert_eq!(answer.headers()["x-ratelimit-limit"], "600");
        let body: serde_json::Value = answer.json().await.unwrap();
        assert_eq!(body, serde_json::json!({"error": "Outbound call not found"}));
    }
}

async fn what_is_no_http_is_refused_in_shape(app: &App, root: CertificateDer<'static>) {
    let mut roots = RootCertStore::empty();
    roots.add(root).unwrap();
    let config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    let connection = TcpStream::connect(app.address).await.unwrap();
    let name = "localhost".try_into().unwrap();
    let mut connection = TlsConnector::from(Arc::new(config)).connect(name, connection).await.unwrap();
    connection.write_all(b"nonsense\r\n\r\n").await.unwrap();
    let answer = read_answer(&mut connection, false).await;
    assert_eq!(answer.error(400), "The request is not valid HTTP");
}
