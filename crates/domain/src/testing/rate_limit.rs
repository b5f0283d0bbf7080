//! The rule on rate limits, word by word as the interface has it, with all the memory in the world.

use std::collections::HashMap;
use std::hash::Hash;

use crate::rate_limit::Verdict;

/// What every window is measured by. It shares nothing with [`crate::rate_limit::Window`].
#[derive(Clone, Debug)]
pub struct RateLimitModel<A>(HashMap<A, Vec<u64>>);

impl<A> Default for RateLimitModel<A> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<A: Eq + Hash> RateLimitModel<A> {
    /// A request of `address` at `now_ms`, which never goes back, to an endpoint with this limit.
    pub fn request(&mut self, address: A, limit: u32, now_ms: u64) -> Verdict {
        // 1, 2: by address, one count for all keys and endpoints.
        let moments = self.0.entry(address).or_default();
        // 3: back to zero after a full minute without any request.
        if moments.last().is_some_and(|last| last + 60_000 <= now_ms) {
            moments.clear();
        }
        // 4: rejected or not, it adds to the count and restarts the window.
        moments.push(now_ms);
        let so_far = u32::try_from(moments.len()).unwrap_or(u32::MAX);
        let (allowed, remaining) = if so_far > limit { (false, 0) } else { (true, limit - so_far) };
        Verdict { allowed, limit, remaining, reset_ms: now_ms + 60_000 }
    }
}
