//! The ids of a page, in order.

/// The ids of a page as an index has them in order.
macro_rules! ids {
    ($found:ident, $order:ident) => {
        concat!(
            "SELECT id FROM calls WHERE organization_id = owner AND ",
            $found!(),
            " ORDER BY ",
            $order!(),
            " LIMIT $5 OFFSET $6"
        )
    };
}

/// The same by falling length: backwards, an index has the calls without one first.
macro_rules! ids_by_falling_length {
    ($found:ident) => {
        concat!(
            "WITH timed AS MATERIALIZED (
                SELECT id, duration_seconds FROM calls
                WHERE organization_id = owner AND duration_seconds IS NOT NULL AND ",
            $found!(),
            " ORDER BY duration_seconds DESC, id DESC LIMIT $5 + $6
            )
            SELECT id FROM (SELECT id, duration_seconds FROM timed UNION ALL (
                SELECT id, duration_seconds FROM calls
                WHERE organization_id = owner AND duration_seconds IS NULL AND ",
            $found!(),
            " ORDER BY duration_seconds DESC, id DESC LIMIT $5 + $6 - (SELECT count(*) FROM timed)
            )) parts ORDER BY ",
            longest!(),
            " LIMIT $5 OFFSET $6"
        )
    };
}

/// The same of some assistants: the first of each, and the first of these.
macro_rules! ids_by_name {
    ($order:ident) => {
        concat!(
            "SELECT id FROM named CROSS JOIN LATERAL (
                SELECT id, created_at, duration_seconds FROM calls
                WHERE organization_id = owner AND assistant_id = assistant AND ",
            of_types_in_span!(),
            " ORDER BY ",
            $order!(),
            " LIMIT $5 + $6
            ) of_one ORDER BY ",
            $order!(),
            " LIMIT $5 OFFSET $6"
        )
    };
}

/// The span of time in which the first call of a far page lies, and how many calls come before that
/// span: found by counting, so that they need not be passed one by one.
macro_rules! reached {
    ($span:literal, $order:literal, $within:expr, $of_delta:expr, $before:expr) => {
        concat!(
            ", reached_",
            $span,
            " AS MATERIALIZED (
                SELECT starts, (upto - calls)::bigint AS before FROM (
                    SELECT starts, calls, ",
            $before,
            " + sum(calls) OVER (ORDER BY starts ",
            $order,
            ") AS upto FROM (
                        SELECT starts, sum(calls) AS calls FROM (
                            SELECT starts, calls FROM call_totals JOIN own ON organization_id = owner
                            WHERE span = '",
            $span,
            "' AND call_type = ANY($4)",
            $within,
            " UNION ALL
                            SELECT date_trunc('",
            $span,
            "', hour, 'UTC'), calls FROM call_counts JOIN own ON organization_id = owner
                            WHERE call_type = ANY($4)",
            $of_delta,
            ") gathered GROUP BY starts
                    ) summed
                ) running WHERE upto > $6 ORDER BY starts ",
            $order,
            " LIMIT 1
            )"
        )
    };
}

/// The same month by month, then day by day, then hour by hour; in UTC, whatever the session's zone is.
macro_rules! reached_hour {
    ($order:literal) => {
        concat!(
            reached!("month", $order, "", "", "0"),
            reached!(
                "day",
                $order,
                " AND starts >= (SELECT starts FROM reached_month) AND starts < (
                    SELECT (starts AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC' FROM reached_month)",
                " AND hour >= (SELECT starts FROM reached_month) AND hour < (
                    SELECT (starts AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC' FROM reached_month)",
                "(SELECT before FROM reached_month)"
            ),
            reached!(
                "hour",
                $order,
                " AND starts >= (SELECT starts FROM reached_day)
                    AND starts < (SELECT starts + interval '24 hours' FROM reached_day)",
                " AND hour >= (SELECT starts FROM reached_day)
                    AND hour < (SELECT starts + interval '24 hours' FROM reached_day)",
                "(SELECT before FROM reached_day)"
            )
        )
    };
}

/// The ids of a far page, newest first: none when it is beyond the end.
macro_rules! ids_from_hour_back {
    ($found:ident) => {
        concat!(
            "SELECT id FROM calls WHERE organization_id = owner AND ",
            $found!(),
            " AND created_at < (SELECT starts + interval '1 hour' FROM reached_hour) ORDER BY ",
            newest!(),
            " LIMIT $5 OFFSET $6 - (SELECT before FROM reached_hour)"
        )
    };
}

/// The same, oldest first.
macro_rules! ids_from_hour_on {
    ($found:ident) => {
        concat!(
            "SELECT id FROM calls WHERE organization_id = owner AND ",
            $found!(),
            " AND created_at >= (SELECT starts FROM reached_hour) ORDER BY ",
            oldest!(),
            " LIMIT $5 OFFSET $6 - (SELECT before FROM reached_hour)"
        )
    };
}
