//! A listener that must not be sent a key.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use url::Url;

/// Takes connections, and keeps who made them.
pub struct Decoy {
    address: SocketAddr,
    seen: mpsc::UnboundedReceiver<SocketAddr>,
}

impl Decoy {
    /// One that closes every connection.
    pub async fn start() -> Self {
        Self::answering(String::new()).await
    }

    /// One that sends everybody elsewhere.
    pub async fn redirecting_to(url: &Url) -> Self {
        Self::answering(format!(
            "HTTP/1.1 307 Temporary Redirect\r\nLocation: {url}\r\nContent-Length: 0\r\n\r\n"
        ))
        .await
    }

    async fn answering(answer: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (told, seen) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            while let Ok((mut connection, from)) = listener.accept().await {
                let _ = told.send(from);
                if !answer.is_empty() {
                    let answer = answer.clone();
                    tokio::spawn(async move {
                        let mut head = Vec::new();
                        while !head.windows(4).any(|end| end == b"\r\n\r\n") {
                            if connection.read_buf(&mut head).await.unwrap_or(0) == 0 {
                                return;
                            }
                        }
                        let _ = connection.write_all(answer.as_bytes()).await;
                        let _ = connection.shutdown().await;
                    });
                }
            }
        });
        Self { address, seen }
    }

    /// Its address.
    pub fn url(&self, scheme: &str) -> Url {
        Url::parse(&format!("{scheme}://{}/v1", self.address)).unwrap()
    }

    /// Nobody connected: connections are taken in the order of arrival, and our own is the first.
    pub async fn saw_nothing(mut self) {
        let own = TcpStream::connect(self.address).await.unwrap();
        assert_eq!(self.seen.recv().await, Some(own.local_addr().unwrap()));
    }
}
