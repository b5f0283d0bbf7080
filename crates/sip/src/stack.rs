//! The sockets and the transaction layer: one rsipstack endpoint on UDP and TCP, with TLS towards
//! peers, shared by everything that speaks SIP.

use std::io;
use std::net::{IpAddr, SocketAddr, UdpSocket as StdUdpSocket};
use std::sync::Arc;

use async_trait::async_trait;
use rsipstack::EndpointBuilder;
use rsipstack::platform::CancellationToken;
use rsipstack::platform::net::UdpSocket as DatagramSocket;
use rsipstack::sip::{Header, Response, SipMessage};
use rsipstack::transaction::endpoint::{EndpointInnerRef, EndpointOption, MessageInspector};
use rsipstack::transaction::{Endpoint, TransactionReceiver};
use rsipstack::transport::tcp::TcpConnection;
use rsipstack::transport::tls::TlsConnection;
use rsipstack::transport::udp::{UdpConnection, UdpInner};
use rsipstack::transport::{SipAddr, SipConnection, TransportLayer};
use socket2::{Domain, Protocol, Socket, Type};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio_rustls::TlsConnector;

use crate::edge::{Edge, Heard, Intake, Listener, MessageDispatcher, read_stream};
use crate::streams::OpenStreams;
use crate::timers::TransactionTimers;

pub use domain::trunk::Transport;

/// Bursts of calls arrive faster than one task reads; the kernel may cap this.
const UDP_RECEIVE_BUFFER: usize = 4 * 1024 * 1024;

/// Marks a response that the transaction layer made up itself: a timeout, or a broken stream.
const LOCAL_MARK: &str = "X-Local-Answer";

/// Tells where a challenge came from.
const SOURCE_MARK: &str = "X-Local-Source";

/// What a stack needs to start.
#[derive(Clone)]
pub struct StackSettings {
    /// Address and port of both UDP and TCP; port 0 takes any free one.
    pub listen: SocketAddr,
    /// The address that peers reach us at, when it is not our own (behind NAT).
    pub public_address: Option<IpAddr>,
    /// Trust and client certificate for TLS peers; without it TLS is refused.
    pub tls: Option<Arc<rustls::ClientConfig>>,
    /// Who is heard.
    pub heard: Heard,
    /// The timers of RFC 3261 §17.
    pub timers: TransactionTimers,
}

/// The stack could not start.
#[derive(Debug, thiserror::Error)]
#[error("SIP cannot listen on {listen}")]
pub struct StartError {
    listen: SocketAddr,
    #[source]
    cause: io::Error,
}

/// Sees every message that belongs to our transactions and dialogs before transactions do.
pub trait Observer: Send + Sync + 'static {
    /// A 2xx to an INVITE came: its retransmissions and forks belong to no transaction (RFC 6026).
    fn invite_accepted(&self, response: &Response, connection: &SipConnection);
}

/// A way to one peer: the connection, and where on it.
#[derive(Clone)]
pub struct Flow {
    /// How it travels.
    pub transport: Transport,
    /// The peer.
    pub peer: SocketAddr,
    /// The shared UDP socket, or the stream to the peer.
    pub connection: SipConnection,
}

