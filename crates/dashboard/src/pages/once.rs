//! What a form that is sent twice, by an impatient finger or by coming back to it, is known by.

use domain::idempotency::IdempotencyKey;

use crate::error::PageError;
use crate::request::Asked;

/// The one-time token of a form, as the key of the request that it makes; `form` says of which kind.
pub(crate) fn key(asked: &Asked, form: &str) -> Result<IdempotencyKey, PageError> {
    let token = asked.form.text("once").ok_or(PageError::BadForm)?;
    IdempotencyKey::parse(&format!("page-{form}-{token}")).ok_or(PageError::BadForm)
}
