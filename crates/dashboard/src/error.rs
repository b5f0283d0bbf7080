//! Why a page is not shown.

use actix_web::http::StatusCode;
use domain::ports::{ReviseError, SetupError, StoreUnavailable};

/// What went wrong, as far as the reader is told.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PageError {
    /// There is no such page, or not for this user: both look the same.
    #[error("no such page")]
    NotFound,
    /// The user's role does not allow it.
    #[error("not allowed")]
    Forbidden,
    /// Nobody is signed in.
    #[error("nobody is signed in")]
    SignedOut,
    /// A form that did not come from a page of ours, or of a session that is over.
    #[error("the form is not ours")]
    ForeignForm,
    /// A form that is too large, too slow or unreadable.
    #[error("the form cannot be read")]
    BadForm,
    /// The user is at the same already, and it is done once at a time.
    #[error("one at a time")]
    OneAtATime,
    /// Too much came from one address of people who are not signed in; more may after so many seconds.
    #[error("too many requests came from one address")]
    TooOften(u64),
    /// The service is starting, ending, too busy, or without its database.
    #[error("the service is unavailable")]
    Unavailable,
    /// See [`StoreUnavailable`].
    #[error(transparent)]
    Store(#[from] StoreUnavailable),
    /// A fault of ours.
    #[error("{0}")]
    Internal(&'static str),
}

impl From<SetupError> for PageError {
    fn from(error: SetupError) -> Self {
        match error {
            SetupError::Unknown(_) => Self::NotFound,
            SetupError::Store(away) => Self::Store(away),
        }
    }
}

impl From<ReviseError> for PageError {
    fn from(error: ReviseError) -> Self {
        match error {
            ReviseError::Unknown(_) => Self::NotFound,
            // Whoever says what they saw tells what happened in words of the page's own.
            ReviseError::Overtaken => Self::Internal("overtaken, and nobody was told"),
            ReviseError::Store(away) => Self::Store(away),
        }
    }
}

impl From<askama::Error> for PageError {
    fn from(_: askama::Error) -> Self {
        Self::Internal("a template could not be filled")
    }
}

impl PageError {
    pub(crate) const fn status(&self) -> StatusCode {
        match self {
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Forbidden | Self::ForeignForm => StatusCode::FORBIDDEN,
            Self::SignedOut => StatusCode::UNAUTHORIZED,
            Self::BadForm => StatusCode::BAD_REQUEST,
            Self::OneAtATime | Self::TooOften(_) => StatusCode::TOO_MANY_REQUESTS,
            Self::Unavailable | Self::Store(_) => StatusCode::SERVICE_UNAVAILABLE,
            Self::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}
