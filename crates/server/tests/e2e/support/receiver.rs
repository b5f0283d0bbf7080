//! A receiver of callbacks that writes down every byte, and answers as it is told.

use std::time::Duration;
use tokio::time::Instant;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

/// A callback as it arrived.
#[derive(Clone, Debug)]
pub struct Arrival {
    pub at: Instant,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Arrival {
    /// A header's value, by its lower-case name.
    pub fn header(&self, name: &str) -> &str {
        &self
            .headers
            .iter()
            .find(|(own, _)| own == name)
            .unwrap_or_else(|| panic!("no {name}: {:?}", self.headers))
            .1
    }

    /// The body as JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

/// Listens on a port of its own.
pub struct Receiver {
    url: String,
    arrivals: mpsc::UnboundedReceiver<Arrival>,
}

impl Receiver {
    /// Answers the first requests with `statuses`, all later ones with the last of them.
    pub async fn answering(statuses: &[u16]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/calls?kind=final", listener.local_addr().unwrap());
        let (sender, arrivals) = mpsc::unbounded_channel();
        let mut statuses = statuses.to_vec();
        statuses.reverse();
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let status = if statuses.len() > 1 { statuses.pop().unwrap() } else { statuses[0] };
                let sender = sender.clone();
                tokio::spawn(async move {
                    let _ = serve(stream, status, sender).await;
                });
            }
        });
        Self { url, arrivals }
    }

    /// Where callbacks should go.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The next callback.
    pub async fn next(&mut self, patience: Duration) -> Arrival {
        tokio::time::timeout(patience, self.arrivals.recv()).await.expect("no callback came").unwrap()
    }

    /// Whether nothing (more) comes for so long.
    pub async fn stays_quiet(&mut self, patience: Duration) -> bool {
        tokio::time::timeout(patience, self.arrivals.recv()).await.is_err()
    }
}

async fn serve(
    mut stream: TcpStream,
    status: u16,
    sender: mpsc::UnboundedSender<Arrival>,
) -> std::io::Result<()> {
    let mut bytes = Vec::new();
    let head = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        if stream.read_buf(&mut bytes).await? == 0 {
            return Ok(());
        }
    };
    let text = String::from_utf8_lossy(&bytes[..head]).into_owned();
    let headers: Vec<(String, String)> = text
        .lines()
        .skip(1)
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let length: usize = headers.iter().find(|(name, _)| name == "content-length").unwrap().1.parse().unwrap();
    while bytes.len() < head + 4 + length {
        if stream.read_buf(&mut bytes).await? == 0 {
            return Ok(());
        }
    }
    let body = bytes[head + 4..].to_vec();
    let _ = sender.send(Arrival { at: Instant::now(), headers, body });
    stream.write_all(format!("HTTP/1.1 {status} Said\r\nContent-Length: 0\r\n\r\n").as_bytes()).await
}