impl Flow {
    /// The peer in rsipstack's terms.
    pub fn destination(&self) -> SipAddr {
        SipAddr { r#type: Some(wire(self.transport)), addr: self.peer.into() }
    }

    /// Whether a stream has broken; a datagram socket never does.
    pub fn is_broken(&self) -> bool {
        self.transport != Transport::Udp
            && self.connection.cancel_token().is_some_and(|token| token.is_cancelled())
    }

    /// Waits until a stream breaks; forever on UDP.
    pub async fn broken(&self) {
        match self.connection.cancel_token() {
            Some(token) if self.transport != Transport::Udp => token.cancelled().await,
            _ => std::future::pending().await,
        }
    }
}

/// A running endpoint.
pub struct Stack {
    endpoint: Endpoint,
    udp: SipConnection,
    local: SocketAddr,
    public_address: Option<IpAddr>,
    tls: Option<TlsConnector>,
    streams: Arc<OpenStreams>,
    dispatcher: Arc<MessageDispatcher>,
    edge: Option<Arc<Edge>>,
    cancel: CancellationToken,
}

impl Stack {
    /// Binds both sockets and starts to serve on the current runtime. Requests that open a server
    /// transaction come out of the returned receiver.
    pub async fn start(
        settings: StackSettings,
        observer: Option<Arc<dyn Observer>>,
    ) -> Result<(Arc<Self>, TransactionReceiver), StartError> {
        let failed = |cause| StartError { listen: settings.listen, cause };
        let (udp, listener) = match settings.heard {
            Heard::Only(_) => (bind_udp(settings.listen).map_err(failed)?, None),
            _ => bind_both(settings.listen).await.map(|(udp, tcp)| (udp, Some(tcp))).map_err(failed)?,
        };
        let local = udp.local_addr().map_err(failed)?;
        let cancel = CancellationToken::new();
        // Whatever fails below, nothing of it goes on.
        let guard = cancel.clone().drop_guard();
        let mut intake = None;
        let socket: Arc<dyn DatagramSocket> = match &settings.heard {
            Heard::Everybody => Arc::new(UdpSocket::from_std(udp).map_err(failed)?),
            Heard::Only(only) => {
                Arc::new(Filtered { socket: UdpSocket::from_std(udp).map_err(failed)?, only: *only })
            }
            Heard::Peers(edge, _) => {
                let started = Intake::start(udp, edge.clone(), cancel.clone()).await.map_err(failed)?;
                let socket = started.socket.clone();
                intake = Some(started);
                socket
            }
        };
        let address = SipAddr { r#type: Some(rsipstack::sip::Transport::Udp), addr: local.into() };
        let inner = UdpInner { conn: socket, addr: address };
        let udp = UdpConnection::attach(inner, None, Some(cancel.child_token())).await;
        let udp = SipConnection::Udp(udp);
        let transports = TransportLayer::new_with_domain_resolver(cancel.clone(), Box::new(NoResolver));
        if intake.is_none() {
            transports.add_transport(udp.clone());
        }
        let endpoint = EndpointBuilder::new()
            .with_user_agent(concat!("Callwright/", env!("CARGO_PKG_VERSION")))
            .with_transport_layer(transports)
            .with_cancel_token(cancel.clone())
            .with_option(settings.timers.into_option())
            .with_inspector(Box::new(LocalMark))
            .build();
        let incoming = endpoint.incoming_transactions().map_err(|error| failed(io::Error::other(error)))?;
        let inner = endpoint.inner.clone();
        let dispatcher = Arc::new(MessageDispatcher::new(inner.clone(), observer));
        let edge = match settings.heard {
            Heard::Peers(edge, limits) => {
                if let Some(listener) = listener {
                    let (edge, dispatcher, stop) = (edge.clone(), dispatcher.clone(), cancel.clone());
                    let listener = Listener { socket: listener, local, edge, limits, dispatcher, stop };
                    tokio::spawn(listener.accept());
                }
                Some(edge)
            }
            Heard::Everybody | Heard::Only(_) => {
                if let Some(listener) = listener {
                    tokio::spawn(accept(listener, inner.clone(), local, cancel.clone()));
                }
                None
            }
        };
        if let Some(intake) = intake {
            let (working, stop) = (intake.process(dispatcher.clone(), udp.clone()), cancel.clone());
            tokio::spawn(async move {
                working.await;
                if !stop.is_cancelled() {
                    tracing::error!("SIP is not read any more");
                }
            });
        }
        tokio::spawn(async move {
            if let Err(error) = inner.serve().await {
                tracing::error!(%error, "the SIP endpoint stopped");
            }
        });
        let stack = Arc::new(Self {
            endpoint,
            udp,
            local,
            public_address: settings.public_address,
            tls: settings.tls.map(TlsConnector::from),
            streams: Arc::default(),
            dispatcher,
            edge,
            cancel: guard.disarm(),
        });
        Ok((stack, incoming))
    }

    /// The transaction layer.
    pub fn endpoint(&self) -> EndpointInnerRef {
        self.endpoint.inner.clone()
    }

    /// Where both sockets are bound.
    pub fn local_addr(&self) -> SocketAddr {
        self.local
    }

    /// Our address as `peer` sees it, for Via, Contact and SDP.
    pub fn address_towards(&self, peer: SocketAddr) -> IpAddr {
        self.public_address.unwrap_or_else(|| self.own_address_towards(peer))
    }

    /// Our address on this machine, as a peer on it sees it.
    pub fn own_address_towards(&self, peer: SocketAddr) -> IpAddr {
        if !self.local.ip().is_unspecified() {
            return self.local.ip();
        }
        // Connecting a datagram socket only asks the routing table; nothing is sent.
        let route = || {
            let any: IpAddr = if peer.is_ipv4() { [0; 4].into() } else { [0; 16].into() };
            let socket = StdUdpSocket::bind((any, 0))?;
            socket.connect(peer)?;
            socket.local_addr()
        };
        route().map_or(self.local.ip(), |address: SocketAddr| address.ip())
    }

    /// The way to a peer: our UDP socket, or a stream that is opened when none is. `host` is the
    /// name that a TLS certificate must carry.
    pub async fn flow(&self, transport: Transport, peer: SocketAddr, host: &str) -> io::Result<Flow> {
        // Contact, SDP and media are of our listener's family; a name often has both.
        if peer.is_ipv4() != self.local.is_ipv4() {
            return Err(io::Error::new(io::ErrorKind::AddrNotAvailable, "not our address family"));
        }
        if transport == Transport::Udp {
            return Ok(Flow { transport, peer, connection: self.udp.clone() });
        }
        let place = self.streams.of((transport, peer, host.to_owned()));
        let mut held = place.slot.lock().await;
        if let Some(connection) = held.as_ref() {
            let flow = Flow { transport, peer, connection: connection.clone() };
            if !flow.is_broken() {
                return Ok(flow);
            }
        }
        let connection = self.open(transport, peer, host).await?;
        let flow = Flow { transport, peer, connection: connection.clone() };
        let (kept, until) = (place.clone(), flow.clone());
        let reading =
            self.edge.clone().map(|edge| read_stream(connection.clone(), edge, self.dispatcher.clone()));
        if reading.is_none() {
            self.endpoint.inner.transport_layer.add_connection(connection.clone());
        }
        tokio::spawn(async move {
            let _kept = kept;
            match reading {
                Some(reading) => reading.await,
                None => until.broken().await,
            }
        });
        *held = Some(connection);
        Ok(flow)
    }

    async fn open(&self, transport: Transport, peer: SocketAddr, host: &str) -> io::Result<SipConnection> {
        let stream = TcpStream::connect(peer).await?;
        stream.set_nodelay(true)?;
        let local = SipAddr { r#type: Some(wire(transport)), addr: stream.local_addr()?.into() };
        let token = Some(self.cancel.child_token());
        if transport == Transport::Tcp {
            let connection = TcpConnection::from_stream(stream, local, token).map_err(io::Error::other)?;
            return Ok(SipConnection::Tcp(connection));
        }
        let Some(connector) = &self.tls else {
            return Err(io::Error::new(io::ErrorKind::Unsupported, "TLS is not configured"));
        };
        let name = rustls::pki_types::ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
        let stream = connector.connect(name, stream).await?;
        let remote = SipAddr { r#type: Some(wire(transport)), addr: peer.into() };
        let connection =
            TlsConnection::from_client_stream(stream, remote, token).await.map_err(io::Error::other)?;
        Ok(SipConnection::Tls(connection))
    }

    /// How many streams to peers are open, or being opened.
    pub fn streams(&self) -> usize {
        self.streams.len()
    }

    /// Closes every socket; nothing is sent any more.
    pub fn shutdown(&self) {
        self.cancel.cancel();
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

/// Whether the transaction layer made this response itself because no real one could come.
pub fn is_local(response: &Response) -> bool {
    response.headers.iter().any(|header| matches!(header, Header::Other(name, _) if name == LOCAL_MARK))
}

/// Where a 401 or 407 came from, whatever its headers say.
pub fn source(response: &Response) -> Option<SocketAddr> {
    response.headers.iter().find_map(|header| match header {
        Header::Other(name, source) if name == SOURCE_MARK => source.parse().ok(),
        _ => None,
    })
}

/// rsipstack's name of a transport.
pub fn wire(transport: Transport) -> rsipstack::sip::Transport {
    match transport {
        Transport::Udp => rsipstack::sip::Transport::Udp,
        Transport::Tcp => rsipstack::sip::Transport::Tcp,
        Transport::Tls => rsipstack::sip::Transport::Tls,
    }
}

async fn bind_both(listen: SocketAddr) -> io::Result<(StdUdpSocket, TcpListener)> {
    let mut attempts = 0;
    loop {
        let udp = bind_udp(listen)?;
        // With port 0 the port that UDP got may be taken on TCP: then try another.
        match TcpListener::bind(udp.local_addr()?).await {
            Err(error) if listen.port() == 0 && attempts < 16 => {
                tracing::debug!(%error, "port taken on TCP");
                attempts += 1;
            }
            bound => return Ok((udp, bound?)),
        }
    }
}

fn bind_udp(listen: SocketAddr) -> io::Result<StdUdpSocket> {
    let socket = Socket::new(Domain::for_address(listen), Type::DGRAM, Some(Protocol::UDP))?;
    if let Err(error) = socket.set_recv_buffer_size(UDP_RECEIVE_BUFFER) {
        tracing::warn!(%error, "the SIP receive buffer keeps the system's size");
    }
    if let Ok(bytes) = socket.recv_buffer_size()
        && bytes < UDP_RECEIVE_BUFFER
    {
        tracing::info!(
            bytes,
            wanted = UDP_RECEIVE_BUFFER,
            "the SIP receive buffer is small: net.core.rmem_max bounds it"
        );
    }
    socket.set_nonblocking(true)?;
    socket.bind(&listen.into())?;
    Ok(socket.into())
}

/// Accepts streams of everybody.
async fn accept(
    listener: TcpListener,
    endpoint: EndpointInnerRef,
    local: SocketAddr,
    cancel: CancellationToken,
) {
    let local = SipAddr { r#type: Some(rsipstack::sip::Transport::Tcp), addr: local.into() };
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = cancel.cancelled() => return,
        };
        let connection = accepted.and_then(|(stream, _)| {
            let token = Some(cancel.child_token());
            TcpConnection::from_stream(stream, local.clone(), token).map_err(io::Error::other)
        });
        match connection {
            Ok(connection) => endpoint.transport_layer.add_connection(connection.into()),
            Err(error) => {
                tracing::warn!(%error, "a SIP connection could not be accepted");
                // Out of descriptors: accepting again at once would only spin.
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            }
        }
    }
}

/// We resolve names ourselves and hand over addresses only.
struct NoResolver;

#[async_trait]
impl rsipstack::transport::transport_layer::DomainResolver for NoResolver {
    async fn resolve(&self, target: &SipAddr) -> rsipstack::Result<SipAddr> {
        Err(rsipstack::Error::DnsResolutionError(format!("{target} is not an address")))
    }
}

/// The transaction layer reports a local timeout as a 408 and a broken stream as a 503; only the
/// missing source address tells them from the peer's own.
struct LocalMark;

impl MessageInspector for LocalMark {
    fn before_send(&self, message: SipMessage, _to: Option<&SipAddr>) -> SipMessage {
        message
    }

    fn after_received(&self, mut message: SipMessage, from: Option<&SipAddr>) -> SipMessage {
        if let SipMessage::Response(response) = &mut message {
            response.headers.retain(|header| {
                !matches!(header, Header::Other(name, _) if name == LOCAL_MARK || name == SOURCE_MARK)
            });
            match from.map(SipAddr::get_socketaddr) {
                None => response.headers.push(Header::Other(LOCAL_MARK.to_owned(), String::new())),
                Some(Ok(from)) if matches!(response.status_code.code(), 401 | 407) => {
                    response.headers.push(Header::Other(SOURCE_MARK.to_owned(), from.to_string()));
                }
                Some(_) => {}
            }
        }
        message
    }
}

/// A socket that hears one address alone.
struct Filtered {
    socket: UdpSocket,
    only: SocketAddr,
}

#[async_trait]
impl DatagramSocket for Filtered {
    async fn recv_from(&self, buffer: &mut [u8]) -> rsipstack::Result<(usize, SocketAddr)> {
        loop {
            let (length, from) = self.socket.recv_from(buffer).await?;
            if from == self.only {
                return Ok((length, from));
            }
        }
    }

    async fn send_to(&self, datagram: &[u8], to: SocketAddr) -> rsipstack::Result<usize> {
        Ok(self.socket.send_to(datagram, to).await?)
    }

    fn local_addr(&self) -> rsipstack::Result<SocketAddr> {
        Ok(self.socket.local_addr()?)
    }
}

impl TransactionTimers {
    fn into_option(self) -> EndpointOption {
        EndpointOption {
            t1: self.t1,
            t2: self.t2,
            t4: self.t4,
            t1x64: self.t1 * 64,
            // The application's ring limit decides how long ringing lasts.
            timerc: std::time::Duration::from_hours(24),
            callid_suffix: None,
            callid_format: rsipstack::transaction::CallIdFormat::default(),
            history_info_enabled: false,
            // The ACK of a 2xx is the dialog's (RFC 3261 §13.2.2.4): it waits for the application.
            auto_ack_2xx: false,
        }
    }
}
