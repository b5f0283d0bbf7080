//! Connections that one caller at a time has for itself.

use deadpool::Runtime;
use diesel_async::AsyncPgConnection;
use diesel_async::pooled_connection::deadpool::{BuildError, Object, Pool as Connections};
use diesel_async::pooled_connection::{AsyncDieselConnectionManager, ManagerConfig, RecyclingMethod};
use tokio::time::timeout;
use tokio_postgres::Config;

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
        let mut connection = self.0.get().await.map_err(|error| Failure::Connect(error.into()))?;
        match timeout(ANSWER_LIMIT, work(&mut connection)).await {
            Ok(Err(failure)) if failure.breaks_connection() => {
                // Nothing half-done may be found by the next user of this connection.
                drop(Object::take(connection));
                Err(failure)
            }
            Ok(answer) => answer,
            Err(_) => {
                drop(Object::take(connection));
                Err(Failure::TimedOut)
            }
        }
    }
}
