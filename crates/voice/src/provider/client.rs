//! HTTP/1.1 over the guarded way out, with connections kept for the next request.
//!
//! A kept connection leads to the address that was vetted when it was made. There are no redirects.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use domain::network::WebProtocol;
use egress::WayOut;
use http_body_util::Full;
use hyper::client::conn::http1;
use hyper::{Request, Response, body::Incoming};
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use tokio::time::{Instant, timeout};
use url::Url;

use super::{Fault, Reply};

/// How long a connection is kept unused: less than common servers and balancers keep it (60 s).
const KEPT_FOR: Duration = Duration::from_secs(50);
/// How many unused connections are kept to one origin, and to how many origins; more are closed.
const KEPT_PER_ORIGIN: usize = 32;
const KEPT_ORIGINS: usize = 256;
/// How much of an answer is read ahead, and the largest head, in bytes.
const READ_AHEAD: usize = 32 * 1024;

type Sender = http1::SendRequest<Full<Bytes>>;

/// How long a provider may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Over lookup, connection and TLS.
    pub(crate) connect: Duration,
    /// From a request to the head of its answer.
    pub(crate) head: Duration,
    /// From one piece of an answer to the next.
    pub(crate) piece: Duration,
}

/// Asks over HTTP; clones share their connections.
#[derive(Clone)]
pub(crate) struct Client(Arc<Shared>);

struct Shared {
    way_out: WayOut,
    limits: Limits,
    kept: Mutex<HashMap<String, Vec<Kept>>>,
}

struct Kept {
    sender: Sender,
    since: Instant,
}

/// A connection in use; it can be given back once its answer was read to the end.
pub(super) struct Lease {
    client: Client,
    origin: String,
    sender: Sender,
}

impl Client {
    /// Builds a client.
    pub(crate) fn new(way_out: WayOut, limits: Limits) -> Self {
        Self(Arc::new(Shared { way_out, limits, kept: Mutex::default() }))
    }

    /// Makes a connection to the URL's host and keeps it, so that the first request need not wait.
    pub(crate) async fn warm(&self, url: &Url) -> Result<(), Fault> {
        let origin = origin(url);
        if !self.kept(&origin).is_some_and(Lease::give_back) {
            self.connection(url, origin).await?.give_back();
        }
        Ok(())
    }

    /// Sends a request, over a kept connection if there is one, and reads the answer's head.
    pub(crate) async fn send(&self, url: &Url, request: Request<Full<Bytes>>) -> Result<Reply, Fault> {
        let origin = origin(url);
        if let Some(mut lease) = self.kept(&origin) {
            match self.exchange(&mut lease, request.clone()).await {
                // The other side closed it when our request was on its way: that is no answer to it.
                Err(Exchanged::Unanswered) => {}
                Err(Exchanged::Failed(fault)) => return Err(fault),
                Ok(response) => return Reply::new(response, lease, self.0.limits.piece).await,
            }
        }
        let mut lease = self.connection(url, origin).await?;
        match self.exchange(&mut lease, request).await {
            Err(Exchanged::Unanswered) => Err(Fault::Broken("the connection closed before an answer")),
            Err(Exchanged::Failed(fault)) => Err(fault),
            Ok(response) => Reply::new(response, lease, self.0.limits.piece).await,
        }
    }

    async fn exchange(
        &self,
        lease: &mut Lease,
        request: Request<Full<Bytes>>,
    ) -> Result<Response<Incoming>, Exchanged> {
        let exchange = async {
            lease.sender.ready().await.map_err(|_| Exchanged::Unanswered)?;
            lease.sender.send_request(request).await.map_err(|error| {
                if error.is_parse() {
                    Exchanged::Failed(Fault::Malformed(
                        "the answer is not HTTP/1.1, or its head is too large",
                    ))
                } else {
                    Exchanged::Unanswered
                }
            })
        };
        timeout(self.0.limits.head, exchange).await.unwrap_or(Err(Exchanged::Failed(Fault::Stalled)))
    }

    /// A kept connection that is still open.
    fn kept(&self, origin: &str) -> Option<Lease> {
        let mut all = self.0.kept.lock();
        let kept = all.get_mut(origin)?;
        kept.retain(Kept::is_fresh);
        let sender = kept.pop()?.sender;
        Some(Lease { client: self.clone(), origin: origin.to_owned(), sender })
    }

    async fn connection(&self, url: &Url, origin: String) -> Result<Lease, Fault> {
        let stream = self.0.way_out.connect(url, WebProtocol::Http, self.0.limits.connect).await?;
        let (sender, connection) = http1::Builder::new()
            .max_buf_size(READ_AHEAD)
            .handshake(TokioIo::new(stream))
            .await
            .map_err(|_| Fault::Broken("the connection broke"))?;
        // It ends with its sender, and how it ended is told to whoever waits for an answer.
        tokio::spawn(async move {
            let _ = connection.await;
        });
        Ok(Lease { client: self.clone(), origin, sender })
    }
}

/// How an exchange went wrong.
enum Exchanged {
    /// The connection ended without a byte of an answer.
    Unanswered,
    Failed(Fault),
}

impl Kept {
    fn is_fresh(&self) -> bool {
        !self.sender.is_closed() && self.since.elapsed() < KEPT_FOR
    }
}

impl Lease {
    /// Keeps the connection for the next request. It is `false` when it is of no more use.
    pub(super) fn give_back(self) -> bool {
        let Self { client, origin, sender } = self;
        let kept = Kept { sender, since: Instant::now() };
        if !kept.is_fresh() {
            return false;
        }
        let mut all = client.0.kept.lock();
        if !all.contains_key(&origin) && all.len() >= KEPT_ORIGINS {
            all.retain(|_, kept| {
                kept.retain(Kept::is_fresh);
                !kept.is_empty()
            });
        }
        if all.contains_key(&origin) || all.len() < KEPT_ORIGINS {
            let place = all.entry(origin).or_default();
            place.retain(Kept::is_fresh);
            if place.len() < KEPT_PER_ORIGIN {
                place.push(kept);
            }
        }
        true
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").finish_non_exhaustive()
    }
}

/// Scheme, host and port: what a connection is good for.
fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}
