//! The double as a program of its own.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    missing_docs,
    reason = "tests say what they mean"
)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};

const PROGRAM: &str = env!("CARGO_BIN_EXE_realtime-double");

#[test]
fn it_says_where_it_listens_and_speaks_the_protocol_there() {
    let mut program = Command::new(PROGRAM)
        .args(["--listen", "127.0.0.1:0", "--mode", "pcm-only", "--reply", "Hello."])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(program.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("ws://").unwrap().trim_end_matches('/');
    let mut stream = TcpStream::connect(address).unwrap();
    let request = "GET /v1/realtime?model=m HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
        Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    stream.write_all(request.as_bytes()).unwrap();
    let mut heard = Vec::new();
    let mut piece = [0; 1024];
    while !String::from_utf8_lossy(&heard).contains("session.created") {
        let length = stream.read(&mut piece).unwrap();
        assert!(length > 0, "it hung up after {}", String::from_utf8_lossy(&heard));
        heard.extend(piece.iter().take(length));
    }
    assert!(heard.starts_with(b"HTTP/1.1 101"));
    program.kill().unwrap();
    program.wait().unwrap();
}

#[test]
fn what_it_does_not_understand_it_says() {
    for wrong in
        [&["--listen", "here"][..], &["--mode", "pcm-only"], &["--listen", "127.0.0.1:0", "--mode", "odd"]]
    {
        let output = Command::new(PROGRAM).args(wrong).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("realtime-double --listen"));
    }
}
