//! Connections that one caller at a time has for itself.

use deadpool::Runtime;
use diesel_async::AsyncPgConnection;
use diesel_async::pooled_connection::deadpool::{BuildError, Object, Pool as Connections};
use diesel_async::pooled_connection::{AsyncDieselConnectionManager, ManagerConfig, RecyclingMethod};
use tokio::runtime::Handle;
use tokio::time::timeout;
use tokio_postgres::{Config, NoTls};

use crate::connection::{ANSWER_LIMIT, CONNECT_LIMIT, establish};
use crate::failure::Failure;

/// Connections that are opened as they are needed, up to a number; whoever finds none free waits.
pub(crate) struct Pool(Connections<AsyncPgConnection>);

impl Pool {
    pub(crate) fn new(url: &str, config: &Config, size: usize) -> Result<Self, BuildError> {
        let mut manager = ManagerConfig::<AsyncPgConnection>::default();
        manager.recycling_method = RecyclingMethod::Fast;
        let config = config.clone();
        manager.custom_setup = Box::new(move |_| {
            let config = config.clone();
            Box::pin(async move { establish(&config).await })
        });
        let connections = Connections::builder(AsyncDieselConnectionManager::new_with_config(url, manager))
            .max_size(size.max(1))
            .wait_timeout(Some(CONNECT_LIMIT))
            .create_timeout(Some(CONNECT_LIMIT))
            .recycle_timeout(Some(CONNECT_LIMIT))
            .runtime(Runtime::Tokio1);
        Ok(Self(connections.build()?))
    }

    /// A whole transaction, or any work, on one connection.
    pub(crate) async fn with<T, F>(&self, work: F) -> Result<T, Failure>
    where
        F: AsyncFnOnce(&mut AsyncPgConnection) -> Result<T, Failure>,
    {
        let connection = self.0.get().await.map_err(|error| Failure::Connect(error.into()))?;
        let mut loan = Loan(Some(connection));
        let Some(connection) = &mut loan.0 else { return Err(Failure::TimedOut) };
        let answer = timeout(ANSWER_LIMIT, work(connection)).await.map_err(|_| Failure::TimedOut)?;
        if let Some(connection) = loan.0.take()
            && answer.as_ref().is_err_and(Failure::breaks_connection)
        {
            // Nothing half-done may be found by the next user of this connection.
            drop(Object::take(connection));
        }
        answer
    }
}

/// A connection until it is given back. When its user goes away in the middle, or has waited too long, the
/// database is told to let go of what it is doing, and nobody else gets this connection.
struct Loan(Option<Object<AsyncPgConnection>>);

impl Drop for Loan {
    fn drop(&mut self) {
        let Some(connection) = self.0.take().map(Object::take) else { return };
        // At the end of a runtime its connections end with it.
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(async move {
                let told = connection.cancel_token();
                if !matches!(timeout(CONNECT_LIMIT, told.cancel_query(NoTls)).await, Ok(Ok(()))) {
                    tracing::debug!(
                        "the database was not told to let go of a statement; its own limit ends it"
                    );
                }
                drop(connection);
            });
        }
    }
}
