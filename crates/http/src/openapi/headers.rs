//! Headers of requests and answers.

use domain::idempotency::IdempotencyKey;
use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::header::{Header, HeaderBuilder};
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::ObjectBuilder;
use utoipa::openapi::{Ref, Required};

use super::schema::{SOME_UUID, choice, text, whole};

/// The request's own name, in both directions.
pub(super) const REQUEST_ID: &str = "X-Request-Id";
/// Makes a request safe to repeat.
pub(super) const IDEMPOTENCY_KEY: &str = "Idempotency-Key";
/// Names a version of a document.
pub(super) const TAG: &str = "ETag";
/// Asks for a document unless it is the client's own version.
pub(super) const IF_NONE_MATCH: &str = "If-None-Match";
/// Asks for a part of a file.
pub(super) const RANGE: &str = "Range";
/// Asks for it only of the version that the client knows.
pub(super) const IF_RANGE: &str = "If-Range";
/// Says which part of a file the answer is.
pub(super) const CONTENT_RANGE: &str = "Content-Range";
/// Says that an answer is an earlier one.
pub(super) const REPLAYED: &str = "Idempotency-Replayed";
/// On the answer to every counted request.
pub(super) const RATE_LIMIT: [&str; 3] = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"];

const SOME_TAG: &str = "\"0a1b2c3d4e5f6071\"";

/// Every header of answers, as a component.
pub(super) fn of_answers() -> Vec<(&'static str, Header)> {
    let [limit, remaining, reset] = RATE_LIMIT;
    vec![
        (REQUEST_ID, always("The request's name: the client's own, or a fresh one.", text("", SOME_UUID))),
        (limit, always("Limit of the called endpoint, in requests per window.", whole("", 1, 600))),
        (
            remaining,
            always("Requests that are left before the limit, given the present count.", whole("", 0, 599)),
        ),
        (
            reset,
            always(
                "When the window ends if no other request arrives; Unix time in milliseconds.",
                whole("", 0, 1_772_357_460_000),
            ),
        ),
        ("Retry-After", always("Seconds to wait before the next request.", whole("", 1, 60))),
        ("WWW-Authenticate", always("The scheme of authentication.", choice("", ["Bearer"]))),
        ("Allow", always("The methods that the path answers.", text("", "GET, HEAD"))),
        (
            REPLAYED,
            sometimes(
                "`true` when this is the answer to an earlier request with the same `Idempotency-Key`.",
                choice("", ["true"]),
            ),
        ),
        (CONTENT_RANGE, always("Which bytes these are, of how many.", text("", "bytes 44-16043/960044"))),
        (TAG, always("Names this version of the document, for `If-None-Match`.", text("", SOME_TAG))),
    ]
}

/// Every header of requests, as a component.
pub(super) fn of_requests() -> Vec<(&'static str, Parameter)> {
    vec![
        (
            REQUEST_ID,
            asked(
                REQUEST_ID,
                "The client's own name for the request, in 1 to 128 characters of letters, digits and \
                 `-_.:/+=@~`. It is returned, and stands in the service's log. Any other value is \
                 replaced by a fresh one.",
                text("", "order-4711"),
            ),
        ),
        (
            IDEMPOTENCY_KEY,
            asked(
                IDEMPOTENCY_KEY,
                "Makes the request safe to repeat for 24 hours: the same key with the same body gets the \
                 first answer again, with `Idempotency-Replayed: true`; with another body it gets 422. \
                 Keys belong to the API key's organization or tenant.",
                text("", SOME_UUID)
                    .min_length(Some(1))
                    .max_length(Some(IdempotencyKey::LENGTH_MAX))
                    .pattern(Some("^[!-~]+$")),
            ),
        ),
        (
            IF_NONE_MATCH,
            asked(IF_NONE_MATCH, "The versions that the client has, by their `ETag`.", text("", SOME_TAG)),
        ),
        (
            RANGE,
            asked(
                RANGE,
                "One range of bytes; several at once are not taken apart.",
                text("", "bytes=44-16043"),
            ),
        ),
        (
            IF_RANGE,
            asked(
                IF_RANGE,
                "The version of which the part is wanted, by its `ETag` or `Last-Modified`; of another one \
                 the whole is sent.",
                text("", SOME_TAG),
            ),
        ),
    ]
}

/// Where a header of requests stands in the document.
pub(super) fn request_reference(name: &str) -> Ref {
    Ref::new(format!("#/components/parameters/{name}"))
}

/// Where a header of answers stands in the document.
pub(super) fn answer_reference(name: &str) -> Ref {
    Ref::new(format!("#/components/headers/{name}"))
}

fn asked(name: &str, words: &str, shape: ObjectBuilder) -> Parameter {
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some(words))
        .schema(Some(wordless(shape)))
        .build()
}

fn sometimes(words: &str, shape: ObjectBuilder) -> Header {
    HeaderBuilder::new().description(Some(words)).schema(Some(wordless(shape))).build()
}

fn always(words: &str, shape: ObjectBuilder) -> Header {
    let mut header = sometimes(words, shape);
    // OpenAPI has this member of a header; the library has not.
    header.extensions = Some(Extensions::from_iter([("required", true)]));
    header
}

/// The words stand beside the schema.
fn wordless(shape: ObjectBuilder) -> ObjectBuilder {
    shape.description(None::<String>)
}

/// The name of a header of answers, as the document writes it.
pub(super) fn known(name: &str) -> Option<&'static str> {
    of_answers().into_iter().map(|(known, _)| known).find(|known| known.eq_ignore_ascii_case(name))
}
