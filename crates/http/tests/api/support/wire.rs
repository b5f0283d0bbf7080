//! A plain HTTP/1.1 client that sends exactly what it is told.

use std::net::SocketAddr;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::contract;

/// No answer takes longer than this.
const PATIENCE: Duration = Duration::from_secs(25);

/// A request to be sent.
#[derive(Clone)]
pub(crate) struct Request {
    address: SocketAddr,
    method: String,
    path: String,
    headers: Vec<(String, String)>,
    body: Option<Vec<u8>>,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Request {
    pub(crate) fn new(address: SocketAddr, method: &str, path: &str) -> Self {
        Self { address, method: method.into(), path: path.into(), headers: Vec::new(), body: None }
    }

    /// Adds a header line.
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Takes away every line of a header.
    pub(crate) fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(other, _)| !other.eq_ignore_ascii_case(name));
        self
    }

    /// Puts a header in the place of all its lines.
    pub(crate) fn with(self, name: &str, value: &str) -> Self {
        self.without(name).header(name, value)
    }

    pub(crate) fn key(self, key: &str) -> Self {
        self.with("Authorization", &format!("Bearer {key}"))
    }

    pub(crate) fn from(self, client: &str) -> Self {
        self.with("X-Forwarded-For", client)
    }

    pub(crate) fn bytes(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = Some(body.into());
        self.with("Content-Type", "application/json")
    }

    pub(crate) fn json(self, body: &Value) -> Self {
        self.bytes(body.to_string())
    }

    /// The head as it goes over the wire.
    pub(crate) fn head(&self) -> Vec<u8> {
        let mut head = format!("{} {} HTTP/1.1\r\nHost: test\r\n", self.method, self.path);
        for (name, value) in &self.headers {
            head.extend([name, ": ", value, "\r\n"]);
        }
        let framed = self.headers.iter().any(|(name, _)| {
            name.eq_ignore_ascii_case("content-length") || name.eq_ignore_ascii_case("transfer-encoding")
        });
        if let (Some(body), false) = (&self.body, framed) {
            head.extend(["Content-Length: ", &body.len().to_string(), "\r\n"]);
        }
        head.push_str("\r\n");
        head.into_bytes()
    }

    /// Head and body as they go over the wire.
    pub(crate) fn whole(&self) -> Vec<u8> {
        let mut bytes = self.head();
        bytes.extend(self.body.iter().flatten());
        bytes
    }

    /// Sends it on a connection of its own.
    pub(crate) async fn send(&self) -> Answer {
        let mut connection = TcpStream::connect(self.address).await.unwrap();
        self.send_on(&mut connection).await
    }

    /// Sends it on an open connection. A server may answer before it has read everything.
    pub(crate) async fn send_on(&self, connection: &mut TcpStream) -> Answer {
        let bytes = self.whole();
        let (mut reader, mut writer) = connection.split();
        let writing = async {
            // The server may close its side early; its answer tells why.
            let _ = writer.write_all(&bytes).await;
            std::future::pending::<()>().await;
        };
        tokio::select! {
            answer = read_answer(&mut reader, self.method == "HEAD") => {
                contract::check(&self.method, &self.path, &answer);
                answer
            }
            () = writing => unreachable!(),
        }
    }
}

/// Reads one answer.
pub(crate) async fn read_answer(from: &mut (impl AsyncRead + Unpin), headless: bool) -> Answer {
    timeout(PATIENCE, async {
        let mut bytes = Vec::new();
        let end = loop {
            if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
                break end;
            }
            let read = from.read_buf(&mut bytes).await.unwrap();
            assert_ne!(read, 0, "closed in the head: {:?}", String::from_utf8_lossy(&bytes));
        };
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let mut body = bytes[end + 4..].to_vec();
        let mut lines = head.split("\r\n");
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers: Vec<_> = lines
            .map(|line| line.split_once(": ").unwrap())
            .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
            .collect();
        let mut answer = Answer { status, headers, body: Vec::new() };
        let length: usize = answer.header("content-length").map_or(0, |text| text.parse().unwrap());
        while !headless && body.len() < length {
            assert_ne!(from.read_buf(&mut body).await.unwrap(), 0, "closed in the body");
        }
        answer.body = body;
        answer
    })
    .await
    .expect("no answer in time")
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn number(&self, name: &str) -> u64 {
        self.header(name).unwrap_or_else(|| panic!("no {name} in {self:?}")).parse().unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Checks that this is an error of the interface's one shape, and returns its text.
    pub(crate) fn error(&self, status: u16) -> String {
        assert_eq!(self.status, status, "{self:?}");
        assert_eq!(self.header("content-type"), Some("application/json"), "{self:?}");
        assert!(self.header("x-request-id").is_some(), "{self:?}");
        let body = self.json();
        let members = body.as_object().unwrap();
        let expected: &[&str] = match status {
            400 if members.contains_key("details") => &["details", "error"],
            429 => &["error", "retryAfter"],
            _ => &["error"],
        };
        assert_eq!(members.keys().map(String::as_str).collect::<Vec<_>>(), expected, "{self:?}");
        for detail in body["details"].as_array().into_iter().flatten() {
            assert_eq!(detail.as_object().unwrap().len(), 3);
            assert!(
                detail["field"].is_string() && detail["message"].is_string() && detail["code"].is_string()
            );
        }
        body["error"].as_str().unwrap().to_owned()
    }

    /// The details of a 400 as `field code`, sorted.
    pub(crate) fn problems(&self) -> Vec<String> {
        assert_eq!(self.error(400), "Invalid request data");
        let body = self.json();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let mut problems: Vec<_> = body["details"]
            .as_array()
            .unwrap()
            .iter()
            .map(|detail| format!("{} {}", text(&detail["field"]), text(&detail["code"])))
            .collect();
        problems.sort();
        problems
    }
}
