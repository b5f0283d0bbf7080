//! Reading the UDP socket: a thread of its own empties it, drops what is not admitted, and queues the
//! rest, so that a flood costs neither the calls' tasks nor the kernel's small buffer much.

use std::io;
use std::net::{SocketAddr, UdpSocket as StdUdpSocket};
use std::sync::Arc;

use rsipstack::platform::CancellationToken;
use rsipstack::transport::SipConnection;
use tokio::net::UdpSocket;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::Edge;
use super::admission::Admission;
use super::drops::DropReason;
use super::inlet::Inlet;

/// A datagram that is longer is dropped.
const LONGEST_DATAGRAM: usize = 16 * 1024;

/// Datagrams of our transactions and dialogs that may wait; more are dropped and come again.
const WAITING_LIVE: usize = 1_024;

/// Datagrams of peers outside of our dialogs that may wait.
const WAITING_PEERS: usize = 128;

/// Datagrams that are read before the thread looks whether it is to end.
const AT_ONCE: usize = 64;

struct Datagram {
    bytes: Box<[u8]>,
    from: SocketAddr,
}

/// The socket, and what was admitted.
pub(crate) struct Intake {
    pub(crate) socket: Arc<UdpSocket>,
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
        let run = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build();
            let runtime = match runtime {
                Ok(runtime) => runtime,
                Err(error) => {
                    let _ = ready.send(Err(error));
                    return;
                }
            };
            let reading = async {
                let socket = match UdpSocket::from_std(socket) {
                    Ok(socket) => Arc::new(socket),
                    Err(error) => {
                        let _ = ready.send(Err(error));
                        return;
                    }
                };
                if ready.send(Ok(socket.clone())).is_ok() {
                    let reader = Reader { socket, edge, live: live_queue, peers: peer_queue };
                    reader.read(stop).await;
                }
            };
            runtime.block_on(reading);
        };
        std::thread::Builder::new().name("sip-intake".to_owned()).spawn(run)?;
        let socket = socket_ready.await.map_err(io::Error::other)??;
        Ok(Self { socket, live, peers })
    }

    /// Works off what was admitted, our own first, until the thread ends.
    pub(crate) async fn work_off(mut self, inlet: Arc<Inlet>, connection: SipConnection) {
        loop {
            let (admission, datagram) = tokio::select! {
                biased;
                datagram = self.live.recv() => (Admission::Live, datagram),
                datagram = self.peers.recv() => (Admission::Peer, datagram),
            };
            let Some(Datagram { bytes, from }) = datagram else { return };
            if let Some(message) = Inlet::parse(&bytes, from, &connection) {
                inlet.take(admission, message, connection.clone(), from).await;
            }
        }
    }
}

struct Reader {
    socket: Arc<UdpSocket>,
    edge: Arc<Edge>,
    live: mpsc::Sender<Datagram>,
    peers: mpsc::Sender<Datagram>,
}

impl Reader {
    async fn read(self, stop: CancellationToken) {
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
        let is_peer = self.edge.peers.admit(from);
        // Some peers put empty lines before the start line (RFC 3261 §7.5).
        let message = datagram.trim_ascii_start();
        if message.is_empty() && is_peer {
            self.answer_ping(datagram, from, now);
            return;
        }
        if datagram.len() > LONGEST_DATAGRAM {
            self.edge.drops.count(if is_peer { DropReason::Malformed } else { DropReason::Stranger }, from);
            return;
        }
        let queue = match self.edge.judge(message, from, is_peer, now) {
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
        if datagram == b"\r\n\r\n" && self.edge.within_limits(from, now) {
            // It asks again when this is lost.
            let _ = self.socket.try_send_to(b"\r\n", from);
        }
    }
}
