//! Connecting to the first of several vetted addresses that answers (RFC 8305, Happy Eyeballs).

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::net::TcpStream;
use tokio::time::timeout;

/// How long an address is tried alone before the next one joins (RFC 8305 §5).
const HEAD_START: Duration = Duration::from_millis(250);

/// How many addresses of one name are tried: the receiver's DNS decides how many there are.
const MOST: usize = 8;

/// Connects to one of `addresses` and to nothing else.
pub(crate) async fn connect(addresses: &[SocketAddr]) -> io::Result<TcpStream> {
    let mut waiting = by_turns(addresses).into_iter().take(MOST);
    let mut attempts = FuturesUnordered::new();
    let mut failure = io::Error::from(io::ErrorKind::AddrNotAvailable);
    loop {
        attempts.extend(waiting.next().map(TcpStream::connect));
        let first = if waiting.len() == 0 {
            attempts.next().await
        } else if let Ok(first) = timeout(HEAD_START, attempts.next()).await {
            first
        } else {
            continue;
        };
        match first {
            Some(Ok(stream)) => {
                // The request is one small write: it must not wait for an acknowledgement.
                stream.set_nodelay(true)?;
                return Ok(stream);
            }
            Some(Err(error)) => failure = error,
            None => return Err(failure),
        }
    }
}

/// Lets the address families take turns (RFC 8305 §4), so that a broken one costs one head start.
fn by_turns(addresses: &[SocketAddr]) -> Vec<SocketAddr> {
    let first_is_v6 = addresses.first().is_some_and(SocketAddr::is_ipv6);
    let (mut own, mut other): (Vec<_>, Vec<_>) =
        addresses.iter().copied().partition(|address| address.is_ipv6() == first_is_v6);
    let mut ordered = Vec::with_capacity(addresses.len());
    own.reverse();
    other.reverse();
    while !(own.is_empty() && other.is_empty()) {
        ordered.extend(own.pop());
        ordered.extend(other.pop());
    }
    ordered
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_families_take_turns_beginning_with_the_preferred_one() {
        let all: Vec<SocketAddr> = ["[::1]:1", "[::2]:1", "[::3]:1", "127.0.0.1:1", "127.0.0.2:1"]
            .iter()
            .map(|text| text.parse().unwrap())
            .collect();
        let order: Vec<String> = by_turns(&all).iter().map(|address| address.ip().to_string()).collect();
        assert_eq!(order, ["::1", "127.0.0.1", "::2", "127.0.0.2", "::3"]);
    }

    #[tokio::test]
    async fn a_dead_address_gives_way_to_the_next() {
        let dead = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let gone = dead.local_addr().unwrap();
        drop(dead);
        let alive = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let stream = connect(&[gone, alive.local_addr().unwrap()]).await.unwrap();
        assert_eq!(stream.peer_addr().unwrap(), alive.local_addr().unwrap());
    }

    #[tokio::test]
    async fn when_all_are_dead_the_last_failure_is_told() {
        let dead = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let gone = dead.local_addr().unwrap();
        drop(dead);
        let failure = connect(&[gone, gone]).await.unwrap_err();
        assert_eq!(failure.kind(), io::ErrorKind::ConnectionRefused);
    }
}
