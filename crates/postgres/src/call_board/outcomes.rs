//! How many calls came to what, in a span and in each bar of a chart: sums of folded counts and of
//! deltas; live calls are counted, and those at the two edges of a span that begin or end between half hours.

use diesel_async::AsyncPgConnection;
use domain::call::{BoardQuery, CallQuery, CallStatus, CallType, Outcomes};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::call_log::span::{Span, first_of_day, first_of_hour, whole};
use crate::failure::Failure;
use crate::statement::{row, statement};

/// `$1` organization, `$2` types, `$3` from, then where whole half hours, hours, days and months begin
/// and where whole months, days, hours and half hours end: `$4` to `$11`, `$12` until.
const OUTCOMES: &str = "
SELECT status, sum(calls)::bigint AS calls FROM (
    SELECT counted.* FROM (VALUES ('half', $4, $5), ('hour', $5, $6), ('day', $6, $7), ('month', $7, $8),
        ('day', $8, $9), ('hour', $9, $10), ('half', $10, $11)) AS part (span, begins, ends)
    CROSS JOIN LATERAL (
        SELECT status, sum(calls) AS calls FROM call_outcome_totals AS total
        WHERE organization_id = $1 AND total.span = part.span AND starts >= begins AND starts < ends
            AND call_type = ANY($2)
        GROUP BY status
    ) counted
    UNION ALL
    SELECT status, calls FROM call_outcomes
    WHERE organization_id = $1 AND half_hour >= $4 AND half_hour < $11 AND call_type = ANY($2)
    UNION ALL
    SELECT standing, count(*) FROM calls
    WHERE organization_id = $1 AND standing = 'calling' AND created_at >= $3 AND created_at < $12
        AND call_type = ANY($2)
    GROUP BY standing
    UNION ALL
    SELECT standing, count(*) FROM calls
    WHERE organization_id = $1 AND standing = ANY('{completed,failed,busy,no-answer}')
        AND created_at >= $3 AND created_at < $4 AND call_type = ANY($2)
    GROUP BY standing
    UNION ALL
    SELECT standing, count(*) FROM calls
    WHERE organization_id = $1 AND standing = ANY('{completed,failed,busy,no-answer}')
        AND created_at >= $11 AND created_at < $12 AND call_type = ANY($2)
    GROUP BY standing
) AS gathered GROUP BY status";

/// `$1` organization, `$2` types, then of each whole part of a bar: `$3` its bar from 1, `$4` which
/// totals, `$5` and `$6` from when to when; `$7` where bars begin and the last ends, `$8` the first
/// and `$9` the last of these.
const CHART: &str = "
SELECT bar, status, sum(calls)::bigint AS calls FROM (
    SELECT part.bar, counted.* FROM unnest($3, $4, $5, $6) AS part (bar, span, begins, ends)
    CROSS JOIN LATERAL (
        SELECT status, sum(calls) AS calls FROM call_outcome_totals AS total
        WHERE organization_id = $1 AND total.span = part.span AND starts >= begins AND starts < ends
            AND call_type = ANY($2)
        GROUP BY status
    ) counted
    UNION ALL
    SELECT width_bucket(half_hour, $7), status, calls FROM call_outcomes
    WHERE organization_id = $1 AND half_hour >= $8 AND half_hour < $9 AND call_type = ANY($2)
    UNION ALL
    SELECT width_bucket(created_at, $7), standing, 1 FROM calls
    WHERE organization_id = $1 AND standing = 'calling' AND created_at >= $8 AND created_at < $9
        AND call_type = ANY($2)
) AS gathered GROUP BY bar, status";

row! {
    CountRow { status: String, calls: i64 }
}

row! {
    BarRow { bar: i32, status: String, calls: i64 }
}

/// Adds what a row counts.
fn add(outcomes: &mut Outcomes, organization: Uuid, status: &str, calls: i64) -> Result<(), Failure> {
    let broken = |why| Failure::impossible("call_outcome_totals", organization, why);
    let status = CallStatus::parse(status).ok_or_else(|| broken("the status is unknown"))?;
    let calls = u64::try_from(calls).map_err(|_| broken("fewer calls than none"))?;
    outcomes.add(status, calls);
    Ok(())
}

fn types(query: &CallQuery) -> Vec<String> {
    let types = query.call_type.map_or_else(|| CallType::ALL.to_vec(), |only| vec![only]);
    types.into_iter().map(|own| own.as_str().to_owned()).collect()
}

pub(super) async fn outcomes(connection: &AsyncPgConnection, query: &CallQuery) -> Result<Outcomes, Failure> {
    let organization = query.organization.uuid();
    let span = Span::inclusive(query.from, query.to);
    let Cut { from, halves_from, within, halves_until, until } = Cut::of(span.from, span.until);
    let rows = statement(OUTCOMES)
        .bind(organization)
        .bind(types(query))
        .bind(from)
        .bind(halves_from)
        .bind(within.hours_from)
        .bind(within.days_from)
        .bind(within.months_from)
        .bind(within.months_until)
        .bind(within.days_until)
        .bind(within.hours_until)
        .bind(halves_until)
        .bind(until)
        .rows::<CountRow>(connection)
        .await?;
    let mut outcomes = Outcomes::default();
    for row in rows {
        add(&mut outcomes, organization, &row.status, row.calls)?;
    }
    Ok(outcomes)
}

