//! Listening: HTTP/1.1, on plain sockets and by TLS.

use std::future::ready;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use actix_http::error::DispatchError;
use actix_http::{HttpService, Protocol};
use actix_server::{GracefulShutdownSignal, ServerHandle};
use actix_service::{ServiceFactory, ServiceFactoryExt, fn_service, map_config};
use actix_tls::accept::TlsError;
use actix_tls::accept::rustls_0_23::{Acceptor, TlsStream};
use actix_web::dev::AppConfig;
use actix_web::web::Data;
use actix_web::{App, middleware};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

use crate::envelope::envelope;
use crate::gate::Gate;
use crate::pages::Pages;
use crate::routes;
use crate::unreadable::Shaping;

/// A request's head has to be here this long after the connection, or after its first byte.
const HEAD_LIMIT: Duration = Duration::from_secs(10);
/// A connection may stay idle so long: longer than the load balancers in front of it wait.
const KEEP_ALIVE: Duration = Duration::from_secs(75);
/// A client has so long to take the rest of its answer, once the connection is being closed.
const CLOSE_LIMIT: Duration = Duration::from_secs(5);
/// A TLS handshake has to be done in this time.
const HANDSHAKE_LIMIT: Duration = Duration::from_secs(10);

/// Where and how to listen.
pub struct Listen {
    /// Bound sockets; any number of addresses.
    pub listeners: Vec<TcpListener>,
    /// Certificate and key for HTTPS; the protocols of ALPN are set here.
    pub tls: Option<rustls::ServerConfig>,
    /// Worker threads; one for each core when none is given.
    pub workers: Option<NonZeroUsize>,
    /// How long requests may go on after a graceful stop, in whole seconds.
    pub shutdown_limit: Duration,
}

/// A running server. Its workers have threads of their own; connections are served from
/// [`serve`]'s return on, and [`Server::run`] waits for its end.
pub struct Server(actix_server::Server);

/// Ends a server from elsewhere.
#[derive(Clone)]
pub struct Stopper(ServerHandle);

impl Server {
    /// A handle that stops this server.
    pub fn stopper(&self) -> Stopper {
        Stopper(self.0.handle())
    }

    /// Waits until the server has been stopped. It handles no signals.
    pub async fn run(self) -> io::Result<()> {
        self.0.await
    }
}

impl Stopper {
    /// Stops accepting; a graceful stop lets the requests in hand be answered first.
    pub async fn stop(&self, graceful: bool) {
        self.0.stop(graceful).await;
    }
}

/// Starts to serve the interface, and pages beside it; call it inside a tokio runtime.
pub fn serve(listen: Listen, gate: Arc<Gate>, pages: Pages) -> io::Result<Server> {
    let Listen { listeners, tls, workers, shutdown_limit } = listen;
    let mut server =
        actix_server::Server::build().shutdown_timeout(shutdown_limit.as_secs()).disable_signals();
    if let Some(workers) = workers {
        server = server.workers(workers.get());
    }
    let site = Site { gate, pages, stopping: server.graceful_shutdown_signal() };
    for listener in listeners {
        let (name, site) = (format!("http {}", listener.local_addr()?), site.clone());
        server = match tls.clone() {
            Some(tls) => server.listen(name, listener, move || site.encrypted(tls.clone()))?,
            None => server.listen(name, listener, move || site.plain())?,
        };
    }
    Ok(Server(server.run()))
}

/// What is served on every socket, by every worker.
#[derive(Clone)]
struct Site {
    gate: Arc<Gate>,
    pages: Pages,
    stopping: GracefulShutdownSignal,
}

/// A socket of a client, what is spoken on it, and where the client is.
type Connection<Io> = (Io, Protocol, Option<SocketAddr>);

impl Site {
    /// HTTP/1.1 without TLS.
    fn plain(
        &self,
    ) -> impl ServiceFactory<TcpStream, Config = (), Response = (), Error = DispatchError, InitError = ()> + use<>
    {
        let entropy = Arc::clone(&self.gate.front.entropy);
        fn_service(move |io: TcpStream| {
            let peer = prepared(&io);
            ready(Ok((Shaping::of(io, Arc::clone(&entropy)), Protocol::Http1, peer)))
        })
        .and_then(self.http())
    }

    /// HTTP/1.1 by TLS. A client that offers other protocols alone gets no connection (RFC 7301 §3.2).
    fn encrypted(
        &self,
        mut tls: rustls::ServerConfig,
    ) -> impl ServiceFactory<
        TcpStream,
        Config = (),
        Response = (),
        Error = TlsError<io::Error, DispatchError>,
        InitError = (),
    > + use<> {
        tls.alpn_protocols = vec![b"http/1.1".to_vec()];
        let mut acceptor = Acceptor::new(tls);
        acceptor.set_handshake_timeout(HANDSHAKE_LIMIT);
        let entropy = Arc::clone(&self.gate.front.entropy);
        acceptor
            .map_err(TlsError::into_service_error)
            .and_then(fn_service(move |io: TlsStream<TcpStream>| {
                let peer = prepared(io.get_ref().0);
                ready(Ok((Shaping::of(io, Arc::clone(&entropy)), Protocol::Http1, peer)))
            }))
            .and_then(self.http().map_err(TlsError::Service))
    }

    /// What is served on every connection.
    fn http<Io: AsyncRead + AsyncWrite + Unpin + 'static>(
        &self,
    ) -> impl ServiceFactory<Connection<Io>, Config = (), Response = (), Error = DispatchError, InitError = ()>
    + use<Io> {
        let Self { gate, pages, stopping } = self.clone();
        let wrapped = Arc::clone(&gate);
        let app = App::new()
            .app_data(Data::from(gate))
            .wrap(middleware::from_fn(move |request, next| envelope(Arc::clone(&wrapped), request, next)))
            .configure(|app| pages.configure(app))
            .configure(|app| routes::configure(app, pages.clone()));
        HttpService::build()
            .graceful_shutdown_signal(move || {
                let stopping = stopping.clone();
                async move { stopping.notified().await }
            })
            .client_request_timeout(HEAD_LIMIT)
            .client_disconnect_timeout(CLOSE_LIMIT)
            .keep_alive(KEEP_ALIVE)
            .finish(map_config(app, |()| AppConfig::default()))
    }
}

/// The client's address; its answers leave at once.
fn prepared(socket: &TcpStream) -> Option<SocketAddr> {
    // A socket that has gone already says so when it is read.
    let _ = socket.set_nodelay(true);
    socket.peer_addr().ok()
}
