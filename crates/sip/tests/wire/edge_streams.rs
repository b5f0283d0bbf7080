//! Whose TCP connections are accepted, how many, and for how long.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use domain::ports::Telephony;
use sip::Settings;
use sip::edge::StreamLimits;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use crate::support::{Caller, PATIENCE, plan, settings, trunk};

/// A service that knows 127.0.0.1 as a peer.
async fn acquainted(streams: StreamLimits) -> Caller {
    let caller = Caller::with(Settings { streams, ..settings() }).await;
    let known = trunk("127.0.0.1:9".parse().unwrap());
    drop(caller.telephony.prepare(plan(&known)).await.unwrap());
    caller
}

async fn connect(from: &str, caller: &Caller) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(SocketAddr::new(from.parse::<IpAddr>().unwrap(), 0)).unwrap();
    socket.connect(caller.telephony.local_addr()).await.unwrap()
}

fn options(name: &str) -> String {
    format!(
        "OPTIONS sip:x@y SIP/2.0\r\nVia: SIP/2.0/TCP h.example;branch=z9hG4bK{name}\r\n\
         From: <sip:a@b>;tag=t\r\nTo: <sip:x@y>\r\nCall-ID: {name}\r\nCSeq: 1 OPTIONS\r\n\
         Max-Forwards: 70\r\nContent-Length: 4\r\n\r\nbody"
    )
}

/// Waits for so many answers.
async fn answered(stream: &mut TcpStream, count: usize) -> String {
    let (mut text, mut piece) = (String::new(), [0; 4096]);
    while text.matches("SIP/2.0 200 OK").count() < count {
        let read = tokio::time::timeout(PATIENCE, stream.read(&mut piece)).await;
        let read = read.expect("the service says nothing").unwrap();
        assert!(read > 0, "the service closed after {text}");
        text += std::str::from_utf8(&piece[..read]).unwrap();
    }
    text
}

/// Waits until the service closes, having said nothing.
async fn closed(stream: &mut TcpStream) {
    let mut said = Vec::new();
    let read = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut said)).await;
    // A reset is an end too.
    let _ = read.expect("the service keeps the connection");
    assert!(said.is_empty(), "{said:?}");
}

#[tokio::test]
async fn stream_of_a_stranger_is_closed_at_once() {
    let caller = acquainted(StreamLimits::default()).await;
    closed(&mut connect("127.0.0.2", &caller).await).await;
    let dropped = caller.telephony.dropped();
    assert_eq!((dropped.stranger_connections, dropped.connection_limit), (1, 0));
    let mut known = connect("127.0.0.1", &caller).await;
    known.write_all(options("known").as_bytes()).await.unwrap();
    answered(&mut known, 1).await;
}

#[tokio::test]
async fn streams_beyond_the_cap_are_closed_until_one_ends() {
    let caller = acquainted(StreamLimits { total: 2, ..StreamLimits::default() }).await;
    let (mut first, mut second) = (connect("127.0.0.1", &caller).await, connect("127.0.0.1", &caller).await);
    for stream in [&mut first, &mut second] {
        stream.write_all(options("within").as_bytes()).await.unwrap();
        answered(stream, 1).await;
    }
    closed(&mut connect("127.0.0.1", &caller).await).await;
    assert_eq!(caller.telephony.dropped().connection_limit, 1);
    drop(first);
    let again = async {
        loop {
            let mut stream = connect("127.0.0.1", &caller).await;
            let _ = stream.write_all(options("again").as_bytes()).await;
            let mut piece = [0; 4096];
            if stream.read(&mut piece).await.is_ok_and(|read| read > 0) {
                return;
            }
        }
    };
    tokio::time::timeout(PATIENCE, again).await.expect("the place is not free again");
}

#[tokio::test]
async fn streams_of_one_address_have_a_cap_of_their_own() {
    let caller = acquainted(StreamLimits { per_address: 1, ..StreamLimits::default() }).await;
    let mut first = connect("127.0.0.1", &caller).await;
    first.write_all(options("first").as_bytes()).await.unwrap();
    answered(&mut first, 1).await;
    closed(&mut connect("127.0.0.1", &caller).await).await;
}

