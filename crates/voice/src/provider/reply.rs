//! An answer, read piece by piece.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderMap, RETRY_AFTER};
use hyper::{Response, StatusCode};
use tokio::time::timeout;

use super::Fault;
use super::client::Lease;

/// How much of a refusal is read, in bytes.
const REFUSAL_BYTES: usize = 16 * 1024;

/// How long an answer may go on after all that matters in it was read.
const FAREWELL: Duration = Duration::from_secs(1);

/// A successful answer whose body is still to come. Dropping it before its end closes the connection,
/// which tells the provider that nobody wants the rest.
pub(crate) struct Reply {
    media_type: String,
    body: Incoming,
    lease: Option<Lease>,
    stall: Duration,
}

impl Reply {
    /// Reads the head; of an answer that is no success, also what is wrong.
    pub(super) async fn new(
        response: Response<Incoming>,
        lease: Lease,
        stall: Duration,
    ) -> Result<Self, Fault> {
        let (head, body) = response.into_parts();
        let media_type = media_type(&head.headers);
        let mut reply = Self { media_type, body, lease: Some(lease), stall };
        if head.status.is_success() {
            return Ok(reply);
        }
        let body = if wants_body(head.status) {
            // What cannot be read says nothing; the status does.
            reply.all(REFUSAL_BYTES).await.unwrap_or_default()
        } else {
            Bytes::new()
        };
        let fault = Fault::of(head.status, retry_after(&head.headers), body);
        fault.map_or(Ok(reply), Err)
    }

    /// The type of the body without its parameters, in lower case; empty when the provider names none.
    pub(crate) fn media_type(&self) -> &str {
        &self.media_type
    }

    /// The next piece; none at the end.
    pub(crate) async fn piece(&mut self) -> Result<Option<Bytes>, Fault> {
        loop {
            let frame = timeout(self.stall, self.body.frame()).await.map_err(|_| Fault::Stalled)?;
            match frame {
                None => {
                    if let Some(lease) = self.lease.take() {
                        lease.give_back();
                    }
                    return Ok(None);
                }
                Some(Err(_)) => return Err(Fault::Broken("the answer broke off")),
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(piece) if !piece.is_empty() => return Ok(Some(piece)),
                    // Trailers say nothing here.
                    Ok(_) | Err(_) => {}
                },
            }
        }
    }

    /// Reads what is left, of which nobody waits, so that the connection may serve again.
    pub(crate) fn finish(mut self) {
        tokio::spawn(async move {
            let rest = async { while let Ok(Some(_)) = self.piece().await {} };
            let _ = timeout(FAREWELL, rest).await;
        });
    }

    /// The whole body, if it has at most `limit` bytes.
    pub(crate) async fn all(&mut self, limit: usize) -> Result<Bytes, Fault> {
        let mut whole = BytesMut::new();
        while let Some(piece) = self.piece().await? {
            if whole.len() + piece.len() > limit {
                return Err(Fault::Malformed("the answer is too long"));
            }
            whole.extend_from_slice(&piece);
        }
        Ok(whole.freeze())
    }
}

/// Why a request was refused is only asked of those that may be asked differently.
fn wants_body(status: StatusCode) -> bool {
    status.is_client_error() && status != StatusCode::UNAUTHORIZED && status != StatusCode::FORBIDDEN
}

fn media_type(headers: &HeaderMap) -> String {
    let value = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// The wait that is asked for in seconds; a date is left to those with a clock, and counts as none.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok().map(Duration::from_secs)
}
