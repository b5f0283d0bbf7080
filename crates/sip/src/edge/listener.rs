//! Accepting streams: of peers alone, within the limits, and read in small pieces.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use rsipstack::platform::CancellationToken;
use rsipstack::transport::stream::StreamConnection;
use rsipstack::transport::tcp::TcpConnection;
use rsipstack::transport::{SipAddr, SipConnection};
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Instant;

use super::admission::Admission;
use super::connections::{ConnectionPermit, Connections};
use super::dispatcher::MessageDispatcher;
use super::drops::DropReason;
use super::framing::{Frame, Framer};
use super::{Edge, StreamLimits};

/// What is read at once.
const PIECE: usize = 4 * 1024;

/// What is left to write when a stream is closed has so long.
const CLOSING: Duration = Duration::from_secs(2);

/// An answer that cannot be written for so long shows that the peer does not read.
const WRITTEN_WITHIN: Duration = Duration::from_secs(5);

/// Out of descriptors: accepting again at once would only spin.
const PAUSE: Duration = Duration::from_millis(50);

/// Accepts streams.
pub(crate) struct Listener {
    pub(crate) socket: TcpListener,
    pub(crate) local: SocketAddr,
    pub(crate) edge: Arc<Edge>,
    pub(crate) limits: StreamLimits,
    pub(crate) dispatcher: Arc<MessageDispatcher>,
    pub(crate) stop: CancellationToken,
}