#[tokio::test]
async fn the_address_with_most_streams_gives_one_to_another() {
    let caller = Caller::with(Settings {
        streams: StreamLimits { total: 3, ..StreamLimits::default() },
        ..settings()
    })
    .await;
    let inbound_from = vec![domain::network::Network::parse("127.0.0.0/30").unwrap()];
    let known = domain::trunk::Trunk { inbound_from, ..trunk("127.0.0.1:9".parse().unwrap()) };
    caller.telephony.watch(vec![known]).await;
    let mut greedy = Vec::new();
    for _ in 0..3 {
        let mut stream = connect("127.0.0.1", &caller).await;
        stream.write_all(options("greedy").as_bytes()).await.unwrap();
        answered(&mut stream, 1).await;
        greedy.push(stream);
    }
    let mut other = connect("127.0.0.2", &caller).await;
    other.write_all(options("other").as_bytes()).await.unwrap();
    answered(&mut other, 1).await;
    // The first was idle for longest.
    closed(&mut greedy[0]).await;
    greedy[1].write_all(options("still").as_bytes()).await.unwrap();
    answered(&mut greedy[1], 1).await;
    assert_eq!(caller.telephony.dropped().connection_limit, 0);
}

#[tokio::test]
async fn messages_in_pieces_and_at_once_are_answered() {
    let caller = acquainted(StreamLimits::default()).await;
    let mut stream = connect("127.0.0.1", &caller).await;
    let text = format!("\r\n{}\r\n\r\n{}{}", options("a"), options("b"), options("c"));
    let (start, end) = text.split_at(text.len() - 2);
    for piece in start.as_bytes().chunks(97) {
        stream.write_all(piece).await.unwrap();
        stream.flush().await.unwrap();
    }
    let before = answered(&mut stream, 2).await;
    assert!(before.contains("\r\n\r\n\r\n"), "the keep-alive is answered: {before:?}");
    stream.write_all(end.as_bytes()).await.unwrap();
    let after = answered(&mut stream, 1).await;
    assert!(after.contains("Call-ID: c") && caller.telephony.transactions() == 0);
}

#[tokio::test]
async fn message_that_is_not_whole_in_time_ends_its_stream() {
    let within = Duration::from_millis(150);
    let caller = acquainted(StreamLimits { message_within: within, ..StreamLimits::default() }).await;
    let mut silent = connect("127.0.0.1", &caller).await;
    let (mut answers, mut pings) = connect("127.0.0.1", &caller).await.into_split();
    let pinging = tokio::spawn(async move {
        while pings.write_all(b"\r\n\r\n").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    let mut half = connect("127.0.0.1", &caller).await;
    half.write_all(&options("half").as_bytes()[..60]).await.unwrap();
    for stream in [&mut silent, &mut half] {
        closed(stream).await;
    }
    // Keep-alives are answered, but do not take the place of a message.
    let mut said = Vec::new();
    let ended = tokio::time::timeout(PATIENCE, answers.read_to_end(&mut said)).await;
    assert!(ended.is_ok(), "keep-alives hold the connection");
    assert!(said.starts_with(b"\r\n") && said.iter().all(|byte| b"\r\n".contains(byte)), "{said:?}");
    pinging.await.unwrap();
    // A later message has to be whole in time too.
    let mut second = connect("127.0.0.1", &caller).await;
    second.write_all(options("one").as_bytes()).await.unwrap();
    answered(&mut second, 1).await;
    second.write_all(&options("two").as_bytes()[..60]).await.unwrap();
    closed(&mut second).await;
    assert_eq!(caller.telephony.dropped().idle_connections, 4);
}

#[tokio::test]
async fn stream_without_messages_is_closed_after_the_idle_bound() {
    let idle = Duration::from_millis(150);
    let caller = acquainted(StreamLimits { idle, ..StreamLimits::default() }).await;
    let mut stream = connect("127.0.0.1", &caller).await;
    stream.write_all(options("one").as_bytes()).await.unwrap();
    answered(&mut stream, 1).await;
    closed(&mut stream).await;
    assert_eq!(caller.telephony.dropped().idle_connections, 1);
}

#[tokio::test]
async fn message_beyond_the_bound_ends_its_stream_before_its_body() {
    let caller = acquainted(StreamLimits { longest_message: 4_096, ..StreamLimits::default() }).await;
    for text in [
        options("long").replace("Content-Length: 4", "Content-Length: 4000"),
        options("endless").replace("Content-Length: 4", "Content-Length: 18446744073709551610"),
        "GET / HTTP/1.1\r\nHost: x\r\n\r\n".to_owned(),
        "x".repeat(5_000),
    ] {
        let mut stream = connect("127.0.0.1", &caller).await;
        stream.write_all(text.as_bytes()).await.unwrap();
        closed(&mut stream).await;
    }
    assert_eq!(caller.telephony.dropped().malformed, 4);
}
