//! What a receiver gets, and what its answers mean.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod support;

use std::process::Command;

use domain::ports::{CallbackSender, TryOutcome};
use domain::secret::Secret;
use standardwebhooks::Webhook;
use support::decoy::Decoy;
use support::receiver::{Receiver, Stream, read_request};
use support::tls::Authority;
use support::{BODY, CALL, Client, NOW, Names, SECRET, allowing, callback};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

fn loopback() -> Client {
    Client { policy: allowing(&["127.0.0.0/8"]), ..Client::default() }
}

#[tokio::test]
async fn the_request_carries_the_frozen_bytes_and_exactly_the_documented_headers() {
    let mut receiver = Receiver::answering("127.0.0.1:0", None, OK).await;
    let port = receiver.port;
    let url = format!("http://127.0.0.1:{port}/hooks/a%20b?x=1&y=%C3%A9#fragment");
    assert_eq!(loopback().build().send(&callback(&url)).await, TryOutcome::Answered(200));
    let seen = receiver.next().await;
    assert_eq!(seen.body, BODY);
    let mut lines: Vec<String> = seen.head.trim_end().lines().map(str::to_owned).collect();
    assert_eq!(lines.remove(0), "POST /hooks/a%20b?x=1&y=%C3%A9 HTTP/1.1");
    lines.sort();
    let signature = Webhook::from_bytes(SECRET.to_vec()).unwrap().sign(CALL, NOW, BODY).unwrap();
    assert_eq!(
        lines,
        [
            "connection: close".to_owned(),
            format!("content-length: {}", BODY.len()),
            "content-type: application/json".to_owned(),
            format!("host: 127.0.0.1:{port}"),
            "user-agent: Callwright/1.2.3".to_owned(),
            format!("webhook-id: {CALL}"),
            format!("webhook-signature: {signature}"),
            format!("webhook-timestamp: {NOW}"),
        ]
    );
    assert_eq!(seen.after, Some(0), "the connection is closed in good order");
}

#[tokio::test]
async fn while_secrets_overlap_a_receiver_with_either_one_finds_its_signature() {
    let mut receiver = Receiver::answering("127.0.0.1:0", None, OK).await;
    let mut rotating = callback(&format!("http://127.0.0.1:{}/", receiver.port));
    rotating.secrets.previous = Some(Secret::new(b"the one before".to_vec()));
    loopback().build().send(&rotating).await;
    let seen = receiver.next().await;
    let sent: Vec<&str> = seen.header("webhook-signature")[0].split(' ').collect();
    let expected = [SECRET, b"the one before"]
        .map(|key| Webhook::from_bytes(key.to_vec()).unwrap().sign(CALL, NOW, BODY).unwrap());
    assert_eq!(sent, expected);
}

#[tokio::test]
async fn https_reaches_a_name_through_its_vetted_address_and_proves_the_name() {
    let authority = Authority::named("ours");
    let tls = Some(authority.acceptor(&["hooks.example"]));
    let mut receiver = Receiver::answering("127.0.0.1:0", tls, OK).await;
    let client = Client { tls: authority.trust(), resolver: Names::always(&["127.0.0.1"]), ..loopback() };
    let url = format!("https://hooks.example.:{}/", receiver.port);
    assert_eq!(client.build().send(&callback(&url)).await, TryOutcome::Answered(200));
    let seen = receiver.next().await;
    assert_eq!(seen.body, BODY);
    assert_eq!(seen.header("host"), [format!("hooks.example.:{}", receiver.port)]);
    assert_eq!(seen.after, Some(0), "TLS is closed in good order");
}

#[tokio::test]
async fn https_works_for_a_literal_address_too() {
    let authority = Authority::named("ours");
    let receiver = Receiver::answering("[::1]:0", Some(authority.acceptor(&["::1"])), OK).await;
    let client = Client { policy: allowing(&["::1"]), tls: authority.trust(), ..Client::default() };
    let url = format!("https://[::1]:{}/", receiver.port);
    assert_eq!(client.build().send(&callback(&url)).await, TryOutcome::Answered(200));
}

