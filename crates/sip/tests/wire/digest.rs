//! Challenges of every kind, checked by a computation of the test's own.

use domain::call::EndedReason;
use domain::ports::{HangUp, LegEnd};
use md5::{Digest, Md5};
use sha2::Sha256;

use crate::support::message::{Message, parameter};
use crate::support::peer::Peer;
use crate::support::{Caller, trunk, with_credentials};

fn hash(algorithm: &str, text: &str) -> String {
    let bytes: Vec<u8> = match algorithm {
        "SHA-256" => Sha256::digest(text).to_vec(),
        _ => Md5::digest(text).to_vec(),
    };
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
}

/// Whether the credentials in `header` prove the password `secret` for this request.
fn proves(request: &Message, header: &str, algorithm: &str) -> bool {
    let value = request.header(header).strip_prefix("Digest ").unwrap();
    let get = |name: &str| parameter(value, name).unwrap_or_default();
    assert_eq!(get("username"), "alice");
    assert_eq!(get("uri"), request.request_uri());
    let first = hash(algorithm, &format!("alice:{}:secret", get("realm")));
    let second = match get("qop") {
        "auth-int" => {
            let body = hash(algorithm, request.body());
            hash(algorithm, &format!("{}:{}:{body}", request.method(), get("uri")))
        }
        _ => hash(algorithm, &format!("{}:{}", request.method(), get("uri"))),
    };
    let middle = match get("qop") {
        "" => get("nonce").to_owned(),
        qop => format!("{}:{}:{}:{qop}", get("nonce"), get("nc"), get("cnonce")),
    };
    // qop and nc stand without quotes (RFC 7616 §3.4).
    assert!(!value.contains("qop=\"") && !value.contains("nc=\""), "{value}");
    get("response") == hash(algorithm, &format!("{first}:{middle}:{second}"))
}

async fn challenge(peer: &mut Peer, request: &Message, status: &str, header: &str) {
    peer.reply(request, status, &[header], "").await;
    if request.method() == "INVITE" {
        peer.request("ACK").await;
    }
}

#[tokio::test]
async fn every_form_of_challenge_is_answered() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let trunk = with_credentials(trunk(peer.address()));
    for (status, rest, algorithm, qop) in [
        ("401 Unauthorized", "nonce=\"n1\"", "MD5", None),
        ("407 Proxy Authentication Required", "nonce=\"n2\", qop=\"auth\"", "MD5", Some("auth")),
        ("401 Unauthorized", "nonce=\"n3\", qop=\"auth,auth-int\", opaque=\"o\"", "MD5", Some("auth")),
        ("401 Unauthorized", "nonce=\"n4\", qop=auth", "MD5", Some("auth")),
        ("407 Proxy Authentication Required", "nonce=\"n5\", qop=\"auth-int\"", "MD5", Some("auth-int")),
        ("401 Unauthorized", "nonce=\"n6\", algorithm=SHA-256, qop=\"auth\"", "SHA-256", Some("auth")),
        ("407 Proxy Authentication Required", "nonce=\"n7\", algorithm=\"SHA-256\"", "SHA-256", None),
    ] {
        let (ask, tell) = match &status[..3] {
            "401" => ("WWW-Authenticate", "Authorization"),
            _ => ("Proxy-Authenticate", "Proxy-Authorization"),
        };
        let mut line = caller.dial(&trunk).await;
        let first = peer.request("INVITE").await;
        challenge(&mut peer, &first, status, &format!("{ask}: Digest realm=\"r\", {rest}")).await;
        let second = peer.request("INVITE").await;
        assert_eq!(second.header("Call-ID"), first.header("Call-ID"));
        assert_eq!(second.caller_tag(), first.caller_tag());
        assert!(second.cseq() > first.cseq() && second.branch() != first.branch());
        assert_eq!(parameter(second.header(tell), "qop"), qop, "{rest}");
        assert!(proves(&second, tell, algorithm), "{rest}:\n{}", second.text);
        peer.answer(&second).await;
        line.answered().await;
        let ack = peer.request("ACK").await;
        assert_eq!(ack.header(tell), second.header(tell), "RFC 3261 §13.2.2.4");
        line.hang_up(HangUp::Normal);
        peer.take_bye().await;
        assert_eq!(line.ended().await, LegEnd::ByUs);
    }
}

