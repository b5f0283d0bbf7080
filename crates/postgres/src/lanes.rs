//! Connections that many callers share at a time, for reads of one statement.
//!
//! Each thread keeps to one of them. A connection is driven on the runtime that opened it, so a
//! thread with a runtime of its own, such as an HTTP worker, reads without waking any other.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use diesel_async::AsyncPgConnection;
use parking_lot::RwLock;
use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::address::Protection;
use crate::connection::{ANSWER_LIMIT, CONNECT_LIMIT, Connector};
use crate::failure::Failure;
use crate::statement::{Row, Statement};

thread_local! {
    /// Which connection this thread keeps to, modulo their number.
    static SEAT: usize = {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        NEXT.fetch_add(1, Ordering::Relaxed)
    };
}

/// Shared connections, opened when first needed. Statements of different callers are pipelined on
/// each, so nothing that may wait for a lock belongs here.
pub(crate) struct Lanes {
    connector: Connector,
    shared: Vec<Lane>,
}

#[derive(Default)]
struct Lane {
    current: RwLock<Option<Arc<AsyncPgConnection>>>,
    // Held while a connection is opened, so that one is opened for all who wait.
    opening: Mutex<()>,
}

impl Lanes {
    pub(crate) fn new(connector: Connector, count: usize) -> Self {
        let shared = (0..count.max(1)).map(|_| Lane::default()).collect();
        Self { connector, shared }
    }

    pub(crate) const fn protection(&self) -> Protection {
        self.connector.protection()
    }

    /// Runs a read; when its connection turns out to be dead, once more on a fresh one.
    pub(crate) async fn read<R: Row>(&self, make: impl Fn() -> Statement + Send) -> Result<Vec<R>, Failure> {
        let seat = SEAT.with(|seat| *seat) % self.shared.len();
        let lane = self.shared.get(seat).ok_or(Failure::TimedOut)?;
        let mut again = true;
        loop {
            let connection = timeout(CONNECT_LIMIT, lane.connected(&self.connector))
                .await
                .map_err(|_| Failure::Connect("no connection in time".into()))??;
            let answer =
                timeout(ANSWER_LIMIT, make().rows::<R>(&connection)).await.unwrap_or(Err(Failure::TimedOut));
            match answer {
                Err(failure) if failure.breaks_connection() => {
                    lane.drop_if_same(&connection);
                    if !again || matches!(failure, Failure::TimedOut) {
                        return Err(failure);
                    }
                    again = false;
                }
                other => return other,
            }
        }
    }
}

impl Lane {
    async fn connected(&self, connector: &Connector) -> Result<Arc<AsyncPgConnection>, Failure> {
        if let Some(connection) = self.current() {
            return Ok(connection);
        }
        let _turn = self.opening.lock().await;
        if let Some(connection) = self.current() {
            return Ok(connection);
        }
        let fresh = Arc::new(connector.establish().await?);
        *self.current.write() = Some(Arc::clone(&fresh));
        Ok(fresh)
    }

    fn current(&self) -> Option<Arc<AsyncPgConnection>> {
        self.current.read().clone()
    }

    fn drop_if_same(&self, dead: &Arc<AsyncPgConnection>) {
        let mut current = self.current.write();
        if current.as_ref().is_some_and(|connection| Arc::ptr_eq(connection, dead)) {
            *current = None;
        }
    }
}
