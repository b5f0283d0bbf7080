//! Idempotency keys: taken together with what their request makes.

use domain::idempotency::{LIFETIME, Once};
use domain::ids::OrganizationId;
use time::OffsetDateTime;

use crate::statement::Statement;

/// The expression `claimed`: takes a free key, or one that has expired, and has no row when the key
/// is another request's. A twin's key that is not committed yet is waited for.
///
/// `$values` are the columns from `tenant_id` to `created_at`, and `$expired` is before which moment
/// keys have expired.
macro_rules! claimed {
    ($values:literal, $from:literal, expired = $expired:literal) => {
        concat!(
            "claimed AS MATERIALIZED (
    INSERT INTO idempotency_keys AS k (tenant_id, organization_id, operation, key, fingerprint,
        resource_id, answer, created_at)
    SELECT ",
            $values,
            $from,
            "
    ON CONFLICT (tenant_id, organization_id, operation, key) DO UPDATE
    SET fingerprint = EXCLUDED.fingerprint, resource_id = EXCLUDED.resource_id,
        answer = EXCLUDED.answer, created_at = EXCLUDED.created_at
    WHERE k.created_at < ",
            $expired,
            "
    RETURNING resource_id
), "
        )
    };
}
pub(crate) use claimed;

/// The expression `taken`: a key that is taken and has not expired, as [`key_binds`] names it in `$1`
/// to `$4`.
// An index finds `IS NULL` and `=`, but not `IS NOT DISTINCT FROM`.
macro_rules! taken {
    ($operation:literal) => {
        concat!(
            "taken AS (
    SELECT fingerprint, resource_id, answer, created_at FROM idempotency_keys
    WHERE tenant_id = $1 AND organization_id = $2 AND operation = '",
            $operation,
            "' AND key = $3 AND created_at >= $4
    UNION ALL
    SELECT fingerprint, resource_id, answer, created_at FROM idempotency_keys
    WHERE tenant_id = $1 AND organization_id IS NULL AND $2 IS NULL AND operation = '",
            $operation,
            "' AND key = $3 AND created_at >= $4
)"
        )
    };
}
pub(crate) use taken;

/// Keys of requests before this moment have expired at `now`.
pub(crate) fn expired_before(now: OffsetDateTime) -> OffsetDateTime {
    now - LIFETIME
}

/// Binds `$1` to `$4` of [`taken!`].
pub(crate) fn key_binds(statement: Statement, once: &Once, now: OffsetDateTime) -> Statement {
    statement
        .bind(once.scope.tenant().uuid())
        .bind(once.scope.organization().map(OrganizationId::uuid))
        .bind(once.key.as_str().to_owned())
        .bind(expired_before(now))
}
