//! Answers that are no success, written down from the errors themselves.

use std::collections::BTreeMap;

use actix_web::ResponseError;
use actix_web::http::StatusCode;
use actix_web::http::header::CONTENT_TYPE;
use serde_json::{Value, json};
use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::example::ExampleBuilder;
use utoipa::openapi::response::{Response, ResponseBuilder};
use utoipa::openapi::{Ref, RefOr};

use super::description::with_common_headers;
use super::headers;
use super::schema::{Members, Part, choice, list, object, text, whole};
use crate::error::{ApiError, STORE_AWAY};
use crate::routes::Endpoint;
use application::requests::Code;

/// The shape of every error.
static ERROR: Part = Part {
    name: "Error",
    shape: || {
        object("The request is not answered as asked.")
            .always("error", text("Why, for people.", ApiError::Unauthorized.to_string()))
    },
    uses: &[],
};

/// The shape of a 400.
static BAD_REQUEST: Part = Part {
    name: "BadRequest",
    shape: || {
        object("The request cannot be taken.")
            .always("error", text("Why, for people.", ApiError::Invalid(Vec::new()).to_string()))
            .property(
                "details",
                list("All that is wrong with its fields, when that is why.", PROBLEM.reference()),
            )
    },
    uses: &[&PROBLEM],
};

/// One entry of `details`.
static PROBLEM: Part = Part {
    name: "Problem",
    shape: || {
        object("What is wrong with one field.")
            .always(
                "field",
                text("The field, `metadata.<name>` for a part of one; empty for the body itself.", "name"),
            )
            .always("message", text("What is wrong, for people.", "Required"))
            .always(
                "code",
                choice("What is wrong, for programs.", Code::ALL.map(|code| json!(code.as_str()))),
            )
    },
    uses: &[],
};

/// The shape of a 429.
static TOO_MANY: Part = Part {
    name: "TooManyRequests",
    shape: || {
        object("Too many requests came from this address.")
            .always("error", text("Why, for people.", TOO_MANY_REQUESTS.to_string()))
            .always("retryAfter", whole("Seconds to wait, as in `Retry-After`.", 1, 60))
    },
    uses: &[],
};

/// The parts that refusals refer to.
pub(super) const PARTS: [&Part; 3] = [&ERROR, &BAD_REQUEST, &TOO_MANY];

const TOO_MANY_REQUESTS: ApiError = ApiError::TooManyRequests { retry_after: 60 };

/// Everything that an endpoint says when it does not answer as asked, by status.
pub(super) struct Refusals {
    by_status: BTreeMap<StatusCode, Vec<ApiError>>,
    counted: bool,
}

impl Refusals {
    /// What the endpoint says of its own, and what every endpoint of its kind says.
    pub(super) fn of(endpoint: &Endpoint, reads_body: bool, own: Vec<ApiError>) -> Self {
        let mut by_status: BTreeMap<StatusCode, Vec<ApiError>> = BTreeMap::new();
        let counted = endpoint.limit.is_some();
        let errors = own
            .into_iter()
            .chain(reads_body.then(of_bodies).into_iter().flatten())
            .chain(endpoint.needs.a_key().then(of_keys).into_iter().flatten())
            .chain(counted.then_some(TOO_MANY_REQUESTS))
            .chain([ApiError::Internal]);
        for error in errors {
            by_status.entry(error.status_code()).or_default().push(error);
        }
        Self { by_status, counted }
    }

    /// The answers; those that are the same everywhere stand among the components.
    pub(super) fn responses(self) -> impl Iterator<Item = (StatusCode, RefOr<Response>)> {
        let Self { by_status, counted } = self;
        let shared: Vec<_> = if counted { shared().collect() } else { Vec::new() };
        by_status.into_iter().map(move |(status, errors)| {
            let response = response(&errors, counted);
            let known = shared.iter().find(|(_, known)| *known == response);
            (status, known.map_or(RefOr::T(response), |(name, _)| Ref::from_response_name(*name).into()))
        })
    }
}

