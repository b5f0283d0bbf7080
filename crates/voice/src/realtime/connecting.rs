//! Reaching a provider, with another try where that may help.

use std::time::Duration;

use egress::WayOut;
use tokio::time::{Instant, sleep_until};

use super::handshake::{Door, NoEntry, enter};
use super::socket::Socket;

/// The wait after the first try; it doubles with each.
const FIRST_WAIT: Duration = Duration::from_millis(100);

/// Connects, in several tries within `limit`; else tells why that failed.
pub(super) async fn connect(way_out: &WayOut, door: &Door, limit: Duration) -> Result<Socket, String> {
    let deadline = Instant::now() + limit;
    let mut wait = FIRST_WAIT;
    loop {
        // A try that hangs must leave time for another.
        let this_try =
            Instant::now() + (limit / 2).max(deadline.saturating_duration_since(Instant::now()) / 2);
        match enter(way_out, door, this_try.min(deadline)).await {
            Ok(stream) => return Ok(Socket::new(stream)),
            Err(NoEntry::Refused(cause)) => return Err(cause),
            Err(NoEntry::Failed(cause)) => {
                let next = Instant::now() + wait;
                if next >= deadline {
                    return Err(cause);
                }
                tracing::debug!(cause, "a provider was not reached; another try follows");
                sleep_until(next).await;
                wait *= 2;
            }
        }
    }
}
