//! The statements that record a call, with an idempotency key and without.
//!
//! Each text exists twice, so that requests without a key pay nothing for those that have one.

use crate::idempotency::claimed;

/// `$boot` is what has a row when the call is to be recorded, `$claimed` the expression that
/// takes its key.
macro_rules! dial {
    ($claimed:expr, $boot:literal) => {
        concat!(
            "
WITH boot AS MATERIALIZED (
    SELECT id FROM boots WHERE id = $12 AND left_at IS NULL FOR KEY SHARE
), ",
            $claimed,
            "free AS MATERIALIZED (
    SELECT line FROM trunk_lines
    WHERE trunk_id = $14 AND call_id IS NULL AND line <= $13 AND EXISTS (SELECT FROM ",
            $boot,
            ")
    ORDER BY line LIMIT 1 FOR UPDATE SKIP LOCKED
), decided AS MATERIALIZED (
    SELECT ($13 IS NULL OR EXISTS (SELECT FROM free)) AS placed FROM ",
            $boot,
            "
), contact AS (
    INSERT INTO contacts (id, tenant_id, organization_id, name, phone_number, created_at)
    SELECT $4, $2, $3, $8, $7, $11 FROM decided
), call AS (
    INSERT INTO calls (id, tenant_id, organization_id, call_type, assistant_id, number_id,
        user_phone_number, user_name, ended_at, ended_reason, created_at)
    SELECT $1, $2, $3, 'Outbound', $5, $6, $7, $8, CASE WHEN NOT placed THEN $11 END,
        CASE WHEN NOT placed THEN 'capacity-exceeded' END, $11
    FROM decided
), outbound AS (
    INSERT INTO outbound_calls (call_id, tenant_id, organization_id, contact_id, trunk_id, variables,
        callback_url, status)
    SELECT $1, $2, $3, $4, $14, $9, $10, CASE WHEN placed THEN 'calling' ELSE 'failed' END
    FROM decided
), leg AS (
    INSERT INTO call_legs (call_id, leg, owner, epoch, state, trunk_id, sip_call_id, local_tag, branch,
        first_cseq, local_cseq, request_uri, from_header, to_header, transport, gateway)
    SELECT $1, 1, $12, 1, 'dialling', $14, $15, $16, $17, $18, $18, $19, $20, $21, $22, $23
    FROM decided WHERE placed
), taken AS (
    UPDATE trunk_lines SET call_id = $1 FROM free
    WHERE trunk_lines.trunk_id = $14 AND trunk_lines.line = free.line
), counted AS (
    INSERT INTO call_counts (organization_id, hour, call_type, calls)
    SELECT $3, date_trunc('hour', $11, 'UTC'), 'Outbound', 1 FROM decided
)
SELECT placed FROM decided"
        )
    };
}

// The boot is locked against being struck off, so that no call is left to a boot that nobody
// watches. A line is taken where no other call is just taking it.
pub(crate) const DIAL: &str = dial!("", "boot");

/// The same with a key: `$24` to `$27` as `key_binds` binds them, `$28` its fingerprint. The key
/// comes before the line: whoever loses it must not keep a line from others even for a moment.
pub(super) const DIAL_ONCE: &str = dial!(
    claimed!("$24, $25, 'outbound', $26, $28, $1, '{}', $11", " FROM boot", expired = "$27"),
    "claimed"
);

/// `$open` and `$close` stand around the values of each row.
macro_rules! refuse {
    ($claimed:expr, $open:literal, $close:literal, $from:literal) => {
        concat!(
            "
WITH ",
            $claimed,
            "contact AS (
    INSERT INTO contacts (id, tenant_id, organization_id, name, phone_number, created_at)
    ",
            $open,
            "$4, $2, $3, $8, $7, $11",
            $close,
            "
), call AS (
    INSERT INTO calls (id, tenant_id, organization_id, call_type, assistant_id, number_id,
        user_phone_number, user_name, ended_at, ended_reason, created_at)
    ",
            $open,
            "$1, $2, $3, 'Outbound', $5, $6, $7, $8, $11, $13, $11",
            $close,
            "
), outbound AS (
    INSERT INTO outbound_calls (call_id, tenant_id, organization_id, contact_id, trunk_id, variables,
        callback_url, status)
    ",
            $open,
            "$1, $2, $3, $4, $12, $9, $10, $14",
            $close,
            "
), counted AS (
    INSERT INTO call_counts (organization_id, hour, call_type, calls)
    ",
            $open,
            "$3, date_trunc('hour', $11, 'UTC'), 'Outbound', 1",
            $close,
            "
)
SELECT false AS placed",
            $from
        )
    };
}

pub(super) const REFUSE: &str = refuse!("", "VALUES (", ")", "");

/// The same with a key: `$15` to `$18` as `key_binds` binds them, `$19` its fingerprint.
pub(super) const REFUSE_ONCE: &str = refuse!(
    claimed!("$15, $16, 'outbound', $17, $19, $1, '{}', $11", "", expired = "$18"),
    "SELECT ",
    " FROM claimed",
    " FROM claimed"
);
