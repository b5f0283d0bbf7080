//! Reading the UDP socket: a thread of its own empties it, drops what is not admitted, and queues the
//! rest, so that a flood costs neither the calls' tasks nor the kernel's small buffer much.

use std::io;
use std::net::{SocketAddr, UdpSocket as StdUdpSocket};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use rsipstack::platform::CancellationToken;
use rsipstack::transport::SipConnection;
use tokio::net::UdpSocket;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{Mutex, mpsc, oneshot};
use tokio::time::Instant;

use super::Edge;
use super::admission::Admission;
use super::dispatcher::MessageDispatcher;
use super::drops::DropReason;

/// A datagram that is longer is dropped.
const LONGEST_DATAGRAM: usize = 16 * 1024;

/// Datagrams of our transactions and dialogs that may wait; more are dropped and come again.
const WAITING_LIVE: usize = 1_024;

/// Datagrams of peers outside of our dialogs that may wait.
const WAITING_PEERS: usize = 128;

/// Datagrams that are read before the thread looks whether it is to end.
const AT_ONCE: usize = 64;

/// After reading failed: trying again at once would only spin.
const PAUSE: Duration = Duration::from_millis(20);

struct Datagram {
    bytes: Box<[u8]>,
    from: SocketAddr,
}

/// The socket, and what was admitted.
pub(crate) struct Intake {
    pub(crate) socket: Arc<UdpSocket>,
    queues: Queues,
}

struct Queues {
    live: mpsc::Receiver<Datagram>,
    peers: mpsc::Receiver<Datagram>,
}

impl Intake {
    /// Begins to read a bound socket that does not block, until `stop`.
    pub(crate) async fn start(
        socket: StdUdpSocket,
        edge: Arc<Edge>,
        stop: CancellationToken,
    ) -> io::Result<Self> {
        let (live_queue, live) = mpsc::channel(WAITING_LIVE);
        let (peer_queue, peers) = mpsc::channel(WAITING_PEERS);
        let (ready, socket_ready) = oneshot::channel();
        let run = move || match open(socket) {
            Ok((runtime, socket)) => {
                let reader = Reader { socket: socket.clone(), edge, live: live_queue, peers: peer_queue };
                if ready.send(Ok(socket)).is_ok() {
                    until_stopped(&stop, || runtime.block_on(reader.read(&stop)));
                }
            }
            Err(error) => {
                let _ = ready.send(Err(error));
            }
        };
        std::thread::Builder::new().name("sip-intake".to_owned()).spawn(run)?;
        let socket = socket_ready.await.map_err(io::Error::other)??;
        Ok(Self { socket, queues: Queues { live, peers } })
    }

    /// Works off what was admitted, our own first, until the thread ends.
    pub(crate) async fn process(self, dispatcher: Arc<MessageDispatcher>, connection: SipConnection) {
        let queues = Arc::new(Mutex::new(self.queues));
        // A message on which the library panics must not end the hearing of all others.
        loop {
            let working = process(queues.clone(), dispatcher.clone(), connection.clone());
            match tokio::spawn(working).await {
                Err(error) if error.is_panic() => tracing::error!("working off a SIP message failed"),
                _ => return,
            }
        }
    }
}

/// Reads again when reading failed: a node that is deaf and looks well would take calls and lose them.
fn until_stopped(stop: &CancellationToken, mut read: impl FnMut()) {
    loop {
        let ended = catch_unwind(AssertUnwindSafe(&mut read));
        if stop.is_cancelled() {
            return;
        }
        let has_panicked = ended.is_err();
        tracing::error!(has_panicked, "the SIP socket was not read and is read again");
        std::thread::sleep(PAUSE);
    }
}

/// The thread's own runtime, and the socket on it.
fn open(socket: StdUdpSocket) -> io::Result<(Runtime, Arc<UdpSocket>)> {
    let runtime = Builder::new_current_thread().enable_io().build()?;
    let socket = {
        let _entered = runtime.enter();
        UdpSocket::from_std(socket)?
    };
    Ok((runtime, Arc::new(socket)))
}

async fn process(queues: Arc<Mutex<Queues>>, dispatcher: Arc<MessageDispatcher>, connection: SipConnection) {
    let mut queues = queues.lock().await;
    while let Some((admission, Datagram { bytes, from })) = queues.next().await {
        if let Some(message) = MessageDispatcher::parse(&bytes, from, &connection) {
            dispatcher.dispatch(admission, message, connection.clone(), from).await;
        }
    }
}

impl Queues {
    async fn next(&mut self) -> Option<(Admission, Datagram)> {
        let (admission, datagram) = tokio::select! {
            biased;
            datagram = self.live.recv() => (Admission::Live, datagram),
            datagram = self.peers.recv() => (Admission::Peer, datagram),
        };
        Some((admission, datagram?))
    }
}

struct Reader {
    socket: Arc<UdpSocket>,
    edge: Arc<Edge>,
    live: mpsc::Sender<Datagram>,
    peers: mpsc::Sender<Datagram>,
}

impl Reader {
    async fn read(&self, stop: &CancellationToken) {
        // One byte more shows what is too long.
        let mut buffer = vec![0; LONGEST_DATAGRAM + 1];
        loop {
            let readable = tokio::select! {
                () = stop.cancelled() => return,
                readable = self.socket.readable() => readable,
            };
            if let Err(error) = readable {
                tracing::error!(%error, "the SIP socket cannot be read");
                return;
            }
            for _ in 0..AT_ONCE {
                match self.socket.try_recv_from(&mut buffer) {
                    Ok((length, from)) => self.take(buffer.get(..length).unwrap_or_default(), from),
                    // Either nothing is left, or one datagram could not be received.
                    Err(_) => break,
                }
            }
            // Lets the runtime look at its sockets, on which senders may wait.
            tokio::task::yield_now().await;
        }
    }

    fn take(&self, datagram: &[u8], from: SocketAddr) {
        let now = Instant::now();
        // Some peers put empty lines before the start line (RFC 3261 §7.5).
        let message = datagram.trim_ascii_start();
        if datagram.len() > LONGEST_DATAGRAM {
            self.edge.drops.count(DropReason::Malformed, from);
            return;
        }
        if message.is_empty() {
            self.answer_ping(datagram, from, now);
            return;
        }
        let queue = match self.edge.judge(message, from, || self.edge.peers.admit(from), now) {
            Ok(Admission::Live) => &self.live,
            Ok(Admission::Peer) => &self.peers,
            _ => return,
        };
        let Ok(place) = queue.try_reserve() else {
            self.edge.drops.count(DropReason::QueueFull, from);
            return;
        };
        place.send(Datagram { bytes: message.into(), from });
    }

    /// A peer's keep-alive (RFC 5626 §3.5.1, which only streams must answer) opens its firewall.
    fn answer_ping(&self, datagram: &[u8], from: SocketAddr, now: Instant) {
        if !self.edge.peers.admit(from) {
            self.edge.drops.count(DropReason::Stranger, from);
        } else if datagram == b"\r\n\r\n" && self.edge.within_limits(from, now) {
            // It asks again when this is lost.
            let _ = self.socket.try_send_to(b"\r\n", from);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_goes_on_after_an_error_and_after_a_panic() {
        let (stop, mut reads) = (CancellationToken::new(), 0);
        until_stopped(&stop, || {
            reads += 1;
            match reads {
                1 => {}
                2 => panic!("of the test"),
                _ => stop.cancel(),
            }
        });
        assert_eq!(reads, 3);
    }
}
