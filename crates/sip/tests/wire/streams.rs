//! TCP and TLS trunks.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use domain::ports::{HangUp, LegEnd, NoAnswer, Refused, RegistrationReport, Telephony, TrunkReports};
use domain::trunk::{Transport, Trunk, TrunkAddress};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use sip::Settings;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::support::message::Message;
use crate::support::peer::Peer;
use crate::support::{Caller, PATIENCE, plan, settings, trunk, with_credentials};

/// A callee on a stream.
struct Stream<S> {
    wire: S,
    buffer: Vec<u8>,
    from: SocketAddr,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Stream<S> {
    async fn next(&mut self) -> Message {
        let mut chunk = [0; 4096];
        loop {
            let text = String::from_utf8(self.buffer.clone()).unwrap();
            if let Some((head, body)) = text.split_once("\r\n\r\n") {
                let message = Message { text: text.clone(), from: self.from };
                let length: usize =
                    message.find("Content-Length").map_or(0, |length| length.parse().unwrap());
                if body.len() >= length {
                    let end = head.len() + 4 + length;
                    self.buffer.drain(..end);
                    return Message { text: text[..end].to_owned(), from: self.from };
                }
            }
            let read = tokio::time::timeout(PATIENCE, self.wire.read(&mut chunk)).await;
            let read = read.expect("the peer hears nothing").unwrap();
            assert!(read > 0, "the stream was closed");
            self.buffer.extend(&chunk[..read]);
        }
    }

    async fn request(&mut self, method: &str) -> Message {
        let message = self.next().await;
        assert_eq!(message.method(), method, "{}", message.text);
        message
    }

    async fn send(&mut self, text: &str) {
        self.wire.write_all(text.as_bytes()).await.unwrap();
        self.wire.flush().await.unwrap();
    }

    /// A whole call over the one stream, with a BYE of ours at its end.
    async fn carry_call(&mut self, transport: &str) {
        let invite = self.request("INVITE").await;
        assert!(invite.header("Via").starts_with(&format!("SIP/2.0/{transport} ")));
        assert!(invite.header("Contact").contains(&format!("transport={}", transport.to_lowercase())));
        self.send(&invite.response("180 Ringing", "callee", &[], "")).await;
        let media = Peer::bind().await;
        // The Contact points elsewhere: the stream is used all the same.
        let contact = "Contact: <sip:callee@192.0.2.77:5061>";
        self.send(&invite.response("200 OK", "callee", &[contact], &media.sdp())).await;
        assert_eq!(self.request("ACK").await.request_uri(), "sip:callee@192.0.2.77:5061");
        let bye = self.request("BYE").await;
        self.send(&bye.response("200 OK", "", &[], "")).await;
    }
}

#[tokio::test]
async fn calls_over_tcp_share_one_stream() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let caller = Caller::start().await;
    let trunk = Trunk { transport: Transport::Tcp, ..trunk(listener.local_addr().unwrap()) };
    let peer = tokio::spawn(async move {
        let (stream, from) = listener.accept().await.unwrap();
        let mut stream = Stream { wire: stream, buffer: Vec::new(), from };
        stream.carry_call("TCP").await;
        stream.carry_call("TCP").await;
    });
    for _ in 0..2 {
        let mut line = caller.dial(&trunk).await;
        line.answered().await;
        line.hang_up(HangUp::Normal);
        assert_eq!(line.ended().await, LegEnd::ByUs);
    }
    peer.await.unwrap();
}

#[tokio::test]
async fn a_stream_that_breaks_before_any_answer_makes_the_trunk_unreachable() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let caller = Caller::start().await;
    let trunk = Trunk { transport: Transport::Tcp, ..trunk(listener.local_addr().unwrap()) };
    let mut line = caller.dial(&trunk).await;
    let (stream, from) = listener.accept().await.unwrap();
    let mut stream = Stream { wire: stream, buffer: Vec::new(), from };
    stream.request("INVITE").await;
    drop(stream);
    assert_eq!(line.ended().await, LegEnd::Unreachable);

    // The next call opens a stream of its own.
    let mut line = caller.dial(&trunk).await;
    let (stream, from) = listener.accept().await.unwrap();
    let mut stream = Stream { wire: stream, buffer: Vec::new(), from };
    let invite = stream.request("INVITE").await;
    stream.send(&invite.response("486 Busy Here", "callee", &[], "")).await;
    stream.request("ACK").await;
    assert!(matches!(line.ended().await, LegEnd::Failed(answer) if answer.code == 486));
}

