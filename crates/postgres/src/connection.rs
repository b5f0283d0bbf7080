//! Opening one connection, with the limits that keep a hanging database from hanging us.

use std::time::Duration;

use diesel_async::AsyncPgConnection;
use tokio_postgres::config::SslMode;
use tokio_postgres::{CancelToken, Config};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::address::{Address, Protection, UrlError};
use crate::failure::Failure;
use crate::tls;

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

/// Opens connections to one database: all of ours are made here, and protected alike. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Connector {
    config: Config,
    tls: MakeRustlsConnect,
    protection: Protection,
}

impl Connector {
    /// Reads a database URL (`postgres://…`, a Unix socket too) and the authorities that it names.
    pub(crate) fn of(url: &str) -> Result<Self, UrlError> {
        let Address { mut config, protection, verification } = Address::parse(url)?;
        let tls = tls::connector(&config, verification.as_ref())?;
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
            .tcp_user_timeout(ANSWER_LIMIT)
            // Never the driver's default, which goes on in clear text where TLS is refused.
            .ssl_mode(if verification.is_some() { SslMode::Require } else { SslMode::Disable });
        Ok(Self { config, tls, protection })
    }

    /// How the connections are protected.
    pub(crate) const fn protection(&self) -> Protection {
        self.protection
    }

    /// Opens a connection and sets it up.
    pub(crate) async fn establish(&self) -> Result<AsyncPgConnection, Failure> {
        let opening = async {
            let connected = self.config.connect(self.tls.clone()).await;
            let (client, connection) = connected.map_err(|error| match tls::refusal(&error) {
                Some(refusal) => Failure::Tls(refusal),
                None => Failure::Connect(chain(&error).into()),
            })?;
            let set_up = AsyncPgConnection::try_from_client_and_connection(client, connection).await;
            set_up.map_err(|error| Failure::Connect(error.into()))
        };
        tokio::time::timeout(CONNECT_LIMIT, opening)
            .await
            .unwrap_or_else(|_| Err(Failure::Connect("no answer to the connection".into())))
    }

    /// Asks the database, on a connection protected like the others, to let go of a statement; whether it
    /// was asked.
    pub(crate) async fn cancel(&self, statement: &CancelToken) -> bool {
        let asked = tokio::time::timeout(CONNECT_LIMIT, statement.cancel_query(self.tls.clone())).await;
        matches!(asked, Ok(Ok(())))
    }
}

/// The driver's error prints its kind only; its sources say what happened.
pub(crate) fn chain(error: &tokio_postgres::Error) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}
