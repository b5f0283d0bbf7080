//! One deadline spans the lookup, connecting, TLS and the response head.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod support;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use domain::ports::{CallbackSender, TryOutcome};
use egress::Resolve;
use support::receiver::{Receiver, Stream, read_request};
use support::tls::Authority;
use support::{Client, allowing, callback};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{Instant, sleep};

const LIMIT: Duration = Duration::from_millis(300);

fn hurried() -> Client {
    Client { policy: allowing(&["127.0.0.0/8"]), try_limit: LIMIT, ..Client::default() }
}

/// Asserts that the try ends as timed out, at the limit and not much later.
async fn times_out(client: Client, mut due: domain::ports::ClaimedCallback, what: &str) {
    due.tries_before = 1;
    let client = client.build();
    let began = Instant::now();
    assert_eq!(client.send(&due).await, TryOutcome::TimedOut, "{what}");
    let took = began.elapsed();
    assert!(took >= LIMIT && took < Duration::from_secs(5), "{what} took {took:?}");
}

/// Answers every name with 127.0.0.1 after a while.
struct Slow(Duration);

#[async_trait]
impl Resolve for Slow {
    async fn resolve(&self, _host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
        sleep(self.0).await;
        Ok(vec![SocketAddr::from(([127, 0, 0, 1], port))])
    }
}

#[tokio::test]
async fn a_lookup_that_never_ends_is_cut_off() {
    let client = Client { resolver: Arc::new(Slow(Duration::from_hours(1))), ..hurried() };
    times_out(client, callback("https://slow.example/"), "lookup").await;
}

#[tokio::test]
async fn a_receiver_that_never_accepts_is_cut_off() {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(1).unwrap();
    let address = listener.local_addr().unwrap();
    // Fill the queue of connections that wait to be accepted; the next SYN gets no answer.
    let mut queued = Vec::new();
    while let Ok(stream) = tokio::time::timeout(LIMIT, TcpStream::connect(address)).await {
        queued.push(stream.unwrap());
        assert!(queued.len() < 64, "the queue never fills");
    }
    times_out(hurried(), callback(&format!("http://{address}/")), "connect").await;
}

#[tokio::test]
async fn a_tls_handshake_that_never_finishes_is_cut_off() {
    let receiver = Receiver::behaving(async |mut stream: Stream| {
        let mut hello = [0; 1024];
        while stream.read(&mut hello).await.is_ok_and(|count| count > 0) {}
    })
    .await;
    times_out(hurried(), callback(&format!("https://127.0.0.1:{}/", receiver.port)), "handshake").await;
}

#[tokio::test]
async fn a_receiver_that_says_nothing_is_cut_off() {
    let receiver = Receiver::behaving(async |mut stream: Stream| {
        read_request(&mut stream).await;
        let _ = stream.read_to_end(&mut Vec::new()).await;
    })
    .await;
    times_out(hurried(), callback(&format!("http://127.0.0.1:{}/", receiver.port)), "silence").await;
}

#[tokio::test]
async fn a_receiver_that_trickles_its_head_is_cut_off() {
    let receiver = Receiver::behaving(async |mut stream: Stream| {
        read_request(&mut stream).await;
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nx-slow: ").await;
        while stream.write_all(b"x").await.is_ok() {
            sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
    times_out(hurried(), callback(&format!("http://127.0.0.1:{}/", receiver.port)), "trickle").await;
}

#[tokio::test]
async fn a_receiver_that_sends_provisional_answers_for_ever_is_cut_off() {
    let receiver = Receiver::behaving(async |mut stream: Stream| {
        read_request(&mut stream).await;
        while stream.write_all(b"HTTP/1.1 103 Early Hints\r\n\r\n").await.is_ok() {
            sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
    times_out(hurried(), callback(&format!("http://127.0.0.1:{}/", receiver.port)), "103").await;
}

#[tokio::test]
async fn a_receiver_that_does_not_read_is_cut_off() {
    let receiver = Receiver::behaving(async |stream: Stream| {
        std::future::pending::<()>().await;
        drop(stream);
    })
    .await;
    let mut due = callback(&format!("http://127.0.0.1:{}/", receiver.port));
    due.draft.body = vec![b' '; 32 << 20];
    times_out(hurried(), due, "request body").await;
}

#[tokio::test]
async fn stages_that_are_each_in_time_share_the_one_deadline() {
    let share = LIMIT * 2 / 3;
    let authority = Authority::named("ours");
    let acceptor = authority.acceptor(&["slow.example"]);
    let receiver = Receiver::behaving(move |stream: Stream| {
        let acceptor = acceptor.clone();
        async move {
            let Ok(stream) = acceptor.accept(stream).await else { return };
            let mut stream: Stream = Box::new(stream);
            read_request(&mut stream).await;
            sleep(share).await;
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await;
        }
    })
    .await;
    let url = format!("https://slow.example:{}/", receiver.port);
    let client = || Client { tls: authority.trust(), resolver: Arc::new(Slow(share)), ..hurried() };
    times_out(client(), callback(&url), "the sum").await;
    let patient = Client { try_limit: LIMIT * 20, ..client() }.build();
    assert_eq!(patient.send(&callback(&url)).await, TryOutcome::Answered(200));
}