impl Listener {
    /// Accepts until it is stopped.
    pub(crate) async fn accept(self) {
        let permits = Connections::new(self.limits.total, self.limits.per_address);
        loop {
            let accepted = tokio::select! {
                accepted = self.socket.accept() => accepted,
                () = self.stop.cancelled() => return,
            };
            match accepted {
                Ok((stream, from)) => self.take(stream, from, &permits),
                Err(error) => {
                    tracing::warn!(%error, "a SIP connection could not be accepted");
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }

    fn take(&self, stream: TcpStream, from: SocketAddr, permits: &Arc<Connections>) {
        if !self.edge.peers.admit(from) {
            return self.refuse(&stream, from, DropReason::StrangerConnection);
        }
        let stop = self.stop.child_token();
        let Some(permit) = permits.permit(from.ip(), stop.clone(), Instant::now()) else {
            return self.refuse(&stream, from, DropReason::ConnectionLimit);
        };
        let local = SipAddr { r#type: Some(rsipstack::sip::Transport::Tcp), addr: self.local.into() };
        match TcpConnection::from_stream(stream, local, Some(stop.clone())) {
            Ok(connection) => {
                let (edge, limits, dispatcher) = (self.edge.clone(), self.limits, self.dispatcher.clone());
                let accepted = Accepted { connection, from, edge, limits, dispatcher, permit };
                tokio::spawn(accepted.serve(stop));
            }
            Err(error) => tracing::debug!(%from, %error, "a SIP connection was gone at once"),
        }
    }

    fn refuse(&self, stream: &TcpStream, from: SocketAddr, why: DropReason) {
        // A reset leaves nothing of it behind, neither here nor in the kernel.
        let _ = SockRef::from(stream).set_linger(Some(Duration::ZERO));
        self.edge.drops.count(why, from);
    }
}

struct Accepted {
    connection: TcpConnection,
    from: SocketAddr,
    edge: Arc<Edge>,
    limits: StreamLimits,
    dispatcher: Arc<MessageDispatcher>,
    permit: ConnectionPermit,
}

/// What was whole in a buffer.
#[derive(Default)]
struct Taken {
    bytes: usize,
    messages: usize,
    pings: usize,
}

impl Accepted {
    async fn serve(self, stop: CancellationToken) {
        // Cancelled on every way out of here: its flow must not be used again.
        let _broken = stop.clone().drop_guard();
        let Some(reader) = self.connection.inner.read_half.lock().await.take() else { return };
        let ended = tokio::select! {
            ended = self.read(reader) => ended,
            () = stop.cancelled() => Ok(()),
        };
        if let Err(error) = ended {
            tracing::debug!(from = %self.from, %error, "a SIP stream was closed");
        }
        let _ = tokio::time::timeout(CLOSING, self.connection.close()).await;
    }

    /// Reads until the peer closes, or does what it may not.
    async fn read(&self, mut reader: impl AsyncRead + Unpin) -> io::Result<()> {
        let (mut stream, mut framer) = (Vec::new(), Framer::default());
        let mut piece = [0; PIECE];
        let mut greeted = false;
        let mut idle_until = Instant::now() + self.limits.message_within;
        let mut whole_until = None;
        loop {
            let until = whole_until.map_or(idle_until, |whole: Instant| whole.min(idle_until));
            let Ok(read) = tokio::time::timeout_at(until, reader.read(&mut piece)).await else {
                return Err(self.late());
            };
            let Some(read) = piece.get(..read?).filter(|read| !read.is_empty()) else { return Ok(()) };
            stream.extend_from_slice(read);
            let taken = self.take_all(&stream, &mut framer).await?;
            stream.drain(..taken.bytes);
            let now = Instant::now();
            greeted |= taken.messages > 0;
            // A keep-alive is no first message.
            if greeted && taken.messages + taken.pings > 0 {
                idle_until = now + self.limits.idle;
                self.permit.used(now);
            }
            if stream.trim_ascii().is_empty() {
                whole_until = None;
                // A silent peer's buffer is small.
                stream.shrink_to(PIECE);
            } else if taken.bytes > 0 || whole_until.is_none() {
                whole_until = Some(now + self.limits.message_within);
            }
        }
    }

    /// Works off what is whole.
    async fn take_all(&self, stream: &[u8], framer: &mut Framer) -> io::Result<Taken> {
        let mut taken = Taken::default();
        loop {
            let rest = stream.get(taken.bytes..).unwrap_or_default();
            let length = match framer.next(rest, self.limits.longest_message) {
                Frame::Partial => return Ok(taken),
                Frame::Unusable => return Err(self.malformed()),
                Frame::Filler(length) => length,
                Frame::Ping(length) => {
                    taken.pings += 1;
                    self.in_time(self.connection.send_raw(b"\r\n")).await?.map_err(io::Error::other)?;
                    length
                }
                Frame::Message(length) => {
                    taken.messages += 1;
                    self.take(rest.get(..length).unwrap_or_default()).await?;
                    length
                }
            };
            taken.bytes += length;
        }
    }

    async fn take(&self, message: &[u8]) -> io::Result<()> {
        let is_peer = || self.edge.peers.admit(self.from);
        let admission = match self.edge.judge(message, self.from, is_peer, Instant::now()) {
            Ok(admission @ (Admission::Live | Admission::Peer)) => admission,
            // The trunk may have gone since it connected.
            Err(DropReason::Malformed | DropReason::Stranger) => return Err(unusable()),
            Ok(_) | Err(_) => return Ok(()),
        };
        let connection = SipConnection::Tcp(self.connection.clone());
        let parsed = MessageDispatcher::parse(message, self.from, &connection);
        let Some(parsed) = parsed else { return Err(self.malformed()) };
        self.in_time(self.dispatcher.dispatch(admission, parsed, connection, self.from)).await
    }

    async fn in_time<T>(&self, writing: impl Future<Output = T>) -> io::Result<T> {
        tokio::time::timeout(WRITTEN_WITHIN, writing).await.map_err(|_| self.late())
    }

    fn late(&self) -> io::Error {
        self.edge.drops.count(DropReason::IdleConnection, self.from);
        io::ErrorKind::TimedOut.into()
    }

    fn malformed(&self) -> io::Error {
        self.edge.drops.count(DropReason::Malformed, self.from);
        unusable()
    }
}

fn unusable() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "no SIP message that is taken")
}
