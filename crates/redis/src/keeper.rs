//! Keeps one connection: opens it, waits for its end, and tries again without haste.

use std::sync::Arc;
use std::time::Duration;

use domain::ports::Entropy;
use rustls::ClientConfig;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use crate::address::Address;
use crate::connection::connect;
use crate::line::Line;

/// Redis on the next machine answers in less than a millisecond.
const DEADLINE: Duration = Duration::from_millis(50);

/// The shortest and the longest pause between two tries; jitter takes up to half of it away.
const PAUSES: [Duration; 2] = [Duration::from_millis(250), Duration::from_secs(5)];

/// A connection that held so long was a good one: the pauses begin anew.
const STEADY: Duration = Duration::from_secs(30);

/// Which Redis, and how it is talked to.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where it is.
    pub address: Address,
    /// Whom it may be signed by; needed for an address by TLS.
    pub tls: Option<Arc<ClientConfig>>,
    /// How long a request waits for its count before the node's own stands.
    pub deadline: Duration,
}

impl Settings {
    /// With the usual deadline of 50 ms.
    pub const fn new(address: Address, tls: Option<Arc<ClientConfig>>) -> Self {
        Self { address, tls, deadline: DEADLINE }
    }
}

/// Runs for as long as the window does; `current` holds the connection while there is one.
pub(crate) async fn keep(
    settings: Settings,
    entropy: Arc<dyn Entropy>,
    current: watch::Sender<Option<Arc<Line>>>,
) {
    let redis = settings.address.to_string();
    let mut pause = PAUSES[0];
    let mut away = false;
    loop {
        let why = match connect(&settings.address, settings.tls.as_ref(), settings.deadline).await {
            Ok(connection) => {
                tracing::info!(redis, "requests are counted in Redis");
                away = false;
                let since = Instant::now();
                let line = Arc::new(Line::new(&connection));
                current.send_replace(Some(Arc::clone(&line)));
                // It ends by Redis, or by the first request that it fails.
                let _ = connection.driver.await;
                current.send_replace(None);
                if since.elapsed() >= STEADY {
                    pause = PAUSES[0];
                }
                line.why().to_owned()
            }
            Err(error) => error.to_string(),
        };
        if !away {
            tracing::warn!(redis, why, "Redis is away: this node counts requests by itself");
            away = true;
        }
        sleep(jittered(pause, entropy.as_ref())).await;
        pause = (pause * 2).min(PAUSES[1]);
    }
}

/// Between half of `pause` and all of it, so that nodes do not come back in step.
fn jittered(pause: Duration, entropy: &dyn Entropy) -> Duration {
    let mut byte = [0];
    entropy.fill(&mut byte);
    let half = pause / 2;
    half + half * u32::from(byte[0]) / 255
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixed(u8);

    impl Entropy for Fixed {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(self.0);
        }
    }

    #[test]
    fn a_pause_is_cut_by_half_at_most() {
        let pause = Duration::from_secs(2);
        assert_eq!(jittered(pause, &Fixed(0)), Duration::from_secs(1));
        assert_eq!(jittered(pause, &Fixed(255)), pause);
    }
}
