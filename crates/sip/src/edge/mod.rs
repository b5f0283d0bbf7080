//! The edge of the SIP side: what comes from the network is scanned, admitted or dropped before
//! anything parses it, and everything that a stranger could fill has a bound.

mod admission;
mod connections;
mod dispatcher;
mod drops;
mod framing;
mod intake;
mod limits;
mod listener;
mod live;
mod outgoing;
mod peers;
mod refusal;
mod scan;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

pub use admission::{Admission, Lookup, Standing, admit};
pub use connections::{ConnectionPermit, Connections};
pub(crate) use dispatcher::MessageDispatcher;
pub use drops::{DropCounts, DropReason, Drops};
pub use framing::{Frame, Framer};
pub(crate) use intake::Intake;
pub use limits::{Bucket, PeerLimits, PeerRates, Rate};
pub(crate) use listener::Listener;
pub use live::{Live, LiveName};
pub(crate) use outgoing::read as read_stream;
pub use peers::Peers;
pub use scan::{LONGEST_HEAD, Named, Start, scan};

/// Between two lines of the log about what was dropped.
const LOG_EVERY: Duration = Duration::from_mins(1);

/// Who is heard.
#[derive(Clone)]
pub enum Heard {
    /// Everybody, without bounds: a telephone for tests.
    Everybody,
    /// One address alone, over UDP alone.
    Only(SocketAddr),
    /// What belongs to our transactions and dialogs, and configured peers, within these bounds.
    Peers(Arc<Edge>, StreamLimits),
}

/// Bounds of the streams that are accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamLimits {
    /// Connections at a time.
    pub total: usize,
    /// Connections of one address at a time.
    pub per_address: usize,
    /// From the connection, or from a message's first byte, to the end of that message.
    pub message_within: Duration,
    /// Without a message or keep-alive for so long, a connection is closed.
    pub idle: Duration,
    /// Bytes of one message, head and body together.
    pub longest_message: usize,
}

impl Default for StreamLimits {
    fn default() -> Self {
        Self {
            total: 256,
            per_address: 32,
            message_within: Duration::from_secs(10),
            idle: Duration::from_mins(5),
            longest_message: 64 * 1024,
        }
    }
}

/// What admits messages.
pub struct Edge {
    /// The names of our transactions and dialogs.
    pub live: Arc<Live>,
    /// The configured peers.
    pub peers: Peers,
    /// What was dropped.
    pub drops: Drops,
    rates: PeerRates,
    limits: Mutex<PeerLimits>,
}

impl Edge {
    /// An edge without any peer; names are known for `linger` beyond their end.
    pub fn new(linger: Duration, rates: PeerRates) -> Arc<Self> {
        Arc::new(Self {
            live: Live::new(linger),
            peers: Peers::default(),
            drops: Drops::default(),
            rates,
            limits: Mutex::default(),
        })
    }

    /// Judges a datagram or a message of a stream. What is dropped is counted; what is admitted, or
    /// [`Admission::Absorbed`], is not. What is no SIP message costs no look for peers.
    pub fn judge(
        &self,
        message: &[u8],
        from: SocketAddr,
        is_peer: impl FnOnce() -> bool,
        now: Instant,
    ) -> Result<Admission, DropReason> {
        let admission = scan(message).map(|named| admit(&named, &*self.live, is_peer, now));
        let why = match admission {
            Some(Admission::Peer) if !self.within_limits(from, now) => DropReason::PeerLimit,
            Some(Admission::Overrun) => DropReason::DialogLimit,
            // Whatever a stranger sends, it need not be understood.
            Some(Admission::Stranger) => DropReason::Stranger,
            None => DropReason::Malformed,
            Some(admission) => return Ok(admission),
        };
        self.drops.count(why, from);
        Err(why)
    }

    /// Whether a peer may ask for something more, outside of our dialogs.
    pub(crate) fn within_limits(&self, from: SocketAddr, now: Instant) -> bool {
        self.limits.lock().take(self.rates, from.ip().to_canonical(), now)
    }

    /// Logs once a minute what was dropped, until the edge is gone.
    pub(crate) async fn log(edge: std::sync::Weak<Self>) {
        let mut counts = DropCounts::default();
        loop {
            tokio::time::sleep(LOG_EVERY).await;
            let Some(edge) = edge.upgrade() else { return };
            counts = edge.drops.log_since(counts);
        }
    }
}
