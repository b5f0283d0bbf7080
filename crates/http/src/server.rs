//! Listening: HTTP/1.1 on plain sockets, HTTP/1.1 and HTTP/2 by TLS.

use std::io;
use std::net::TcpListener;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use actix_web::dev::ServerHandle;
use actix_web::web::Data;
use actix_web::{App, HttpServer, middleware};

use crate::envelope::envelope;
use crate::gate::Gate;
use crate::routes;

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
pub struct Server(actix_web::dev::Server);

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

/// Starts to serve; call it inside a tokio runtime.
pub fn serve(listen: Listen, gate: Arc<Gate>) -> io::Result<Server> {
    let Listen { listeners, tls, workers, shutdown_limit } = listen;
    let mut server = HttpServer::new(move || {
        let wrapped = Arc::clone(&gate);
        App::new()
            .app_data(Data::from(Arc::clone(&gate)))
            .wrap(middleware::from_fn(move |request, next| envelope(Arc::clone(&wrapped), request, next)))
            .configure(routes::configure)
    })
    .client_request_timeout(HEAD_LIMIT)
    .client_disconnect_timeout(CLOSE_LIMIT)
    .keep_alive(KEEP_ALIVE)
    .tls_handshake_timeout(HANDSHAKE_LIMIT)
    .tcp_nodelay(true)
    .shutdown_timeout(shutdown_limit.as_secs())
    .disable_signals();
    if let Some(workers) = workers {
        server = server.workers(workers.get());
    }
    for listener in listeners {
        server = match &tls {
            Some(tls) => server.listen_rustls_0_23(listener, tls.clone())?,
            None => server.listen(listener)?,
        };
    }
    Ok(Server(server.run()))
}
