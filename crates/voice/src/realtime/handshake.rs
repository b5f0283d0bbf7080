//! From a provider's address to an open WebSocket (RFC 6455 §4), over the guarded way out.
//!
//! The request is made with hyper: the WebSocket library would print it, key and all, at its most
//! talkative level.

use std::time::Duration;

use bytes::Bytes;
use domain::network::WebProtocol;
use egress::{Failure, Stream, WayOut};
use http_body_util::Empty;
use hyper::client::conn::http1;
use hyper::header::{
    CONNECTION, HOST, HeaderName, HeaderValue, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY,
    SEC_WEBSOCKET_VERSION, UPGRADE, USER_AGENT,
};
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::time::{Instant, timeout_at};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::client::generate_key;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use url::{Position, Url};

/// The largest response head that is read, in bytes.
const HEAD_MAX: usize = 16 * 1024;
/// What is read from the connection at once: the library's own 128 KiB are too much for every call.
const READ_BUFFER: usize = 4 * 1024;
/// What goes out at once.
const WRITE_BUFFER: usize = 4 * 1024;
/// What may wait to go out; more means that the provider no longer reads.
const MAX_UNSENT: usize = 256 * 1024;
/// The largest frame and message that are taken: some seconds of sound.
const MAX_FRAME: usize = 1024 * 1024;
const MAX_MESSAGE: usize = 4 * 1024 * 1024;

/// Where to connect, and what opens the door.
#[derive(Clone, Debug)]
pub(crate) struct Door {
    pub(super) url: Url,
    pub(super) credentials: Option<(HeaderName, HeaderValue)>,
}

/// Why there is no connection; the text names no key and no address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NoEntry {
    /// It would be the same the next time.
    Refused(String),
    /// The next try may fare better.
    Failed(String),
}

impl From<Failure> for NoEntry {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Refused(_) => Self::Refused(failure.to_string()),
            Failure::Broken(_) | Failure::TimedOut => Self::Failed(failure.to_string()),
        }
    }
}

/// Opens a WebSocket until `deadline`.
pub(super) async fn enter(
    way_out: &WayOut,
    door: &Door,
    deadline: Instant,
) -> Result<WebSocketStream<Stream>, NoEntry> {
    let left: Duration = deadline.saturating_duration_since(Instant::now());
    let stream = way_out.connect(&door.url, WebProtocol::WebSocket, left).await?;
    match timeout_at(deadline, upgrade(stream, door)).await {
        Ok(socket) => socket,
        Err(_) => Err(NoEntry::Failed("the provider's answer took too long".to_owned())),
    }
}

async fn upgrade(stream: Stream, door: &Door) -> Result<WebSocketStream<Stream>, NoEntry> {
    let failed = |what: &str| NoEntry::Failed(what.to_owned());
    let key = generate_key();
    let request =
        request(door, &key).map_err(|_| NoEntry::Refused("the address cannot be asked for".to_owned()))?;
    let (mut sender, mut connection) = http1::Builder::new()
        .max_buf_size(HEAD_MAX)
        .handshake(TokioIo::new(stream))
        .await
        .map_err(|_| failed("the connection closed before an answer"))?;
    let response = {
        let mut answer = std::pin::pin!(sender.send_request(request));
        tokio::select! {
            biased;
            answer = &mut answer => answer,
            // The connection pauses when the protocol changes, and ends when the provider closes.
            _ = std::future::poll_fn(|cx| connection.poll_without_shutdown(cx)) => answer.await,
        }
    };
    let response = response.map_err(|error| {
        failed(if error.is_parse() {
            "the answer is not HTTP/1.1, or its head is too large"
        } else {
            "the connection closed before an answer"
        })
    })?;
    judge(response.status())?;
    let accepted = response.headers().get(SEC_WEBSOCKET_ACCEPT).map(HeaderValue::as_bytes);
    if accepted != Some(derive_accept_key(key.as_bytes()).as_bytes()) {
        return Err(NoEntry::Refused("the provider does not speak WebSocket".to_owned()));
    }
    // What came right behind the answer belongs to the WebSocket.
    let parts = connection.into_parts();
    let early = parts.read_buf.to_vec();
    let config = WebSocketConfig::default()
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(WRITE_BUFFER)
        .max_write_buffer_size(MAX_UNSENT)
        .max_frame_size(Some(MAX_FRAME))
        .max_message_size(Some(MAX_MESSAGE));
    let stream = parts.io.into_inner();
    Ok(WebSocketStream::from_partially_read(stream, early, Role::Client, Some(config)).await)
}

fn request(door: &Door, key: &str) -> hyper::http::Result<Request<Empty<Bytes>>> {
    let url = &door.url;
    let mut request = Request::builder()
        .method(Method::GET)
        .uri(&url[Position::BeforePath..Position::AfterQuery])
        .header(HOST, &url[Position::BeforeHost..Position::AfterPort])
        .header(CONNECTION, "Upgrade")
        .header(UPGRADE, "websocket")
        .header(SEC_WEBSOCKET_VERSION, "13")
        .header(SEC_WEBSOCKET_KEY, key)
        .header(USER_AGENT, concat!("Callwright/", env!("CARGO_PKG_VERSION")));
    if let Some((name, value)) = &door.credentials {
        request = request.header(name, value);
    }
    request.body(Empty::new())
}

fn judge(status: StatusCode) -> Result<(), NoEntry> {
    let words = |what: &str| format!("{what} ({})", status.as_u16());
    match status {
        StatusCode::SWITCHING_PROTOCOLS => Ok(()),
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            Err(NoEntry::Refused(words("the provider refused the key")))
        }
        StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS | StatusCode::TOO_EARLY => {
            Err(NoEntry::Failed(words("the provider is busy")))
        }
        status if status.is_server_error() => Err(NoEntry::Failed(words("the provider is out of order"))),
        _ => Err(NoEntry::Refused(words("the provider has no such session"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_will_not_change_is_not_tried_again() {
        for (status, again) in
            [(401, false), (403, false), (404, false), (200, false), (429, true), (503, true)]
        {
            let judged = judge(StatusCode::from_u16(status).unwrap());
            assert_eq!(matches!(judged, Err(NoEntry::Failed(_))), again, "{status}");
            assert!(judged.is_err());
        }
    }
}
