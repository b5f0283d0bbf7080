//! A double of a Realtime server, for tests: it checks strictly what it is told, hears turns by real
//! voice activity detection, speaks with Pico's voice faster than real time, and fails when told to.
//!
//! What it says is given to it ([`Options::replies`]), and what was said to it is recognised by whom
//! it is given ([`Options::recogniser`]): it has no mind and no model of its own.

#![allow(
    clippy::panic,
    clippy::expect_used,
    clippy::missing_panics_doc,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "for tests only: what cannot be is a failed test"
)]

mod client_event;
mod ears;
mod format;
mod items;
mod options;
mod record;
mod response;
mod session;
mod voice;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use domain::assistant::Dialect;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::task::{AbortHandle, JoinSet};
use tokio_rustls::TlsAcceptor;
use tokio_tungstenite::accept_hdr_async;
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request, Response};
use url::Url;

pub use options::{Fault, Listen, Options, Part, Passing, Recogniser, Replies, Watcher};
pub use record::{HeardTurn, Record};
pub use voice::say;

use record::Records;
use session::Session;

/// A running double; it ends, with all its connections, when it is dropped.
#[derive(Debug)]
pub struct Double {
    address: SocketAddr,
    secure: bool,
    records: Arc<Records>,
    listening: AbortHandle,
}

impl Double {
    /// Starts one on a port of its own, on the current runtime.
    pub async fn start(options: Options) -> Self {
        let address = SocketAddr::from(([127, 0, 0, 1], 0));
        Self::listen(address, options).await.expect("a port of its own")
    }

    /// Starts one on this address.
    pub async fn listen(address: SocketAddr, options: Options) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let records = Arc::new(Records::default());
        let secure = options.tls.is_some();
        let listening = tokio::spawn(accept(listener, Arc::new(options), Arc::clone(&records)));
        Ok(Self { address, secure, records, listening: listening.abort_handle() })
    }

    /// Its address, as an assistant's endpoint.
    pub fn url(&self) -> Url {
        let scheme = if self.secure { "wss" } else { "ws" };
        Url::parse(&format!("{scheme}://{}", self.address)).expect("an address makes a URL")
    }

    /// Where it listens.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// All that happened so far.
    pub fn record(&self) -> Record {
        self.records.now()
    }

    /// Waits until what happened is as `wanted`, and panics when it is not within a minute.
    pub async fn until(&self, what: &str, wanted: impl FnMut(&Record) -> bool) -> Record {
        self.records.until(what, wanted).await
    }
}

impl Drop for Double {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

async fn accept(listener: TcpListener, options: Arc<Options>, records: Arc<Records>) {
    let tls = options.tls.clone().map(TlsAcceptor::from);
    let next = AtomicUsize::new(0);
    // Aborted with this task, and all connections with it.
    let mut connections = JoinSet::new();
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        while connections.try_join_next().is_some() {}
        let number = next.fetch_add(1, Ordering::Relaxed);
        let _ = stream.set_nodelay(true);
        let (options, records, tls) = (Arc::clone(&options), Arc::clone(&records), tls.clone());
        connections.spawn(async move {
            match tls {
                None => greet(stream, number, options, records).await,
                Some(tls) => {
                    if let Ok(stream) = tls.accept(stream).await {
                        greet(stream, number, options, records).await;
                    }
                }
            }
        });
    }
}

/// Lets a client in, or not.
async fn greet<S>(stream: S, number: usize, options: Arc<Options>, records: Arc<Records>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send,
{
    let fault = options.faults.get(number).cloned().unwrap_or_default();
    records.change(|record| record.connections += 1);
    if matches!(fault, Fault::HangUp) {
        return;
    }
    #[expect(clippy::result_large_err, reason = "the library's own type")]
    let judge = |request: &Request, response: Response| {
        let status = match fault {
            Fault::Refuse(status) => status,
            _ if !options.opens(&credentials(request, options.dialect)) => 401,
            _ if !request.uri().query().unwrap_or_default().contains("model=") => 400,
            _ => return Ok(response),
        };
        Err(refusal(status))
    };
    let Ok(socket) = accept_hdr_async(stream, judge).await else { return };
    let session = Session::new(socket, number, Arc::clone(&options), fault.clone(), Arc::clone(&records));
    session.run().await;
    records.change(|record| record.ended += 1);
}

/// The key that a client brings, in its dialect's header.
fn credentials(request: &Request, dialect: Dialect) -> String {
    let header = |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok());
    let key = match dialect {
        Dialect::Azure => header("api-key"),
        _ => header("authorization").and_then(|value| value.strip_prefix("Bearer ")),
    };
    key.unwrap_or_default().to_owned()
}

fn refusal(status: u16) -> ErrorResponse {
    let body = r#"{"error":{"message":"Incorrect API key provided","type":"invalid_request_error","code":"invalid_api_key"}}"#;
    let mut response = ErrorResponse::new(Some(body.to_owned()));
    *response.status_mut() = status.try_into().expect("a status");
    response
}
