//! The window in which requests are counted.

use async_trait::async_trait;

use crate::rate_limit::{Client, Verdict};

/// The window of one node, which can be told what all nodes have counted.
pub trait OwnWindow: Send + Sync {
    /// Counts one request that came to this node; as [`RateLimitWindow::count`].
    fn count_now(&self, client: Client, limit: u32, now_ms: u64) -> Verdict;

    /// What one more request of a client would be told now; it is not counted.
    fn foresee(&self, client: Client, limit: u32, now_ms: u64) -> Verdict;

    /// A client that was just counted has made `requests` in its window, here and elsewhere: from
    /// now on this node knows of no fewer.
    fn learn(&self, client: Client, requests: u32);
}

/// Counts the requests of every client by the rule of [`crate::rate_limit::Window`].
#[async_trait]
pub trait RateLimitWindow: Send + Sync {
    /// Counts one request against its endpoint's limit. `now_ms` and the verdict's reset are Unix
    /// milliseconds. It always answers: a shared window that is away falls back to local counts.
    async fn count(&self, client: Client, limit: u32, now_ms: u64) -> Verdict;
}
