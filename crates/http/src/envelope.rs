//! What every request goes through and every answer gets, whatever is asked.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use actix_web::body::BoxBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::error::InternalError;
use actix_web::http::ConnectionType;
use actix_web::http::header::{CACHE_CONTROL, HeaderMap, HeaderValue};
use actix_web::middleware::Next;
use actix_web::{Error, HttpMessage, HttpResponse, ResponseError};
use futures_util::FutureExt;
use tracing::{Instrument, field, info_span};

use crate::access_log::Line;
use crate::error::ApiError;
use crate::gate::Gate;
use crate::{rate_limit, request_id, routes, unread};

/// Names the request, counts it, serves it, survives its panic, and writes its log line.
pub(crate) async fn envelope(
    gate: Arc<Gate>,
    mut request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let id = request_id::request_id(request.headers(), gate.front.entropy.as_ref());
    let span = info_span!("request", request_id = %id, key = field::Empty);
    async move {
        // Judged by the decoded path, like the routing: an escaped letter makes no other endpoint.
        let pattern = request.resource_map().match_pattern(request.match_info().as_str());
        let mut line = Line::of(request.method(), pattern.as_deref());
        let other_protocol = request.head().upgrade();
        let held = unread::hold(&mut request);
        if pattern.as_deref().is_some_and(routes::is_beside) {
            let address = rate_limit::client_address(&gate.front, request.request());
            request.extensions_mut().insert(address);
        }
        let checked = rate_limit::check(&gate.front, &request, pattern.as_deref()).await;
        let mut answer = match checked.as_ref().and_then(|checked| checked.refused.as_ref()) {
            Some(refused) => Answer::Regular(request.into_response(refused.error_response())),
            None => serve(request, next).await,
        };
        if other_protocol {
            // Nothing else is spoken here, and the framework ends such a connection: without a word
            // of it the answer would say `upgrade`, and the client's next request meet a closed one.
            answer.close_connection();
        }
        let headers = answer.headers_mut();
        request_id::answer_with(&id, headers);
        // Answers are about somebody's calls, and true only for the moment; documents say otherwise.
        if !headers.contains_key(CACHE_CONTROL) {
            headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        }
        if let Some(checked) = checked {
            checked.describe(headers);
        }
        line.answered(answer.status());
        if let Some(held) = held {
            answer = answer.map_body(|body| held.until_written(body));
        }
        answer.into_result()
    }
    .instrument(span)
    .await
}

/// An answer with the request that it belongs to, or without it after a panic.
enum Answer {
    Regular(ServiceResponse<BoxBody>),
    Orphaned(HttpResponse),
}

/// Serves one request; a panic becomes the interface's 500.
async fn serve(request: ServiceRequest, next: Next<BoxBody>) -> Answer {
    let caught = AssertUnwindSafe(next.call(request)).catch_unwind().await;
    match caught {
        Ok(Ok(response)) => Answer::Regular(response),
        Ok(Err(error)) => {
            tracing::error!(cause = %error, "a request failed outside of its handler");
            Answer::Orphaned(ApiError::Internal.error_response())
        }
        Err(_) => {
            tracing::error!("a handler panicked");
            Answer::Orphaned(ApiError::Internal.error_response())
        }
    }
}

impl Answer {
    fn headers_mut(&mut self) -> &mut HeaderMap {
        match self {
            Self::Regular(response) => response.headers_mut(),
            Self::Orphaned(response) => response.headers_mut(),
        }
    }

    fn map_body(self, map: impl FnOnce(BoxBody) -> BoxBody) -> Self {
        match self {
            Self::Regular(response) => Self::Regular(response.map_body(|_, body| map(body))),
            Self::Orphaned(response) => Self::Orphaned(response.map_body(|_, body| map(body))),
        }
    }

    fn close_connection(&mut self) {
        let response = match self {
            Self::Regular(response) => response.response_mut(),
            Self::Orphaned(response) => response,
        };
        response.head_mut().set_connection_type(ConnectionType::Close);
    }

    fn status(&self) -> u16 {
        match self {
            Self::Regular(response) => response.status().as_u16(),
            Self::Orphaned(response) => response.status().as_u16(),
        }
    }

    /// The framework takes an answer without its request only by way of an error.
    fn into_result(self) -> Result<ServiceResponse<BoxBody>, Error> {
        match self {
            Self::Regular(response) => Ok(response),
            Self::Orphaned(response) => {
                Err(InternalError::from_response(ApiError::Internal, response).into())
            }
        }
    }
}
