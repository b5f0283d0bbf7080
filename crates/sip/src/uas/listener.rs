//! Sockets and lifetime of the answering side.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use rsipstack::EndpointBuilder;
use rsipstack::dialog::dialog_layer::DialogLayer;
use rsipstack::sip::{HostWithPort, Transport};
use rsipstack::transaction::endpoint::Endpoint;
use rsipstack::transport::tcp::TcpConnection;
use rsipstack::transport::udp::UdpConnection;
use rsipstack::transport::{SipAddr, SipConnection, TransportLayer};
use tokio::net::{TcpListener, UdpSocket};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::call::IncomingCall;
use super::router::Router;
use super::{ALLOWED, allow_value};

/// How often a free port is looked for that both transports can have.
const PORT_ATTEMPTS: u32 = 16;

/// How an answering side is set up.
#[derive(Clone, Debug)]
pub struct UasSettings {
    /// Address and port, the same for UDP and TCP; port 0 takes a free one.
    pub listen: SocketAddr,
    /// `User-Agent` (also sent in responses).
    pub user_agent: String,
    /// How many calls may wait to be taken; further ones get a 503.
    pub backlog: usize,
}

/// The answering side could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum UasError {
    /// The address is taken or not ours.
    #[error("cannot listen on {listen}")]
    Bind {
        /// The address asked for.
        listen: SocketAddr,
        /// What the system said.
        #[source]
        cause: io::Error,
    },
    /// The SIP stack did not start.
    #[error("the SIP stack did not start")]
    Stack(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// A running answering side.
#[derive(Debug)]
pub struct Uas {
    local: SocketAddr,
    stop: CancellationToken,
    tasks: TaskTracker,
}

impl Uas {
    /// Opens both sockets and starts to answer on the current runtime. Calls come out of the
    /// receiver; dropping it refuses every further one.
    pub async fn bind(settings: UasSettings) -> Result<(Self, mpsc::Receiver<IncomingCall>), UasError> {
        let listen = settings.listen;
        let (udp, tcp) =
            sockets(listen).await.map_err(|cause| UasError::Bind { listen, cause })?;
        let stop = CancellationToken::new();
        let transport = TransportLayer::new(stop.clone());
        let udp = UdpConnection::from_socket(Arc::new(udp), None, Some(stop.child_token()))
            .await
            .map_err(|cause| UasError::Stack(Box::new(cause)))?;
        // A wildcard address cannot be told to a peer: the stack resolves it to a real one.
        let host: HostWithPort = udp.get_addr().addr.clone();
        let local = udp.get_addr().get_socketaddr().map_err(|cause| UasError::Stack(Box::new(cause)))?;
        transport.add_transport(udp.into());
        let endpoint = EndpointBuilder::new()
            .with_user_agent(&settings.user_agent)
            .with_allows(ALLOWED.to_vec())
            .with_cancel_token(stop.clone())
            .with_transport_layer(transport)
            .build();
        let incoming =
            endpoint.incoming_transactions().map_err(|cause| UasError::Stack(Box::new(cause)))?;

        let tasks = TaskTracker::new();
        let (calls, taken) = mpsc::channel(settings.backlog.max(1));
        let router = Router {
            layer: Arc::new(DialogLayer::new(endpoint.inner.clone())),
            calls,
            host: host.clone(),
            allow: allow_value(),
            tasks: tasks.clone(),
        };
        tasks.spawn(router.run(incoming, stop.clone()));
        tasks.spawn(serve(endpoint, tcp, host, stop.clone()));
        Ok((Self { local, stop, tasks }, taken))
    }

    /// The address that peers reach, the same for UDP and TCP.
    pub fn local_addr(&self) -> SocketAddr {
        self.local
    }

    /// Closes the sockets and ends every task. Calls should be over: they are not hung up here.
    pub async fn shutdown(&self) {
        self.stop.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }
}

impl Drop for Uas {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// One port for both transports; when the system chooses it, the other transport may hold it
/// already, so another is tried.
async fn sockets(listen: SocketAddr) -> io::Result<(UdpSocket, TcpListener)> {
    let mut attempts = if listen.port() == 0 { PORT_ATTEMPTS } else { 1 };
    loop {
        attempts -= 1;
        let tcp = TcpListener::bind(listen).await?;
        match UdpSocket::bind(tcp.local_addr()?).await {
            Ok(udp) => return Ok((udp, tcp)),
            Err(_taken) if attempts > 0 => {}
            Err(cause) => return Err(cause),
        }
    }
}

/// Runs the stack and feeds it the TCP connections that come in, until stopped.
async fn serve(endpoint: Endpoint, tcp: TcpListener, host: HostWithPort, stop: CancellationToken) {
    let local = SipAddr { r#type: Some(Transport::Tcp), addr: host };
    let accept = async {
        loop {
            match tcp.accept().await {
                Ok((stream, _peer)) => {
                    let token = Some(stop.child_token());
                    match TcpConnection::from_stream(stream, local.clone(), token) {
                        Ok(connection) => endpoint
                            .inner
                            .transport_layer
                            .add_connection(SipConnection::Tcp(connection)),
                        Err(error) => tracing::debug!(%error, "a connection closed at once"),
                    }
                }
                Err(error) => {
                    // Out of descriptors, mostly: give the others time to close.
                    tracing::warn!(%error, "cannot accept a SIP connection");
                    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
                }
            }
        }
    };
    tokio::select! {
        () = stop.cancelled() => {}
        () = endpoint.serve() => {}
        () = accept => {}
    }
}