/// One after another, the bars of the query's chart.
pub(super) async fn chart(
    connection: &AsyncPgConnection,
    query: &BoardQuery,
) -> Result<Vec<Outcomes>, Failure> {
    let Some(bounds) = &query.chart else { return Ok(Vec::new()) };
    let moments = bounds.moments().to_vec();
    let (Some(first), Some(last)) = (moments.first().copied(), moments.last().copied()) else {
        return Ok(Vec::new());
    };
    let organization = query.calls.organization.uuid();
    let (mut bars, mut spans, mut begins, mut ends) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (bar, (from, until)) in (1..).zip(bounds.bars()) {
        for (span, begin, end) in whole_parts(from, until) {
            bars.push(bar);
            spans.push(span.to_owned());
            begins.push(begin);
            ends.push(end);
        }
    }
    let rows = statement(CHART)
        .bind(organization)
        .bind(types(&query.calls))
        .bind(bars)
        .bind(spans)
        .bind(begins)
        .bind(ends)
        .bind(moments)
        .bind(first)
        .bind(last)
        .rows::<BarRow>(connection)
        .await?;
    let mut chart: Vec<_> = bounds.bars().map(|_| Outcomes::default()).collect();
    for row in rows {
        let place = row.bar.checked_sub(1).and_then(|place| usize::try_from(place).ok());
        let bar = place.and_then(|place| chart.get_mut(place));
        let bar = bar.ok_or_else(|| Failure::impossible("call_outcomes", organization, "it is in no bar"))?;
        add(bar, organization, &row.status, row.calls)?;
    }
    Ok(chart)
}

/// A span with its whole half hours, and in these the larger parts.
#[derive(Clone, Copy)]
struct Cut {
    from: OffsetDateTime,
    halves_from: OffsetDateTime,
    within: Span,
    halves_until: OffsetDateTime,
    until: OffsetDateTime,
}

impl Cut {
    fn of(from: OffsetDateTime, until: OffsetDateTime) -> Self {
        let (halves_from, halves_until) = whole(from, until, first_of_half_hour);
        Self { from, halves_from, within: Span::between(halves_from, halves_until), halves_until, until }
    }
}

/// The whole parts of a bar, by the name of their totals; its ends are at half hours.
fn whole_parts(
    from: OffsetDateTime,
    until: OffsetDateTime,
) -> impl Iterator<Item = (&'static str, OffsetDateTime, OffsetDateTime)> {
    let (hours_from, hours_until) = whole(from, until, first_of_hour);
    let (days_from, days_until) = whole(hours_from, hours_until, first_of_day);
    [
        ("half", from, hours_from),
        ("hour", hours_from, days_from),
        ("day", days_from, days_until),
        ("hour", days_until, hours_until),
        ("half", hours_until, until),
    ]
    .into_iter()
    .filter(|(_, begin, end)| begin < end)
}

fn first_of_half_hour(at: OffsetDateTime) -> (OffsetDateTime, OffsetDateTime) {
    const HALF: Duration = Duration::minutes(30);
    let hour = at.truncate_to_hour();
    let first = if at - hour < HALF { hour } else { hour.saturating_add(HALF) };
    (first, first.saturating_add(HALF))
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn a_day_of_newfoundland_is_made_of_hours_and_two_halves() {
        let parts: Vec<_> =
            whole_parts(datetime!(2026-03-01 03:30 UTC), datetime!(2026-03-02 03:30 UTC)).collect();
        assert_eq!(
            parts,
            [
                ("half", datetime!(2026-03-01 03:30 UTC), datetime!(2026-03-01 04:00 UTC)),
                ("hour", datetime!(2026-03-01 04:00 UTC), datetime!(2026-03-02 00:00 UTC)),
                ("hour", datetime!(2026-03-02 00:00 UTC), datetime!(2026-03-02 03:00 UTC)),
                ("half", datetime!(2026-03-02 03:00 UTC), datetime!(2026-03-02 03:30 UTC)),
            ]
        );
    }

    #[test]
    fn a_month_of_halifax_is_made_of_days_between_hours() {
        let parts: Vec<_> =
            whole_parts(datetime!(2026-01-01 04:00 UTC), datetime!(2026-02-01 04:00 UTC)).collect();
        assert_eq!(
            parts,
            [
                ("hour", datetime!(2026-01-01 04:00 UTC), datetime!(2026-01-02 00:00 UTC)),
                ("day", datetime!(2026-01-02 00:00 UTC), datetime!(2026-02-01 00:00 UTC)),
                ("hour", datetime!(2026-02-01 00:00 UTC), datetime!(2026-02-01 04:00 UTC)),
            ]
        );
    }

    #[test]
    fn an_hour_and_half_an_hour_are_one_part() {
        let at = datetime!(2026-03-01 03:30 UTC);
        let parts: Vec<_> = whole_parts(at, at + Duration::minutes(30)).collect();
        assert_eq!(parts, [("half", at, at + Duration::minutes(30))]);
        let at = datetime!(2026-03-01 04:00 UTC);
        assert_eq!(
            whole_parts(at, at + Duration::HOUR).collect::<Vec<_>>(),
            [("hour", at, at + Duration::HOUR)]
        );
        // Across the middle of an hour no part is whole but the halves.
        let at = datetime!(2026-03-01 04:30 UTC);
        let parts: Vec<_> = whole_parts(at, at + Duration::HOUR).collect();
        let middle = at + Duration::minutes(30);
        assert_eq!(parts, [("half", at, middle), ("half", middle, at + Duration::HOUR)]);
    }

    #[test]
    fn a_span_is_cut_at_half_hours_first() {
        let cut = Cut::of(datetime!(2026-03-01 03:10 UTC), datetime!(2026-03-01 09:45 UTC));
        assert_eq!(cut.halves_from, datetime!(2026-03-01 03:30 UTC));
        assert_eq!(cut.within.hours_from, datetime!(2026-03-01 04:00 UTC));
        assert_eq!(cut.within.hours_until, datetime!(2026-03-01 09:00 UTC));
        assert_eq!(cut.halves_until, datetime!(2026-03-01 09:30 UTC));
    }
}
