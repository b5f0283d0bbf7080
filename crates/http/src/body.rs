//! Taking a request's body in: how large, how fast, of what kind.

use std::time::Duration;

use actix_web::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use actix_web::web::{BytesMut, Payload};
use actix_web::{HttpMessage, HttpRequest};
use futures_util::StreamExt;
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use crate::error::ApiError;

/// The largest body that is taken, in bytes.
const LENGTH_MAX: usize = 256 * 1024;

/// A body has to be here this long after its head.
const ARRIVAL_LIMIT: Duration = Duration::from_secs(15);

/// Reads the whole body as one JSON document.
pub(crate) async fn json(request: &HttpRequest, payload: Payload) -> Result<Value, ApiError> {
    check_kind(request)?;
    let body = read(request, payload).await?;
    application::requests::json(&body).map_err(|bad| ApiError::Malformed(format!("The request body {bad}")))
}

fn check_kind(request: &HttpRequest) -> Result<(), ApiError> {
    let header = |name| request.headers().get(name).map(|value| value.to_str().unwrap_or("?").trim());
    let plain = header(CONTENT_ENCODING).is_none_or(|coding| coding.eq_ignore_ascii_case("identity"));
    let json = request.content_type().trim().eq_ignore_ascii_case("application/json");
    // JSON between systems is UTF-8 (RFC 8259 §8.1); a charset may only say so.
    let parameters = header(CONTENT_TYPE).and_then(|text| text.split_once(';')).map(|(_, rest)| rest);
    let utf8 = parameters.into_iter().flat_map(|rest| rest.split(';')).all(|parameter| {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        let value = value.trim().trim_matches('"');
        !name.trim().eq_ignore_ascii_case("charset") || value.eq_ignore_ascii_case("utf-8")
    });
    if plain && json && utf8 { Ok(()) } else { Err(ApiError::UnsupportedMediaType) }
}

async fn read(request: &HttpRequest, mut payload: Payload) -> Result<BytesMut, ApiError> {
    let deadline = Instant::now() + ARRIVAL_LIMIT;
    let announced = request
        .headers()
        .get(CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok()?.parse::<usize>().ok())
        .unwrap_or(0);
    if announced > LENGTH_MAX {
        return Err(ApiError::TooLarge);
    }
    let mut body = BytesMut::with_capacity(announced);
    while let Some(chunk) = timeout_at(deadline, payload.next()).await.map_err(|_| ApiError::TooSlow)? {
        let chunk =
            chunk.map_err(|_| ApiError::Malformed("The request body could not be read".to_owned()))?;
        if body.len().saturating_add(chunk.len()) > LENGTH_MAX {
            return Err(ApiError::TooLarge);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}
