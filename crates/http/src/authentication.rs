//! Who asks, and whether they may.

use actix_web::HttpRequest;
use actix_web::http::header::AUTHORIZATION;
use domain::access::Principal;
use domain::audit::{Actor, Deed};
use domain::secret::Secret;
use tracing::{Span, field};

use crate::error::ApiError;
use crate::gate::{Gate, Service};
use crate::rate_limit;
use crate::routes::Needs;

/// An API key as it was sent; it never reaches a log.
pub(crate) struct PresentedKey(Secret<String>);

/// Takes the key out of `Authorization: Bearer <API_KEY>` (interface, Authentication 1).
pub(crate) fn presented_key(request: &HttpRequest) -> Result<PresentedKey, ApiError> {
    let mut lines = request.headers().get_all(AUTHORIZATION);
    // Two lines would leave it to chance whose key counts.
    let (Some(line), None) = (lines.next(), lines.next()) else { return Err(ApiError::Unauthorized) };
    let text = line.to_str().map_err(|_| ApiError::Unauthorized)?;
    let (scheme, key) = text.split_once(' ').ok_or(ApiError::Unauthorized)?;
    let key = key.trim();
    if !scheme.eq_ignore_ascii_case("bearer") || key.is_empty() {
        return Err(ApiError::Unauthorized);
    }
    Ok(PresentedKey(Secret::new(key.to_owned())))
}

/// A key's deed, here and now, for the audit log.
pub(crate) fn deed(gate: &Gate, request: &HttpRequest, principal: &Principal) -> Deed {
    let from = Some(rate_limit::client_address(&gate.front, request));
    Deed { actor: Actor::Key(principal.key), from, at: gate.front.clock.now() }
}

/// Finds the key's holder and checks whether the endpoint takes such a key.
pub(crate) async fn authorize(
    service: &Service,
    key: &PresentedKey,
    needs: Needs,
) -> Result<Principal, ApiError> {
    let found = service.authenticate.authenticate(key.0.reveal()).await?;
    let principal = found.ok_or(ApiError::Unauthorized)?;
    Span::current().record("key", field::display(principal.key));
    let may = match needs {
        Needs::NoKey | Needs::SignedAddress => true,
        Needs::TenantKey => principal.scope.organization().is_none(),
        Needs::Permission(permission) => principal.may(permission),
    };
    if may { Ok(principal) } else { Err(ApiError::Forbidden) }
}
