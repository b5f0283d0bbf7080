//! The streams that we opened: one for each peer, forgotten when it ends or cannot be opened. Contacts of
//! the other side name peers too, so that what is remembered would grow without end.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;

use domain::trunk::Transport;
use parking_lot::Mutex;
use rsipstack::transport::SipConnection;

/// Transport, peer, and the name that its certificate must carry.
pub(crate) type StreamKey = (Transport, SocketAddr, String);

type Slot = Arc<tokio::sync::Mutex<Option<SipConnection>>>;

/// The streams that are open, or being opened.
#[derive(Default)]
pub(crate) struct OpenStreams(Mutex<HashMap<StreamKey, Entry>>);

#[derive(Default)]
struct Entry {
    slot: Slot,
    references: usize,
}

impl OpenStreams {
    /// The place of a peer's stream; it is forgotten with the last reference.
    pub(crate) fn of(self: &Arc<Self>, key: StreamKey) -> StreamRef {
        let mut entries = self.0.lock();
        let entry = entries.entry(key.clone()).or_default();
        entry.references += 1;
        StreamRef { streams: self.clone(), slot: entry.slot.clone(), key }
    }

    /// How many are known.
    pub(crate) fn len(&self) -> usize {
        self.0.lock().len()
    }
}

/// Keeps the place of a peer's stream.
pub(crate) struct StreamRef {
    streams: Arc<OpenStreams>,
    /// One opener a peer: the others wait for its stream.
    pub(crate) slot: Slot,
    key: StreamKey,
}

impl Clone for StreamRef {
    fn clone(&self) -> Self {
        self.streams.of(self.key.clone())
    }
}

impl Drop for StreamRef {
    fn drop(&mut self) {
        let mut entries = self.streams.0.lock();
        let Some(entry) = entries.get_mut(&self.key) else { return };
        entry.references = entry.references.saturating_sub(1);
        if entry.references == 0 {
            entries.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::net::TcpListener;

    use crate::edge::{Edge, Heard, PeerRates, StreamLimits};
    use crate::stack::{Stack, StackSettings, Transport};
    use crate::timers::TransactionTimers;

    const PATIENCE: Duration = Duration::from_secs(10);

    async fn stack(heard: Heard) -> std::sync::Arc<Stack> {
        let timers = TransactionTimers::default();
        let listen = ([127, 0, 0, 1], 0).into();
        let settings = StackSettings { listen, public_address: None, tls: None, heard, timers };
        Stack::start(settings, None).await.unwrap().0
    }

    async fn both() -> [std::sync::Arc<Stack>; 2] {
        let edge = Edge::new(Duration::from_secs(1), PeerRates::default());
        let peers = Heard::Peers(edge, StreamLimits::default());
        [stack(peers).await, stack(Heard::Everybody).await]
    }

    async fn forgotten(stack: &Stack) {
        let forgotten = async {
            while stack.streams() > 0 {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(PATIENCE, forgotten).await.expect("a stream is remembered");
    }

    #[tokio::test]
    async fn peers_that_cannot_be_reached_are_not_remembered() {
        for stack in both().await {
            for _ in 0..20 {
                let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
                assert!(stack.flow(Transport::Tcp, closed, "h").await.is_err());
                // TLS is not configured.
                assert!(stack.flow(Transport::Tls, closed, "h").await.is_err());
            }
            assert_eq!(stack.streams(), 0);
        }
    }

    #[tokio::test]
    async fn an_opening_that_is_given_up_is_not_remembered() {
        let [stack, _] = both().await;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let opening = stack.flow(Transport::Tcp, listener.local_addr().unwrap(), "h");
        tokio::select! {
            biased;
            _ = opening => panic!("it cannot be open yet"),
            () = std::future::ready(()) => {}
        }
        assert_eq!(stack.streams(), 0);
    }

    #[tokio::test]
    async fn a_stream_is_shared_until_it_ends_and_forgotten_then() {
        for stack in both().await {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let peer = listener.local_addr().unwrap();
            let (first, second) =
                tokio::join!(stack.flow(Transport::Tcp, peer, "h"), stack.flow(Transport::Tcp, peer, "h"));
            let (accepted, _) = listener.accept().await.unwrap();
            assert!(first.is_ok() && second.is_ok() && stack.streams() == 1);
            assert!(stack.flow(Transport::Tcp, peer, "h").await.is_ok());
            drop(accepted);
            forgotten(&stack).await;
        }
    }
}