#[tokio::test]
async fn a_wrong_password_ends_at_once_with_the_refusal() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let trunk = with_credentials(trunk(peer.address()));
    for (status, ask) in [
        ("401 Unauthorized", "WWW-Authenticate"),
        ("407 Proxy Authentication Required", "Proxy-Authenticate"),
    ] {
        let before = peer.received.len();
        let mut line = caller.dial(&trunk).await;
        for nonce in ["one", "two"] {
            let invite = peer.request("INVITE").await;
            let challenged = format!("{ask}: Digest realm=\"r\", nonce=\"{nonce}\", qop=\"auth\"");
            challenge(&mut peer, &invite, status, &challenged).await;
        }
        let LegEnd::Failed(answer) = line.ended().await else { panic!("expected a failure") };
        assert_eq!(answer.code.to_string(), status[..3]);
        assert_eq!(answer.reason(false), EndedReason::TrunkRejected);
        let invites = peer.received[before..].iter().filter(|message| message.method() == "INVITE").count();
        assert_eq!(invites, 2, "one without credentials, exactly one with");
    }
    caller.forgets_all().await;
}

#[tokio::test]
async fn a_challenge_without_credentials_or_of_an_unknown_kind_is_final() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    for (trunk, ask) in [
        (trunk(peer.address()), "WWW-Authenticate: Digest realm=\"r\", nonce=\"n\""),
        (with_credentials(trunk(peer.address())), "WWW-Authenticate: Basic realm=\"r\""),
        (
            with_credentials(trunk(peer.address())),
            "WWW-Authenticate: Digest realm=\"r\", nonce=\"n\", algorithm=SHA-512-256",
        ),
    ] {
        let mut line = caller.dial(&trunk).await;
        let invite = peer.request("INVITE").await;
        challenge(&mut peer, &invite, "401 Unauthorized", ask).await;
        assert!(matches!(line.ended().await, LegEnd::Failed(answer) if answer.code == 401));
    }
}

#[tokio::test]
async fn a_stale_nonce_is_renewed_once() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let trunk = with_credentials(trunk(peer.address()));
    let mut line = caller.dial(&trunk).await;
    for extra in ["", ", stale=true", ", stale=true"] {
        let invite = peer.request("INVITE").await;
        let nonce = invite.cseq();
        let ask = format!("Proxy-Authenticate: Digest realm=\"r\", nonce=\"n{nonce}\"{extra}");
        challenge(&mut peer, &invite, "407 Proxy Authentication Required", &ask).await;
    }
    assert!(matches!(line.ended().await, LegEnd::Failed(answer) if answer.code == 407));
    let nonces: Vec<_> = peer
        .received
        .iter()
        .filter_map(|message| parameter(message.find("Proxy-Authorization")?, "nonce").map(str::to_owned))
        .collect();
    assert!(nonces.contains(&"n1".to_owned()) && nonces.contains(&"n2".to_owned()), "{nonces:?}");
    assert!(!nonces.contains(&"n3".to_owned()), "{nonces:?}");
}

#[tokio::test]
async fn a_proxy_and_a_server_behind_it_may_both_ask() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let mut line = caller.dial(&with_credentials(trunk(peer.address()))).await;
    let first = peer.request("INVITE").await;
    let proxy = "Proxy-Authenticate: Digest realm=\"p\", nonce=\"1\"";
    challenge(&mut peer, &first, "407 Proxy Authentication Required", proxy).await;
    let second = peer.request("INVITE").await;
    let server = "WWW-Authenticate: Digest realm=\"s\", nonce=\"2\"";
    challenge(&mut peer, &second, "401 Unauthorized", server).await;
    let third = peer.request("INVITE").await;
    assert!(proves(&third, "Proxy-Authorization", "MD5") && proves(&third, "Authorization", "MD5"));
    peer.answer(&third).await;
    line.answered().await;
    peer.request("ACK").await;
}

#[tokio::test]
async fn a_bye_is_authenticated_too() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let mut line = caller.dial(&with_credentials(trunk(peer.address()))).await;
    peer.take_call().await;
    line.answered().await;
    line.hang_up(HangUp::Normal);
    let bye = peer.request("BYE").await;
    let ask = "Proxy-Authenticate: Digest realm=\"r\", nonce=\"n\", qop=\"auth\"";
    challenge(&mut peer, &bye, "407 Proxy Authentication Required", ask).await;
    let again = peer.take_bye().await;
    assert!(proves(&again, "Proxy-Authorization", "MD5"));
    assert!(again.cseq() > bye.cseq());
    assert_eq!(line.ended().await, LegEnd::ByUs);
}
