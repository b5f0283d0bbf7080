//! The one shape of everything that is not a success.

use std::borrow::Cow;

use actix_web::http::StatusCode;
use actix_web::http::header::{ALLOW, CONTENT_RANGE, RETRY_AFTER, WWW_AUTHENTICATE};
use actix_web::{HttpResponse, ResponseError};
use application::requests::Problem;
use domain::ports::{ArtifactsUnavailable, StoreUnavailable};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

/// Seconds after which a request that was answered 503 is worth repeating.
const RETRY_AFTER_SECONDS: u64 = 5;

/// What is told of a store that does not answer.
pub(crate) const STORE_AWAY: &str = "The service is temporarily unavailable";

/// Why a request is not answered as asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ApiError {
    /// 400: the body is not JSON that can be taken.
    #[error("{0}")]
    Malformed(String),
    /// 400: fields of the request are wrong; all of them are listed.
    #[error("Invalid request data")]
    Invalid(Vec<Problem>),
    /// 400: well formed, but against a rule that no single field can be blamed for.
    #[error("{0}")]
    Refused(Cow<'static, str>),
    /// 401: no key, or not a live one.
    #[error("Invalid or missing API key")]
    Unauthorized,
    /// 403: the key may not do this.
    #[error("Insufficient permissions")]
    Forbidden,
    /// 403: the address is not one that was signed, or its hour is over.
    #[error("The address is invalid or has expired: fetch the call again for a fresh one")]
    BadAddress,
    /// 416: the file has no such part.
    #[error("The file has no such part")]
    NoSuchPart {
        /// How long it is.
        bytes: u64,
    },
    /// 404: this path leads nowhere.
    #[error("Route not found")]
    NoRoute,
    /// 404: what the endpoint says of something that is not there, or not for this key.
    #[error("{0}")]
    NotFound(&'static str),
    /// 405: the path exists for other methods only.
    #[error("Method not allowed")]
    MethodNotAllowed(String),
    /// 408: the body did not arrive in time.
    #[error("Request body took too long to arrive")]
    TooSlow,
    /// 413: the body is larger than any endpoint needs.
    #[error("Request body is too large")]
    TooLarge,
    /// 415: the body is not said to be plain JSON.
    #[error("Content-Type must be application/json, and Content-Encoding absent")]
    UnsupportedMediaType,
    /// 422: understood, but it cannot be done.
    #[error("{0}")]
    Unprocessable(&'static str),
    /// 429: too many requests from this address.
    #[error("Too many requests")]
    TooManyRequests {
        /// Seconds to wait.
        retry_after: u64,
    },
    /// 500: our fault.
    #[error("Internal server error occurred")]
    Internal,
    /// 503: the service is starting or draining.
    #[error("{0}")]
    Unavailable(&'static str),
    /// 503: the store cannot be asked.
    #[error("{STORE_AWAY}")]
    Store(#[from] StoreUnavailable),
    /// 503: a file cannot be read.
    #[error("{STORE_AWAY}")]
    Artifacts(#[from] ArtifactsUnavailable),
}

/// The body of every error.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Body<'a> {
    error: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Vec<Detail<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after: Option<u64>,
}

/// One entry of `details` (interface, Errors).
struct Detail<'a>(&'a Problem);

impl Serialize for Detail<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut entry = serializer.serialize_struct("Detail", 3)?;
        entry.serialize_field("field", &self.0.field)?;
        entry.serialize_field("message", &self.0.fault.to_string())?;
        entry.serialize_field("code", self.0.fault.code().as_str())?;
        entry.end()
    }
}

impl From<Vec<Problem>> for ApiError {
    fn from(problems: Vec<Problem>) -> Self {
        Self::Invalid(problems)
    }
}

/// Two parts of a request that were read apart; the problems of both are told together.
pub(crate) fn both<A, B>(
    one: Result<A, Vec<Problem>>,
    other: Result<B, ApiError>,
) -> Result<(A, B), ApiError> {
    match (one, other) {
        (Ok(one), Ok(other)) => Ok((one, other)),
        (Err(mut problems), Err(ApiError::Invalid(more))) => {
            problems.extend(more);
            Err(ApiError::Invalid(problems))
        }
        (Err(problems), Ok(_)) => Err(ApiError::Invalid(problems)),
        (_, Err(error)) => Err(error),
    }
}

/// The body for a request that could not be read as HTTP.
pub(crate) fn unreadable(status: StatusCode) -> String {
    let words = match status {
        StatusCode::REQUEST_TIMEOUT => "Request head took too long to arrive",
        StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => "Request head is too large",
        _ if status.is_client_error() => "The request is not valid HTTP",
        _ => "Internal server error occurred",
    };
    serde_json::json!({ "error": words }).to_string()
}

impl ApiError {
    /// The body that tells it.
    pub(crate) fn body(&self) -> Body<'_> {
        Body {
            error: self.to_string(),
            details: if let Self::Invalid(problems) = self {
                Some(problems.iter().map(Detail).collect())
            } else {
                None
            },
            retry_after: if let Self::TooManyRequests { retry_after } = self {
                Some(*retry_after)
            } else {
                None
            },
        }
    }
}

impl ResponseError for ApiError {
    fn status_code(&self) -> StatusCode {
        match self {
            Self::Malformed(_) | Self::Invalid(_) | Self::Refused(_) => StatusCode::BAD_REQUEST,
            Self::Unauthorized => StatusCode::UNAUTHORIZED,
            Self::Forbidden | Self::BadAddress => StatusCode::FORBIDDEN,
            Self::NoSuchPart { .. } => StatusCode::RANGE_NOT_SATISFIABLE,
            Self::NoRoute | Self::NotFound(_) => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed(_) => StatusCode::METHOD_NOT_ALLOWED,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Unprocessable(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Self::TooManyRequests { .. } => StatusCode::TOO_MANY_REQUESTS,
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Unavailable(_) | Self::Store(_) | Self::Artifacts(_) => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    fn error_response(&self) -> HttpResponse {
        if let Self::Store(StoreUnavailable(cause)) = self {
            // The boundary: the cause stays here, the client learns only that it should come again.
            tracing::error!(cause = %cause, "the store is unavailable");
        }
        if let Self::Artifacts(ArtifactsUnavailable(cause)) = self {
            tracing::error!(cause = %cause, "an artifact cannot be read");
        }
        let mut answer = HttpResponse::build(self.status_code());
        match self {
            Self::Unauthorized => {
                answer.insert_header((WWW_AUTHENTICATE, "Bearer"));
            }
            Self::MethodNotAllowed(allowed) => {
                answer.insert_header((ALLOW, allowed.as_str()));
            }
            Self::TooManyRequests { retry_after } => {
                answer.insert_header((RETRY_AFTER, *retry_after));
            }
            Self::NoSuchPart { bytes } => {
                answer.insert_header((CONTENT_RANGE, format!("bytes */{bytes}")));
            }
            Self::Unavailable(_) | Self::Store(_) | Self::Artifacts(_) => {
                answer.insert_header((RETRY_AFTER, RETRY_AFTER_SECONDS));
            }
            // What is left of the body is not worth waiting for.
            Self::TooSlow => {
                answer.force_close();
            }
            _ => {}
        }
        answer.json(self.body())
    }
}