#[tokio::test]
async fn a_prepared_call_survives_a_stream_that_broke_before_it_was_sent() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let caller = Caller::start().await;
    let trunk = Trunk { transport: Transport::Tcp, ..trunk(listener.local_addr().unwrap()) };
    let prepared = caller.telephony.prepare(plan(&trunk)).await.unwrap();
    drop(listener.accept().await.unwrap());
    // Give the broken stream time to be noticed.
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    let _leg = prepared.send().await.unwrap();
    let (stream, from) = listener.accept().await.unwrap();
    let mut stream = Stream { wire: stream, buffer: Vec::new(), from };
    stream.request("INVITE").await;
}

struct Authority {
    certificate: rcgen::Certificate,
    issuer: Issuer<'static, KeyPair>,
}

fn authority() -> Authority {
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let certificate = params.self_signed(&key).unwrap();
    Authority { certificate, issuer: Issuer::new(params, key) }
}

fn provider() -> Arc<rustls::crypto::CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}

fn server(authority: &Authority, name: &str) -> TlsAcceptor {
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(vec![name.to_owned()]).unwrap();
    let certificate = params.signed_by(&key, &authority.issuer).unwrap();
    let key = PrivateKeyDer::Pkcs8(key.serialize_der().into());
    let config = ServerConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)
        .unwrap();
    TlsAcceptor::from(Arc::new(config))
}

fn client(authority: &Authority) -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    roots.add(authority.certificate.der().clone()).unwrap();
    let config = ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    Arc::new(config)
}

fn tls_trunk(listener: &TcpListener, host: &str) -> Trunk {
    let address = listener.local_addr().unwrap();
    let named = TrunkAddress { host: host.to_owned(), port: Some(address.port()) };
    Trunk { transport: Transport::Tls, address: named, ..trunk(address) }
}

#[tokio::test]
async fn a_tls_trunk_carries_calls_when_its_certificate_fits() {
    let authority = authority();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let acceptor = server(&authority, "localhost");
    let caller = Caller::with(Settings { tls: Some(client(&authority)), ..settings() }).await;
    let trunk = tls_trunk(&listener, "localhost");
    let peer = tokio::spawn(async move {
        let (stream, from) = listener.accept().await.unwrap();
        let stream = acceptor.accept(stream).await.unwrap();
        Stream { wire: stream, buffer: Vec::new(), from }.carry_call("TLS").await;
    });
    let mut line = caller.dial(&trunk).await;
    assert_eq!(line.ringing().await, 180);
    line.answered().await;
    line.hang_up(HangUp::Normal);
    assert_eq!(line.ended().await, LegEnd::ByUs);
    peer.await.unwrap();
}

#[tokio::test]
async fn a_registrar_that_never_ends_its_handshake_is_given_up() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let authority = authority();
    let caller = Caller::with(Settings { tls: Some(client(&authority)), ..settings() }).await;
    let trunk = Trunk { register: true, ..with_credentials(tls_trunk(&listener, "localhost")) };
    let holding = async {
        let mut held = Vec::new();
        loop {
            held.push(listener.accept().await.unwrap());
        }
    };
    let given_up = async {
        let unanswered = Some(RegistrationReport::Unanswered(NoAnswer::NoConnection));
        while caller.telephony.report(trunk.id).registration != unanswered {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    caller.telephony.watch(vec![trunk.clone()]).await;
    tokio::select! {
        () = holding => unreachable!("it accepts for ever"),
        given_up = tokio::time::timeout(PATIENCE, given_up) => given_up.expect("it waits for ever"),
    }
}

#[tokio::test]
async fn a_tls_trunk_with_a_wrong_certificate_is_refused() {
    let (good, stranger) = (authority(), authority());
    for (signer, name, tls) in [
        (&good, "other.example", Some(client(&good))),
        (&stranger, "localhost", Some(client(&good))),
        (&good, "localhost", None),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let acceptor = server(signer, name);
        let caller = Caller::with(Settings { tls, ..settings() }).await;
        let trunk = tls_trunk(&listener, "localhost");
        let peer = tokio::spawn(async move {
            let (stream, _) = listener.accept().await.unwrap();
            let _ = acceptor.accept(stream).await;
        });
        let refused = caller.telephony.prepare(plan(&trunk)).await;
        assert!(matches!(refused, Err(Refused::Unreachable(Some(_)))), "{name}");
        peer.abort();
    }
}