/// Answers that every counted endpoint of a kind gives alike, as components.
pub(super) fn shared() -> impl Iterator<Item = (&'static str, Response)> {
    let alone = |error| response(&[error], true);
    [
        ("Unauthorized", alone(ApiError::Unauthorized)),
        ("Forbidden", alone(ApiError::Forbidden)),
        ("TooSlow", alone(ApiError::TooSlow)),
        ("TooLarge", alone(ApiError::TooLarge)),
        ("UnsupportedMediaType", alone(ApiError::UnsupportedMediaType)),
        ("TooManyRequests", alone(TOO_MANY_REQUESTS)),
        ("Internal", alone(ApiError::Internal)),
        ("Unavailable", response(&of_the_service(), true)),
        ("RouteNotFound", alone(ApiError::NoRoute)),
        ("MethodNotAllowed", alone(ApiError::MethodNotAllowed("GET, HEAD".to_owned()))),
    ]
    .into_iter()
}

fn of_bodies() -> Vec<ApiError> {
    vec![
        ApiError::Malformed("The request body is not valid JSON (line 1, column 2)".to_owned()),
        ApiError::TooSlow,
        ApiError::TooLarge,
        ApiError::UnsupportedMediaType,
    ]
}

fn of_keys() -> Vec<ApiError> {
    let mut errors = of_the_service();
    errors.extend([ApiError::Unauthorized, ApiError::Forbidden]);
    errors
}

fn of_the_service() -> Vec<ApiError> {
    ["The service is starting", "The service is shutting down", STORE_AWAY].map(ApiError::Unavailable).into()
}

/// The answer to all these errors of one status, each as it is really sent.
fn response(errors: &[ApiError], counted: bool) -> Response {
    let (status, part) = errors.first().map_or((StatusCode::INTERNAL_SERVER_ERROR, &ERROR), |error| {
        let status = error.status_code();
        let part = match status {
            StatusCode::BAD_REQUEST => &BAD_REQUEST,
            StatusCode::TOO_MANY_REQUESTS => &TOO_MANY,
            _ => &ERROR,
        };
        (status, part)
    });
    let examples = errors.iter().map(|error| {
        let sent = serde_json::to_value(error.body()).unwrap_or(Value::Null);
        (error.to_string(), ExampleBuilder::new().value(Some(sent)))
    });
    let content = ContentBuilder::new().schema(Some(part.reference())).examples_from_iter(examples).build();
    let mut answer = ResponseBuilder::new().description(words(status)).content("application/json", content);
    for error in errors {
        for name in error.error_response().headers().keys().filter(|name| **name != CONTENT_TYPE) {
            if let Some(known) = headers::known(name.as_str()) {
                answer = answer.header_ref(known, headers::answer_reference(known));
            }
        }
    }
    with_common_headers(answer, counted).build()
}

fn words(status: StatusCode) -> &'static str {
    match status {
        StatusCode::BAD_REQUEST => {
            "The request cannot be taken; all that is wrong with its fields is told at once."
        }
        StatusCode::UNAUTHORIZED => "The key is missing or invalid.",
        StatusCode::FORBIDDEN => "The key, or the address, may not do this.",
        StatusCode::NOT_FOUND => {
            "There is no such thing, or it is not for this key: the answers are the same."
        }
        StatusCode::METHOD_NOT_ALLOWED => "The path answers other methods only.",
        StatusCode::REQUEST_TIMEOUT => "The body did not arrive within 15 seconds.",
        StatusCode::PAYLOAD_TOO_LARGE => "The body is larger than 256 KiB.",
        StatusCode::RANGE_NOT_SATISFIABLE => "The file has no such part.",
        StatusCode::UNSUPPORTED_MEDIA_TYPE => {
            "The body is not said to be JSON in UTF-8 without content coding."
        }
        StatusCode::UNPROCESSABLE_ENTITY => "The request is understood, but cannot be done.",
        StatusCode::TOO_MANY_REQUESTS => "Too many requests from this address; this one was not processed.",
        StatusCode::SERVICE_UNAVAILABLE => "The service cannot take the request at the moment.",
        _ => "The service failed.",
    }
}
