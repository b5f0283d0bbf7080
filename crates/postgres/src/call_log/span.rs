//! Cutting a span of time into whole months, days and hours, whose calls are counted already, and
//! the edges that are left.

use time::macros::datetime;
use time::{Duration, OffsetDateTime, PrimitiveDateTime, UtcOffset};

/// No call is older.
const BEGINNING: OffsetDateTime = datetime!(0001-01-01 00:00 UTC);

/// No call is younger.
const END: OffsetDateTime = PrimitiveDateTime::MAX.assume_utc();

/// A span and where its whole parts begin and end (UTC). Every end is exclusive, and no moment is
/// before the one above it: the parts between neighbours make up the span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) from: OffsetDateTime,
    pub(crate) hours_from: OffsetDateTime,
    pub(crate) days_from: OffsetDateTime,
    pub(crate) months_from: OffsetDateTime,
    pub(crate) months_until: OffsetDateTime,
    pub(crate) days_until: OffsetDateTime,
    pub(crate) hours_until: OffsetDateTime,
    pub(crate) until: OffsetDateTime,
}

impl Span {
    /// The span from `first` to `last`, both inclusive, by the database's microseconds.
    pub(crate) fn inclusive(first: Option<OffsetDateTime>, last: Option<OffsetDateTime>) -> Self {
        const MICROSECOND: Duration = Duration::microseconds(1);
        let from = first.and_then(utc).map_or(BEGINNING, |first| {
            let floor = first.truncate_to_microsecond();
            if floor == first { first } else { floor.saturating_add(MICROSECOND) }
        });
        let until =
            last.and_then(utc).map_or(END, |last| last.truncate_to_microsecond().saturating_add(MICROSECOND));
        Self::between(from, until.max(from))
    }

    pub(crate) fn between(from: OffsetDateTime, until: OffsetDateTime) -> Self {
        let (hours_from, hours_until) = whole(from, until, first_of_hour);
        let (days_from, days_until) = whole(hours_from, hours_until, first_of_day);
        let (months_from, months_until) = whole(days_from, days_until, first_of_month);
        Self { from, hours_from, days_from, months_from, months_until, days_until, hours_until, until }
    }
}

/// The moment in UTC; none when that is beyond all years.
fn utc(at: OffsetDateTime) -> Option<OffsetDateTime> {
    at.checked_to_offset(UtcOffset::UTC)
}

/// The whole parts between two moments, by the beginning of the part that a moment is in; nothing,
/// at the end, when no part fits.
pub(crate) fn whole(
    from: OffsetDateTime,
    until: OffsetDateTime,
    first_of: fn(OffsetDateTime) -> (OffsetDateTime, OffsetDateTime),
) -> (OffsetDateTime, OffsetDateTime) {
    let (first, next) = first_of(from);
    let begin = if first == from { from } else { next };
    // What has no end has no last part either.
    let end = if until == END { END } else { first_of(until).0 };
    if begin <= end { (begin, end) } else { (until, until) }
}

/// The beginning of this hour and of the next.
pub(crate) fn first_of_hour(at: OffsetDateTime) -> (OffsetDateTime, OffsetDateTime) {
    let first = at.truncate_to_hour();
    (first, first.saturating_add(Duration::HOUR))
}

pub(crate) fn first_of_day(at: OffsetDateTime) -> (OffsetDateTime, OffsetDateTime) {
    let first = at.truncate_to_day();
    (first, first.saturating_add(Duration::DAY))
}

