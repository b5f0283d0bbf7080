//! Connections over the guarded way out, with TLS and without, and what is refused.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use domain::network::{AddressPolicy, Network, WebProtocol};
use egress::{Failure, Resolve, Stream, WayOut};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use url::Url;

const PATIENT: Duration = Duration::from_secs(10);

/// Every name leads to these.
struct Names(Vec<&'static str>);

#[async_trait]
impl Resolve for Names {
    async fn resolve(&self, host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
        if host == "never.example" {
            std::future::pending::<()>().await;
        }
        Ok(self.0.iter().map(|text| SocketAddr::new(text.parse().unwrap(), port)).collect())
    }
}

fn way_out(allowed: &[&str], names: &[&'static str], trusted: Option<CertificateDer<'static>>) -> WayOut {
    let mut roots = RootCertStore::empty();
    if let Some(certificate) = trusted {
        roots.add(certificate).unwrap();
    }
    let tls = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let allowed = allowed.iter().map(|text| Network::parse(text).unwrap()).collect();
    WayOut::new(AddressPolicy { allowed, own: Vec::new() }, &tls, Arc::new(Names(names.to_vec())))
}

async fn shout(mut stream: Stream) -> String {
    stream.write_all(b"hello").await.unwrap();
    stream.shutdown().await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

#[tokio::test]
async fn http_and_websocket_without_tls_reach_a_literal_in_an_allowed_network() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = tokio::spawn(async move {
        for _ in 0..2 {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut said = Vec::new();
            stream.read_to_end(&mut said).await.unwrap();
            stream.write_all(&said.to_ascii_uppercase()).await.unwrap();
        }
    });
    let out = way_out(&["127.0.0.1"], &[], None);
    for (scheme, protocol) in [("http", WebProtocol::Http), ("ws", WebProtocol::WebSocket)] {
        let url = Url::parse(&format!("{scheme}://{address}/v1")).unwrap();
        assert_eq!(shout(out.connect(&url, protocol, PATIENT).await.unwrap()).await, "HELLO");
    }
    server.await.unwrap();
}

#[tokio::test]
async fn the_certificate_must_carry_the_urls_name_and_only_http_1_1_is_offered() {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(["voice.example".to_owned()]).unwrap();
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![cert.der().clone()],
            PrivateKeyDer::try_from(signing_key.serialize_der()).unwrap(),
        )
        .unwrap();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let mut stream = acceptor.accept(stream).await.unwrap();
        assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"http/1.1"[..]));
        let mut said = Vec::new();
        stream.read_to_end(&mut said).await.unwrap();
        stream.write_all(&said.to_ascii_uppercase()).await.unwrap();
        stream.shutdown().await.unwrap();
        let (stream, _) = listener.accept().await.unwrap();
        assert!(acceptor.accept(stream).await.is_err());
    });
    let out = way_out(&["127.0.0.1"], &["127.0.0.1"], Some(cert.der().clone()));
    let url = Url::parse(&format!("wss://voice.example:{port}/")).unwrap();
    assert_eq!(shout(out.connect(&url, WebProtocol::WebSocket, PATIENT).await.unwrap()).await, "HELLO");
    let other = Url::parse(&format!("wss://other.example:{port}/")).unwrap();
    assert_eq!(
        out.connect(&other, WebProtocol::WebSocket, PATIENT).await.unwrap_err(),
        Failure::Broken("TLS: the certificate is for another name")
    );
    server.await.unwrap();
}

#[tokio::test]
async fn what_leads_inside_is_refused_and_no_connection_is_made() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let refused = |out: WayOut, text: String, protocol| async move {
        let url = Url::parse(&text).unwrap();
        match out.connect(&url, protocol, PATIENT).await.unwrap_err() {
            Failure::Refused(why) => why,
            other => panic!("{text}: {other:?}"),
        }
    };
    for (out, url, protocol, why) in [
        (
            way_out(&[], &[], None),
            format!("wss://127.0.0.1:{port}"),
            WebProtocol::WebSocket,
            "loopback address",
        ),
        (
            way_out(&[], &["127.0.0.1"], None),
            format!("https://a.example:{port}"),
            WebProtocol::Http,
            "loopback address",
        ),
        (
            way_out(&[], &["8.8.8.8", "10.0.0.1"], None),
            format!("wss://a.example:{port}"),
            WebProtocol::WebSocket,
            "private address",
        ),
        (
            way_out(&["127.0.0.0/8"], &["127.0.0.1"], None),
            format!("ws://a.example:{port}"),
            WebProtocol::WebSocket,
            "plain ws outside the allowed networks",
        ),
        (
            way_out(&["127.0.0.0/8"], &["127.0.0.1"], None),
            format!("https://localhost:{port}"),
            WebProtocol::Http,
            "a name of this machine",
        ),
        (
            way_out(&["127.0.0.0/8"], &[], None),
            format!("http://127.0.0.1:{port}"),
            WebProtocol::WebSocket,
            "not a ws or wss URL",
        ),
    ] {
        assert_eq!(refused(out, url.clone(), protocol).await, why, "{url}");
    }
    // Connections are handed out in the order of arrival: our own is the first.
    let own = tokio::net::TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    assert_eq!(listener.accept().await.unwrap().1, own.local_addr().unwrap());
}

#[tokio::test(start_paused = true)]
async fn one_deadline_spans_the_lookup_too() {
    let out = way_out(&[], &["8.8.8.8"], None);
    let url = Url::parse("https://never.example/").unwrap();
    assert_eq!(out.connect(&url, WebProtocol::Http, PATIENT).await.unwrap_err(), Failure::TimedOut);
}
