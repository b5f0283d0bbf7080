//! Opening one connection, with the limits that keep a hanging database from hanging us.

use std::str::FromStr;
use std::time::Duration;

use diesel::ConnectionError;
use diesel_async::AsyncPgConnection;
use tokio_postgres::{Config, NoTls};

/// The longest wait for a connection, new or from the pool.
pub(crate) const CONNECT_LIMIT: Duration = Duration::from_secs(5);

/// The longest wait for an answer: a little over the server's own limit on statements.
pub(crate) const ANSWER_LIMIT: Duration = Duration::from_secs(12);

// Milliseconds. A transaction is never held across network I/O, so that one idle for 5 s is lost.
// Statements are written so that one plan fits all values: planning a list would cost more than
// making it. The planner guesses high at limits that it does not see, which would compile the plan.
const SESSION: &str = "-c statement_timeout=10000 -c lock_timeout=8000 \
     -c idle_in_transaction_session_timeout=5000 -c client_min_messages=warning \
     -c plan_cache_mode=force_generic_plan -c jit=off";

/// Reads a database URL (`postgres://…`, a Unix socket too) or a `key=value` string.
pub(crate) fn configuration(url: &str) -> Result<Config, tokio_postgres::Error> {
    let mut config = Config::from_str(url)?;
    let options = match config.get_options() {
        Some(own) => format!("{SESSION} {own}"),
        None => SESSION.to_owned(),
    };
    if config.get_application_name().is_none() {
        config.application_name("callwright");
    }
    config
        .options(options)
        .connect_timeout(CONNECT_LIMIT)
        .keepalives_idle(Duration::from_secs(10))
        .tcp_user_timeout(ANSWER_LIMIT);
    Ok(config)
}

/// Opens a connection and sets it up.
pub(crate) async fn establish(config: &Config) -> Result<AsyncPgConnection, ConnectionError> {
    let opening = async {
        let (client, connection) = config
            .connect(NoTls)
            .await
            .map_err(|error| ConnectionError::CouldntSetupConfiguration(query_error(&error)))?;
        AsyncPgConnection::try_from_client_and_connection(client, connection).await
    };
    tokio::time::timeout(CONNECT_LIMIT, opening)
        .await
        .unwrap_or_else(|_| Err(ConnectionError::BadConnection("no answer to the connection".to_owned())))
}

/// The driver's error prints its kind only; its sources say what happened.
fn query_error(error: &tokio_postgres::Error) -> diesel::result::Error {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    diesel::result::Error::DatabaseError(
        diesel::result::DatabaseErrorKind::UnableToSendCommand,
        Box::new(text),
    )
}
