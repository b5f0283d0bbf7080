//! A listener inside the forbidden network that must never be connected to.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

pub struct Decoy {
    pub port: u16,
    v4: TcpListener,
    v6: TcpListener,
}

impl Decoy {
    /// Listens on `::1` and on every IPv4 address of this machine, on one port.
    pub async fn new() -> Self {
        for _ in 0..50 {
            // Not `[::]`, which would take the IPv4 side of the port as well.
            let v6 = TcpListener::bind("[::1]:0").await.unwrap();
            let port = v6.local_addr().unwrap().port();
            if let Ok(v4) = TcpListener::bind(("0.0.0.0", port)).await {
                return Self { port, v4, v6 };
            }
        }
        panic!("no port is free on both address families");
    }

    /// Asserts that nobody ever connected: connections are handed out in the order of arrival, so
    /// our own must be the first.
    pub async fn saw_nothing(self) {
        for (listener, address) in [(&self.v4, "127.0.0.1"), (&self.v6, "::1")] {
            let mut own = TcpStream::connect((address, self.port)).await.unwrap();
            own.write_all(b"own").await.unwrap();
            own.shutdown().await.unwrap();
            let (mut first, _) = listener.accept().await.unwrap();
            let mut said = Vec::new();
            // A stranger's connection may have broken by now; that counts as not ours.
            let _ = first.read_to_end(&mut said).await;
            assert_eq!(String::from_utf8_lossy(&said), "own", "the decoy on {address} saw a connection");
        }
    }
}
