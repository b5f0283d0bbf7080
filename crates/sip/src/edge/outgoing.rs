//! Reading the streams that we opened. The transport layer frames and parses what comes, as we chose the
//! peer; what is admitted, and how often, is decided as for everything else.

use std::sync::Arc;
use std::time::Duration;

use rsipstack::transport::{SipConnection, TransportEvent};
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::Edge;
use super::dispatcher::MessageDispatcher;

/// The peer may close its end, or never say anything again.
const CLOSING: Duration = Duration::from_secs(2);

/// A stream on which nothing comes for so long is closed; the next request opens another.
const IDLE: Duration = Duration::from_mins(5);

/// An answer that cannot be written for so long shows that the peer does not read.
const WRITTEN_WITHIN: Duration = Duration::from_secs(5);

/// Reads a stream until it ends, and marks it as broken then.
pub(crate) async fn read(connection: SipConnection, edge: Arc<Edge>, dispatcher: Arc<MessageDispatcher>) {
    // Cancelled on every way out of here, a panic included: its flow must not be used again.
    let broken = connection.cancel_token().unwrap_or_default();
    let _broken = broken.clone().drop_guard();
    let (events, mut read) = mpsc::unbounded_channel();
    // What is read waits for what was read before: this is polled again once all is worked off.
    let reading = connection.serve_loop(events, IDLE);
    tokio::pin!(reading);
    loop {
        let event = tokio::select! {
            biased;
            () = broken.cancelled() => break,
            event = read.recv() => event,
            ended = &mut reading => {
                if let Err(error) = ended {
                    tracing::debug!(%error, "a SIP stream cannot be read any more");
                }
                break;
            }
        };
        let Some(TransportEvent::Incoming(message, _, from)) = event else { continue };
        let Ok(from) = from.get_socketaddr() else { continue };
        // Its head as bytes once more: what is admitted is decided in one place.
        let Ok(admission) = edge.judge(&message.to_bytes(), from, || true, Instant::now()) else { continue };
        let taking = dispatcher.dispatch(admission, message, connection.clone(), from);
        if tokio::time::timeout(WRITTEN_WITHIN, taking).await.is_err() {
            tracing::warn!(peer = %from, "the peer of a SIP stream does not read");
            break;
        }
    }
    broken.cancel();
    let _ = tokio::time::timeout(CLOSING, connection.close()).await;
}