#[tokio::test]
async fn a_certificate_for_another_name_or_from_a_stranger_is_not_trusted() {
    let (authority, stranger) = (Authority::named("ours"), Authority::named("a stranger"));
    for (acceptor, why) in [
        (authority.acceptor(&["other.example"]), "TLS: the certificate is for another name"),
        (stranger.acceptor(&["hooks.example"]), "TLS: the certificate's issuer is not trusted"),
    ] {
        let mut receiver = Receiver::answering("127.0.0.1:0", Some(acceptor), OK).await;
        let client = Client { tls: authority.trust(), resolver: Names::always(&["127.0.0.1"]), ..loopback() };
        let url = format!("https://hooks.example:{}/", receiver.port);
        assert_eq!(client.build().send(&callback(&url)).await, TryOutcome::Broken(why.into()));
        assert!(receiver.is_idle(), "not a byte of the callback may go to {why}");
    }
}

#[tokio::test]
async fn every_status_is_told_and_only_2xx_confirms() {
    for (answer, status, confirmed) in [
        (&b"HTTP/1.1 200 OK\r\n\r\n"[..], 200, true),
        (b"HTTP/1.0 204 No Content\r\n\r\n", 204, true),
        (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 202 A\r\n\r\n", 202, true),
        (b"HTTP/1.1 304 Not Modified\r\n\r\n", 304, false),
        (b"HTTP/1.1 404 Not Found\r\n\r\n", 404, false),
        (b"HTTP/1.1 500 Oh\r\nContent-Length: 5\r\n\r\n", 500, false),
        (b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", 101, false),
    ] {
        let receiver = Receiver::answering("127.0.0.1:0", None, answer).await;
        let url = format!("http://127.0.0.1:{}/", receiver.port);
        let outcome = loopback().build().send(&callback(&url)).await;
        assert_eq!(outcome, TryOutcome::Answered(status));
        assert_eq!(outcome.confirmed(), confirmed, "{status}");
    }
}

#[tokio::test]
async fn a_redirect_is_an_answer_and_is_not_followed() {
    let decoy = Decoy::new().await;
    let location = format!("http://127.0.0.1:{}/", decoy.port);
    for status in [301, 302, 303, 307, 308] {
        let answer = format!("HTTP/1.1 {status} Go\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n");
        let receiver = Receiver::answering("127.0.0.1:0", None, answer.leak().as_bytes()).await;
        let url = format!("http://127.0.0.1:{}/", receiver.port);
        assert_eq!(loopback().build().send(&callback(&url)).await, TryOutcome::Answered(status));
    }
    decoy.saw_nothing().await;
}

#[tokio::test]
async fn the_response_body_is_not_read_however_long_it_is() {
    let (sent_all, mut finished) = tokio::sync::mpsc::unbounded_channel();
    let receiver = Receiver::behaving(move |mut stream: Stream| {
        let sent_all = sent_all.clone();
        async move {
            read_request(&mut stream).await;
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n").await.unwrap();
            let block = vec![b'x'; 1 << 20];
            let mut sent = 0_usize;
            while sent < 1_000_000_000 && stream.write_all(&block).await.is_ok() {
                sent += block.len();
            }
            sent_all.send(sent).unwrap();
        }
    })
    .await;
    let url = format!("http://127.0.0.1:{}/", receiver.port);
    assert_eq!(loopback().build().send(&callback(&url)).await, TryOutcome::Answered(200));
    let sent = finished.recv().await.unwrap();
    assert!(sent < 100_000_000, "{sent} bytes of the body were taken");
}

#[tokio::test]
async fn each_try_is_a_connection_of_its_own_and_ends_it() {
    let answer = b"HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n";
    let mut receiver = Receiver::answering("127.0.0.1:0", None, answer).await;
    let client = loopback().build();
    let due = callback(&format!("http://127.0.0.1:{}/", receiver.port));
    for _ in 0..2 {
        client.send(&due).await;
        // A receiver reports a connection only when the other side has closed it.
        assert_eq!(receiver.next().await.after, Some(0));
    }
}

#[tokio::test]
async fn credentials_in_the_url_become_basic_authentication_and_are_shown_nowhere_else() {
    let mut receiver = Receiver::answering("127.0.0.1:0", None, OK).await;
    let port = receiver.port;
    loopback().build().send(&callback(&format!("http://us%40er:p%C3%A4ss@127.0.0.1:{port}/x"))).await;
    let seen = receiver.next().await;
    assert_eq!(seen.header("authorization"), ["Basic dXNAZXI6cMOkc3M="]);
    assert_eq!(seen.header("host"), [format!("127.0.0.1:{port}")]);
    assert!(seen.head.starts_with("POST /x HTTP/1.1"));
}

#[tokio::test]
async fn a_receiver_that_talks_nonsense_or_hangs_up_is_told_in_words_without_addresses() {
    for (answer, why) in [
        (&b"SSH-2.0-OpenSSH_9.2\r\n"[..], "the answer is not HTTP/1.1, or its head is too large"),
        (b"HTTP/1.1 2000 OK\r\n\r\n", "the answer is not HTTP/1.1, or its head is too large"),
    ] {
        let receiver = Receiver::answering("127.0.0.1:0", None, answer).await;
        let url = format!("http://127.0.0.1:{}/", receiver.port);
        assert_eq!(loopback().build().send(&callback(&url)).await, TryOutcome::Broken(why.into()));
    }
    let endless = Receiver::behaving(async |mut stream: Stream| {
        read_request(&mut stream).await;
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n").await;
        while stream.write_all(b"x-more: and more and more\r\n").await.is_ok() {}
    })
    .await;
    let hanging_up = Receiver::behaving(async |mut stream: Stream| {
        read_request(&mut stream).await;
    })
    .await;
    let no_tls = Receiver::behaving(async |mut stream: Stream| {
        let _ = stream.read_u8().await;
        let _ = stream.write_all(b"HTTP/1.1 400 This is not TLS\r\n\r\n").await;
    })
    .await;
    for (url, why) in [
        (
            format!("http://127.0.0.1:{}/", endless.port),
            "the answer is not HTTP/1.1, or its head is too large",
        ),
        (format!("http://127.0.0.1:{}/", hanging_up.port), "the connection closed before an answer"),
        (format!("https://127.0.0.1:{}/", no_tls.port), "TLS: the handshake failed"),
    ] {
        assert_eq!(loopback().build().send(&callback(&url)).await, TryOutcome::Broken(why.into()));
    }
}

#[tokio::test]
async fn a_closed_port_and_an_unknown_name_are_broken_tries() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    for (url, why) in [
        (format!("http://127.0.0.1:{port}/"), "the connection was refused"),
        ("https://nowhere.example/".to_owned(), "the name does not resolve"),
    ] {
        assert_eq!(loopback().build().send(&callback(&url)).await, TryOutcome::Broken(why.into()));
    }
    let nameless = Client { resolver: Names::always(&[]), ..loopback() }.build();
    let outcome = nameless.send(&callback("https://nowhere.example/")).await;
    assert_eq!(outcome, TryOutcome::Broken("the name has no address".into()));
}

#[tokio::test]
async fn proxies_named_in_the_environment_are_ignored() {
    let decoy = Decoy::new().await;
    let proxy = format!("http://127.0.0.1:{}", decoy.port);
    // The environment belongs to the process, so another test runs in a child with a changed one.
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "https_reaches_a_name_through_its_vetted_address_and_proves_the_name"]);
    for name in ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
        child.env(name, &proxy);
    }
    let output = child.env_remove("no_proxy").env_remove("NO_PROXY").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"));
    decoy.saw_nothing().await;
}