fn first_of_month(at: OffsetDateTime) -> (OffsetDateTime, OffsetDateTime) {
    let first =
        |at: OffsetDateTime| at.truncate_to_day().saturating_sub(Duration::days(i64::from(at.day()) - 1));
    let this = first(at);
    let in_next = this.saturating_add(Duration::days(31));
    // Saturated: there is no next one.
    (this, if in_next == END { END } else { first(in_next) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(from: OffsetDateTime, until: OffsetDateTime) -> [OffsetDateTime; 8] {
        let span = Span::between(from, until);
        let (begin, end) = (span.hours_from, span.hours_until);
        [from, begin, span.days_from, span.months_from, span.months_until, span.days_until, end, until]
    }

    #[test]
    fn a_span_is_cut_at_whole_hours_days_and_months() {
        assert_eq!(
            spans(datetime!(2025-11-28 22:30 UTC), datetime!(2026-03-02 03:00:00.000001 UTC)),
            [
                datetime!(2025-11-28 22:30 UTC),
                datetime!(2025-11-28 23:00 UTC),
                datetime!(2025-11-29 00:00 UTC),
                datetime!(2025-12-01 00:00 UTC),
                datetime!(2026-03-01 00:00 UTC),
                datetime!(2026-03-02 00:00 UTC),
                datetime!(2026-03-02 03:00 UTC),
                datetime!(2026-03-02 03:00:00.000001 UTC),
            ]
        );
    }

    #[test]
    fn what_holds_no_whole_part_is_all_edge() {
        let (from, until) = (datetime!(2026-01-31 23:10 UTC), datetime!(2026-01-31 23:50 UTC));
        assert_eq!(spans(from, until), [from, until, until, until, until, until, until, until]);
        // Two edges and nothing between them.
        let (from, until) = (datetime!(2026-01-31 22:10 UTC), datetime!(2026-01-31 23:50 UTC));
        let hour = datetime!(2026-01-31 23:00 UTC);
        assert_eq!(spans(from, until), [from, hour, hour, hour, hour, hour, hour, until]);
    }

    #[test]
    fn both_ends_are_inclusive_by_the_microsecond() {
        let at = datetime!(2026-01-31 23:10:00.0000015 UTC);
        let span = Span::inclusive(Some(at), Some(at));
        assert_eq!(span.from, span.until, "nothing lies between two microseconds");
        let at = datetime!(2026-01-31 23:10 +02:00);
        let span = Span::inclusive(Some(at), Some(at));
        assert_eq!((span.from, span.until), (at, at + Duration::microseconds(1)));
        let span = Span::inclusive(Some(at), Some(at - Duration::SECOND));
        assert_eq!(span.from, span.until, "the wrong way round is empty");
    }

    #[test]
    fn a_span_without_an_end_has_whole_months_only_on_that_side() {
        let span = Span::inclusive(None, None);
        assert_eq!((span.from, span.months_from), (BEGINNING, BEGINNING));
        assert_eq!((span.months_until, span.until), (END, END));
        let span = Span::inclusive(Some(datetime!(9999-12-31 23:59:59.9999999 UTC)), None);
        assert_eq!((span.hours_from, span.until), (END, END));
        let last = datetime!(9999-12-31 23:59:59.999999 UTC);
        assert_eq!(Span::inclusive(None, Some(last)).until, END);
    }

    #[test]
    fn every_cut_is_in_order_and_at_a_boundary() {
        let start = datetime!(2024-01-15 10:20:30.4 UTC);
        for step in 0..4_000_i64 {
            // Strides that are prime to hours, days and months.
            let from = start + Duration::minutes(step * 7_919 % 900_000);
            let until = from + Duration::seconds(step * step * 13 % 70_000_000);
            let cuts = spans(from, until);
            assert!(cuts.is_sorted(), "{cuts:?}");
            let [_, hours, days, months, months_end, days_end, hours_end, _] = cuts;
            let fits = |from, until, first_of: fn(OffsetDateTime) -> (OffsetDateTime, OffsetDateTime)| {
                from == until || (first_of(from).0 == from && first_of(until).0 == until)
            };
            assert!(fits(hours, days, first_of_hour) && fits(days_end, hours_end, first_of_hour), "{cuts:?}");
            assert!(fits(days, months, first_of_day) && fits(months_end, days_end, first_of_day), "{cuts:?}");
            assert!(fits(months, months_end, first_of_month), "{cuts:?}");
        }
    }
}
