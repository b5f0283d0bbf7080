//! HTTPS by rustls, with HTTP/1.1 and HTTP/2.

use std::sync::Arc;

use rcgen::generate_simple_self_signed;
use rustls::ServerConfig;
use rustls::pki_types::PrivatePkcs8KeyDer;

use crate::support::App;

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
