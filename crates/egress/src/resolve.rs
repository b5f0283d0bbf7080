//! Looking names up, as a seam: tests answer for names of their own.

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::Semaphore;

/// Looks names up.
#[async_trait]
pub trait Resolve: Send + Sync {
    /// Every address of `host`, in the order of preference, each with `port`.
    async fn resolve(&self, host: &str, port: u16) -> io::Result<Vec<SocketAddr>>;
}

/// How many lookups may be under way at once: each holds a blocking thread until the system gives
/// up, which can be long after its try has timed out.
const LOOKUPS: usize = 64;

/// The system's resolver (`getaddrinfo`), so that `/etc/hosts` and the operator's DNS setup hold.
#[derive(Clone, Debug)]
pub struct SystemResolver {
    free: Arc<Semaphore>,
}

impl Default for SystemResolver {
    fn default() -> Self {
        Self { free: Arc::new(Semaphore::new(LOOKUPS)) }
    }
}

#[async_trait]
impl Resolve for SystemResolver {
    async fn resolve(&self, host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
        let permit = Arc::clone(&self.free).acquire_owned().await.map_err(io::Error::other)?;
        let host = host.to_owned();
        let lookup = tokio::task::spawn_blocking(move || {
            // The permit goes with the thread, not with the try that may be dropped before.
            let _permit = permit;
            (host.as_str(), port).to_socket_addrs().map(Iterator::collect)
        });
        lookup.await.map_err(io::Error::other)?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_system_knows_its_own_name_and_reads_literals() {
        let resolver = SystemResolver::default();
        let own = resolver.resolve("localhost", 81).await.unwrap();
        assert!(!own.is_empty());
        assert!(own.iter().all(|address| address.ip().is_loopback() && address.port() == 81));
        let literal = resolver.resolve("192.0.2.7", 82).await.unwrap();
        assert_eq!(literal, ["192.0.2.7:82".parse().unwrap()]);
        assert!(resolver.resolve("", 83).await.is_err());
    }

    #[tokio::test]
    async fn a_lookup_gives_its_place_back() {
        let resolver = SystemResolver { free: Arc::new(Semaphore::new(1)) };
        for _ in 0..3 {
            resolver.resolve("127.0.0.1", 80).await.unwrap();
        }
    }
}
