//! The one written form of a moment: RFC 3339, UTC, milliseconds, `Z`.

use time::OffsetDateTime;
use time::macros::format_description;

/// Cuts a moment down to whole milliseconds, the precision that is stored and shown.
pub fn to_millis(at: OffsetDateTime) -> OffsetDateTime {
    let nanos = at.nanosecond() / 1_000_000 * 1_000_000;
    at.replace_nanosecond(nanos).unwrap_or(at).to_offset(time::UtcOffset::UTC)
}

/// Writes a moment as the interface shows it, e.g. `2026-03-01T09:30:00.000Z`.
pub fn rfc3339(at: OffsetDateTime) -> String {
    let form = format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:3]Z");
    // Formatting fails only for a component the type lacks, and this one lacks none.
    to_millis(at).format(form).unwrap_or_default()
}
