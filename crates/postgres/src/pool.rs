//! Connections that one caller at a time has for itself.

use deadpool::Runtime;
use diesel::ConnectionError;
use diesel_async::AsyncPgConnection;
use diesel_async::pooled_connection::deadpool::{BuildError, Object, Pool as Connections};
use diesel_async::pooled_connection::{AsyncDieselConnectionManager, ManagerConfig, RecyclingMethod};
use tokio::runtime::Handle;
use tokio::time::timeout;

use crate::connection::{ANSWER_LIMIT, CONNECT_LIMIT, Connector};
use crate::failure::Failure;

/// Connections that are opened as they are needed, up to a number; whoever finds none free waits.
pub(crate) struct Pool {
    connections: Connections<AsyncPgConnection>,
    connector: Connector,
}

impl Pool {
    pub(crate) fn new(url: &str, connector: &Connector, size: usize) -> Result<Self, BuildError> {
        let mut manager = ManagerConfig::<AsyncPgConnection>::default();
        manager.recycling_method = RecyclingMethod::Fast;
        let opening = connector.clone();
        manager.custom_setup = Box::new(move |_| {
            let opening = opening.clone();
            Box::pin(async move {
                let opened = opening.establish().await;
                opened.map_err(|failure| ConnectionError::BadConnection(failure.to_string()))
            })
        });
        let connections = Connections::builder(AsyncDieselConnectionManager::new_with_config(url, manager))
            .max_size(size.max(1))
            .wait_timeout(Some(CONNECT_LIMIT))
            .create_timeout(Some(CONNECT_LIMIT))
            .recycle_timeout(Some(CONNECT_LIMIT))
            .runtime(Runtime::Tokio1);
        Ok(Self { connections: connections.build()?, connector: connector.clone() })
    }

    /// A whole transaction, or any work, on one connection.
    pub(crate) async fn with<T, F>(&self, work: F) -> Result<T, Failure>
    where
        F: AsyncFnOnce(&mut AsyncPgConnection) -> Result<T, Failure>,
    {
        let connection = self.connections.get().await.map_err(|error| Failure::Connect(error.into()))?;
        let mut loan = Loan { connection: Some(connection), connector: &self.connector };
        let Some(connection) = &mut loan.connection else { return Err(Failure::TimedOut) };
        let answer = timeout(ANSWER_LIMIT, work(connection)).await.map_err(|_| Failure::TimedOut)?;
        if let Some(connection) = loan.connection.take()
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
struct Loan<'a> {
    connection: Option<Object<AsyncPgConnection>>,
    connector: &'a Connector,
}

impl Drop for Loan<'_> {
    fn drop(&mut self) {
        let Some(connection) = self.connection.take().map(Object::take) else { return };
        // At the end of a runtime its connections end with it.
        if let Ok(runtime) = Handle::try_current() {
            let connector = self.connector.clone();
            runtime.spawn(async move {
                if !connector.cancel(&connection.cancel_token()).await {
                    tracing::debug!(
                        "the database was not told to let go of a statement; its own limit ends it"
                    );
                }
                drop(connection);
            });
        }
    }
}
