//! The window as the service sees it: counted here and in Redis, judged by the stricter of both.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use domain::ports::{Entropy, OwnWindow, RateLimitWindow};
use domain::rate_limit::{Client, Verdict};
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;

use crate::connection::{ConnectError, connect};
use crate::keeper::{Settings, keep};
use crate::line::Line;

/// Counts requests in Redis, for all nodes together.
///
/// Every request is counted in the node's own window too (a fraction of a microsecond), which learns
/// what Redis answers: a client at its limit stays there when Redis goes away or forgets.
pub struct RedisWindow {
    own: Arc<dyn OwnWindow>,
    current: watch::Receiver<Option<Arc<Line>>>,
    deadline: Duration,
    _keeper: AbortOnDropHandle<()>,
}

impl RedisWindow {
    /// Starts connecting and counts from now on, beside `own`. Call it inside a tokio runtime, which
    /// does the talking; requests may come from any other.
    pub fn start(settings: Settings, own: Arc<dyn OwnWindow>, entropy: Arc<dyn Entropy>) -> Self {
        let (sender, current) = watch::channel(None);
        let deadline = settings.deadline;
        let keeper = AbortOnDropHandle::new(tokio::spawn(keep(settings, entropy, sender)));
        Self { own, current, deadline, _keeper: keeper }
    }

    /// Whether Redis counts at this moment.
    pub fn is_shared(&self) -> bool {
        self.current.borrow().is_some()
    }

    async fn shared(&self, client: Client) -> Option<u32> {
        let line = self.current.borrow().clone()?;
        line.count(client, self.deadline).await
    }
}

#[async_trait]
impl RateLimitWindow for RedisWindow {
    async fn count(&self, client: Client, limit: u32, now_ms: u64) -> Verdict {
        let own = self.own.count_now(client, limit, now_ms);
        let Some(requests) = self.shared(client).await else { return own };
        let remaining = limit.saturating_sub(requests);
        if remaining < own.remaining || requests > limit {
            self.own.learn(client, requests);
        }
        Verdict { allowed: own.allowed && requests <= limit, remaining: own.remaining.min(remaining), ..own }
    }
}

/// Connects and counts once, as a start would; tells what is in the way.
pub async fn probe(settings: &Settings) -> Result<(), ConnectError> {
    connect(&settings.address, settings.tls.as_ref(), settings.deadline).await.map(drop)
}
