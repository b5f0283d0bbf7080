//! The connection as requests see it: they count over it, and the first that fails breaks it.

use std::sync::OnceLock;
use std::time::Duration;

use domain::rate_limit::Client;
use redis::aio::MultiplexedConnection;
use tokio::sync::Semaphore;
use tokio::task::AbortHandle;
use tokio::time::timeout;

use crate::connection::Connection;
use crate::script;

/// Counts that may wait for Redis at once; what comes beyond is counted by the node alone.
const IN_FLIGHT: usize = 1024;

/// An open connection that many requests share.
pub(crate) struct Line {
    requests: MultiplexedConnection,
    driver: AbortHandle,
    places: Semaphore,
    broken: OnceLock<String>,
}

impl Line {
    pub(crate) fn new(connection: &Connection) -> Self {
        Self {
            requests: connection.requests.clone(),
            driver: connection.driver.abort_handle(),
            places: Semaphore::new(IN_FLIGHT),
            broken: OnceLock::new(),
        }
    }

    /// Counts a request; none when Redis cannot say how many there are.
    ///
    /// The first failure ends the connection, and with it every other wait on it: a Redis that
    /// hangs costs one deadline, not one for each request.
    pub(crate) async fn count(&self, client: Client, deadline: Duration) -> Option<u32> {
        let _place = self.places.try_acquire().ok()?;
        let mut requests = self.requests.clone();
        let why = match timeout(deadline, script::count(&mut requests, client)).await {
            Ok(Ok(count)) => return Some(count),
            Ok(Err(error)) => error.to_string(),
            Err(_) => format!("no answer within {} ms", deadline.as_millis()),
        };
        // Whoever comes second only saw the first one hang up.
        let _ = self.broken.set(why);
        self.driver.abort();
        None
    }

    /// Why it ended.
    pub(crate) fn why(&self) -> &str {
        self.broken.get().map_or("Redis closed the connection", String::as_str)
    }
}
