//! What can go wrong on the way to the database and back.

use diesel::result::{DatabaseErrorKind, Error as DieselError};
use domain::ports::StoreUnavailable;
use uuid::Uuid;

use crate::tls::TlsError;

/// The inner cause; outside it is a [`StoreUnavailable`].
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// No connection could be made, or none was free in time.
    #[error("no connection to the database: {0}")]
    Connect(Box<dyn std::error::Error + Send + Sync>),
    /// TLS with the database failed: the connection would not have been protected as it has to be.
    #[error(transparent)]
    Tls(TlsError),
    /// The database did not answer in time.
    #[error("the database did not answer in time")]
    TimedOut,
    /// The database refused the statement, or the connection broke.
    #[error("the database failed: {0}")]
    Database(#[from] DieselError),
    /// A row holds a mix of values that it never should.
    #[error("impossible row in {table}, id {id}: {why}")]
    Impossible {
        /// The table.
        table: &'static str,
        /// The row's id.
        id: Uuid,
        /// What does not fit.
        why: &'static str,
    },
    /// The decision cannot be taken as things stand.
    #[error("{0}")]
    Refused(&'static str),
}

impl Failure {
    pub(crate) fn impossible(table: &'static str, id: Uuid, why: &'static str) -> Self {
        Self::Impossible { table, id, why }
    }

    /// Whether the connection is of no more use.
    pub(crate) fn breaks_connection(&self) -> bool {
        match self {
            Self::Connect(_)
            | Self::Tls(_)
            | Self::TimedOut
            | Self::Database(DieselError::BrokenTransactionManager) => true,
            Self::Database(DieselError::DatabaseError(kind, information)) => match kind {
                DatabaseErrorKind::UnableToSendCommand | DatabaseErrorKind::ClosedConnection => true,
                // 57P01–57P03 have no kind of their own; the server says goodbye in these words.
                DatabaseErrorKind::Unknown => information.message().contains("terminating connection"),
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether the statement may have been carried out although its answer did not come.
    pub(crate) fn is_uncertain(&self) -> bool {
        self.breaks_connection() && !matches!(self, Self::Connect(_) | Self::Tls(_))
    }

    /// Whether a row with this key is there already.
    pub(crate) fn is_unique(&self) -> bool {
        matches!(self, Self::Database(DieselError::DatabaseError(DatabaseErrorKind::UniqueViolation, _)))
    }

    /// Whether a reference to another row failed.
    pub(crate) fn is_foreign_key(&self) -> bool {
        matches!(self, Self::Database(DieselError::DatabaseError(DatabaseErrorKind::ForeignKeyViolation, _)))
    }
}

impl From<Failure> for StoreUnavailable {
    fn from(failure: Failure) -> Self {
        Self::because(failure)
    }
}
