//! One try of a callback, from the guard's judgement to the receiver's status.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use domain::network::{AddressPolicy, WebProtocol};
use domain::ports::{CallbackSender, ClaimedCallback, Clock, TryOutcome};
use egress::{Resolve, SystemResolver, WayOut};
use http_body_util::Full;
use hyper::header::{AUTHORIZATION, CONNECTION, CONTENT_TYPE, HOST, HeaderValue, USER_AGENT};
use hyper::{Method, Request, StatusCode};
use percent_encoding::percent_decode_str;
use rustls::ClientConfig;
use rustls::client::Resumption;
use tokio::time::timeout;
use url::Url;

use crate::exchange::exchange;
use crate::failure::Failure;
use crate::signature;

/// How callbacks are sent.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Which addresses may be connected to.
    pub policy: AddressPolicy,
    /// Whom to trust; ALPN and resumption are set on the way.
    pub tls: Arc<ClientConfig>,
    /// The `User-Agent` header, e.g. `Callwright/0.1.0`.
    pub user_agent: String,
    /// How long one try may take; in production [`domain::callback::TRY_LIMIT`].
    pub try_limit: Duration,
}

/// The `User-Agent` holds characters that a header may not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the user agent is not a valid header value")]
pub struct BadUserAgent;

/// Sends callbacks, a connection each.
pub struct CallbackClient {
    way_out: WayOut,
    user_agent: HeaderValue,
    try_limit: Duration,
    clock: Arc<dyn Clock>,
}

impl CallbackClient {
    /// Builds a sender that looks names up with the system's resolver.
    pub fn new(settings: Settings, clock: Arc<dyn Clock>) -> Result<Self, BadUserAgent> {
        Self::with_resolver(settings, clock, Arc::new(SystemResolver::default()))
    }

    /// Builds a sender with a resolver of one's own.
    pub fn with_resolver(
        settings: Settings,
        clock: Arc<dyn Clock>,
        resolver: Arc<dyn Resolve>,
    ) -> Result<Self, BadUserAgent> {
        let mut tls = ClientConfig::clone(&settings.tls);
        // Each try proves the receiver's identity anew.
        tls.resumption = Resumption::disabled();
        Ok(Self {
            way_out: WayOut::new(settings.policy, &tls, resolver),
            user_agent: HeaderValue::from_str(&settings.user_agent).map_err(|_| BadUserAgent)?,
            try_limit: settings.try_limit,
            clock,
        })
    }

    async fn attempt(&self, callback: &ClaimedCallback) -> Result<StatusCode, Failure> {
        let url = callback.draft.url.url();
        let request = self.request(url, callback)?;
        let stream = self.way_out.connect(url, WebProtocol::Http, self.try_limit).await?;
        exchange(stream, request).await
    }

    /// The request of one try. The body and its `timestamp` are frozen, while `webhook-timestamp`
    /// is the moment of this try, as the specification wants it: receivers refuse old ones.
    fn request(&self, url: &Url, callback: &ClaimedCallback) -> Result<Request<Full<Bytes>>, Failure> {
        let id = callback.call.to_string();
        let body = &callback.draft.body;
        let timestamp = self.clock.now().unix_timestamp();
        let signature = signature::header(&callback.secrets, &id, timestamp, body);
        let mut request = Request::builder()
            .method(Method::POST)
            .uri(url[url::Position::BeforePath..url::Position::AfterQuery].to_owned())
            .header(HOST, &url[url::Position::BeforeHost..url::Position::AfterPort])
            .header(CONTENT_TYPE, "application/json")
            .header(USER_AGENT, &self.user_agent)
            .header(CONNECTION, "close")
            .header("webhook-id", id)
            .header("webhook-timestamp", timestamp)
            .header("webhook-signature", signature);
        if let Some(credentials) = basic_credentials(url) {
            request = request.header(AUTHORIZATION, credentials);
        }
        request
            .body(Full::new(Bytes::copy_from_slice(body)))
            .map_err(|_| Failure::Broken("the URL cannot be requested"))
    }
}

#[async_trait]
impl CallbackSender for CallbackClient {
    async fn send(&self, callback: &ClaimedCallback) -> TryOutcome {
        match timeout(self.try_limit, self.attempt(callback)).await {
            Ok(Ok(status)) => TryOutcome::Answered(status.as_u16()),
            Ok(Err(failure)) => failure.into(),
            Err(_) => TryOutcome::TimedOut,
        }
    }
}

/// `user:password@` in a URL, as the header that carries it (RFC 7617).
fn basic_credentials(url: &Url) -> Option<HeaderValue> {
    if url.username().is_empty() && url.password().is_none() {
        return None;
    }
    let mut pair: Vec<u8> = percent_decode_str(url.username()).collect();
    pair.push(b':');
    pair.extend(percent_decode_str(url.password().unwrap_or_default()));
    let mut value = HeaderValue::from_str(&format!("Basic {}", STANDARD.encode(pair))).ok()?;
    value.set_sensitive(true);
    Some(value)
}
