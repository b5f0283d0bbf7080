//! Callback receivers that do exactly what a test wants, byte by byte.

use std::pin::Pin;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

pub trait Wire: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Wire for T {}
pub type Stream = Box<dyn Wire>;

/// What a receiver saw of one connection.
#[derive(Debug)]
pub struct Seen {
    /// Request line and header lines, as they came.
    pub head: String,
    pub body: Vec<u8>,
    /// How the connection ended: `Some(0)` more bytes and an orderly end, or none when it broke.
    pub after: Option<usize>,
}

impl Seen {
    /// Every value of a header.
    pub fn header(&self, name: &str) -> Vec<&str> {
        let fields = self.head.lines().skip(1).filter_map(|line| line.split_once(": "));
        fields.filter(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value).collect()
    }
}

pub struct Receiver {
    pub port: u16,
    seen: mpsc::UnboundedReceiver<Seen>,
    task: JoinHandle<()>,
}

impl Receiver {
    /// Answers every request with `answer` and waits for the other side to close.
    pub async fn answering(address: &str, tls: Option<TlsAcceptor>, answer: &'static [u8]) -> Self {
        let listener = TcpListener::bind(address).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (report, seen) = mpsc::unbounded_channel();
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (report, tls) = (report.clone(), tls.clone());
                tokio::spawn(async move {
                    let mut stream: Stream = match tls {
                        Some(tls) => match tls.accept(stream).await {
                            Ok(stream) => Box::new(stream),
                            Err(_) => return,
                        },
                        None => Box::new(stream),
                    };
                    let (head, body) = read_request(&mut stream).await;
                    // A client that wants no body may close while it is being sent.
                    let _ = stream.write_all(answer).await;
                    let after = stream.read_to_end(&mut Vec::new()).await.ok();
                    let _ = report.send(Seen { head, body, after });
                });
            }
        });
        Self { port, seen, task }
    }

    /// Gives each connection to `behave`, and keeps nothing.
    pub async fn behaving<B, F>(behave: B) -> Self
    where
        B: Fn(Stream) -> F + Send + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let behaviour: Pin<Box<dyn Future<Output = ()> + Send>> = Box::pin(behave(Box::new(stream)));
                tokio::spawn(behaviour);
            }
        });
        Self { port, seen: mpsc::unbounded_channel().1, task }
    }

    /// The next connection that is over.
    pub async fn next(&mut self) -> Seen {
        tokio::time::timeout(std::time::Duration::from_secs(10), self.seen.recv())
            .await
            .expect("a request within 10 s")
            .expect("the receiver lives")
    }

    /// Whether nothing more was seen until now.
    pub fn is_idle(&mut self) -> bool {
        self.seen.try_recv().is_err()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Reads one request with a `Content-Length`.
pub async fn read_request(stream: &mut Stream) -> (String, Vec<u8>) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    let head = String::from_utf8(head).unwrap();
    let length = head
        .lines()
        .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok())
        .expect("a Content-Length");
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.unwrap();
    (head, body)
}
