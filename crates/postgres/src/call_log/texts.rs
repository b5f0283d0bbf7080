//! The statements that make a page: one text for each way to find the calls and each order.
//!
//! Each gives the total and the page from one snapshot: a row for every call of the page, or one
//! without a call when the page is empty, or none when the organization is out of scope. The ids
//! come from an index alone, with OFFSET, on far pages from the hour that counting leads to; only the
//! calls of the page are read from their tables.
//!
//! `$1` organization, `$2` tenant, `$3` organization of the scope or null, `$4` call types, `$5`
//! limit, `$6` offset, `$7` from, `$8` until, `$9` part of an assistant's name or null, `$10` intent
//! or null, then where whole parts of the span begin and end: `$11` hours, `$12` days, `$13` and
//! `$14` months, `$15` days, `$16` hours.

use domain::call::CallOrder;

use super::record::{listing_columns, listing_tables};

/// How the calls of a list are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Listed {
    /// All of the organization.
    All,
    /// All that were made in a span of time.
    Span,
    /// All of one type.
    Type,
    /// All of one type that were made in a span of time.
    TypeInSpan,
    /// All of the organization, on a page far from the first.
    AllFar,
    /// All of one type, on a page far from the first.
    TypeFar,
    /// By the name of their assistant, then by type and time.
    Name,
    /// By their intent, then by name, type and time.
    Intent,
}

macro_rules! newest {
    () => {
        "created_at DESC, id DESC"
    };
}

macro_rules! oldest {
    () => {
        "created_at, id"
    };
}

macro_rules! longest {
    () => {
        "duration_seconds DESC NULLS LAST, id DESC"
    };
}

macro_rules! shortest {
    () => {
        "duration_seconds, id"
    };
}

macro_rules! always {
    () => {
        "true"
    };
}

macro_rules! in_span {
    () => {
        "created_at >= $7 AND created_at < $8"
    };
}

macro_rules! of_type {
    () => {
        "call_type = ($4)[1]"
    };
}

// Of calls by length: they come in the order of their index, and the others are passed over. The index
// by time would find fewer, but have them read and sorted, however many they are.
macro_rules! in_span_passing {
    () => {
        "(created_at >= $7 AND created_at < $8) IS TRUE"
    };
}

macro_rules! of_type_passing {
    () => {
        "(call_type = ($4)[1]) IS TRUE"
    };
}

macro_rules! of_type_in_span_passing {
    () => {
        "(call_type = ($4)[1] AND created_at >= $7 AND created_at < $8) IS TRUE"
    };
}

macro_rules! of_type_in_span {
    () => {
        "call_type = ($4)[1] AND created_at >= $7 AND created_at < $8"
    };
}

// The part of the condition that every index can judge by itself.
macro_rules! of_types_in_span {
    () => {
        "call_type = ANY($4) AND created_at >= $7 AND created_at < $8"
    };
}

// Case is folded by ICU, because a database may be in the locale "C"; see the index calls_by_intent.
macro_rules! of_intent {
    () => {
        concat!(
            "upper(user_primary_intent COLLATE \"und-x-icu\") COLLATE \"C\" \
             = upper($10 COLLATE \"und-x-icu\") COLLATE \"C\" \
             AND ($9 IS NULL OR assistant_id = ANY(ARRAY(SELECT assistant FROM named))) AND ",
            of_types_in_span!()
        )
    };
}

/// Assistants by a part of their name, in which no character stands for another.
macro_rules! named {
    () => {
        ", named AS MATERIALIZED (
            SELECT id AS assistant FROM assistants JOIN own ON organization_id = owner
            WHERE strpos(upper(name COLLATE \"und-x-icu\"), upper($9 COLLATE \"und-x-icu\")) > 0
        ) "
    };
}

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

/// How many there are in all: what was folded, and what was not yet.
macro_rules! total {
    () => {
        "(
            SELECT coalesce(sum(calls), 0) FROM call_totals
            WHERE organization_id = owner AND span = 'all' AND call_type = ANY($4)
        ) + (
            SELECT coalesce(sum(calls), 0) FROM call_counts
            WHERE organization_id = owner AND call_type = ANY($4)
        )"
    };
}

/// How many there are in a span: whole parts that are counted already, and edges that are counted now.
macro_rules! total_in_span {
    ($found:ident) => {
        concat!(
            "(
                SELECT coalesce(sum(counted.calls), 0)
                FROM (VALUES ('hour', $11, $12), ('day', $12, $13), ('month', $13, $14), ('day', $14, $15),
                    ('hour', $15, $16)) AS part (span, begins, ends)
                CROSS JOIN LATERAL (
                    SELECT sum(calls) AS calls FROM call_totals
                    WHERE organization_id = owner AND call_totals.span = part.span AND call_type = ANY($4)
                        AND starts >= begins AND starts < ends
                ) counted
            ) + (
                SELECT coalesce(sum(calls), 0) FROM call_counts
                WHERE organization_id = owner AND call_type = ANY($4) AND hour >= $11 AND hour < $16
            ) + (
                SELECT count(*) FROM calls
                WHERE organization_id = owner AND created_at < $11 AND ",
            $found!(),
            ") + (
                SELECT count(*) FROM calls
                WHERE organization_id = owner AND created_at >= $16 AND ",
            $found!(),
            ")"
        )
    };
}

/// How many an index finds by the assistant.
macro_rules! total_by_name {
    () => {
        concat!(
            "(
                SELECT coalesce(sum(of_one.calls), 0) FROM named CROSS JOIN LATERAL (
                    SELECT count(*) AS calls FROM calls
                    WHERE organization_id = owner AND assistant_id = assistant AND ",
            of_types_in_span!(),
            "
                ) of_one
            )"
        )
    };
}

/// How many an index finds by the intent.
macro_rules! total_by_intent {
    () => {
        concat!("(SELECT count(*) FROM calls WHERE organization_id = owner AND ", of_intent!(), ")")
    };
}

// What is materialized runs once, and OFFSET 0 keeps the planner from reading more of the tables than
// the page, whatever it expects.
macro_rules! page {
    ($found_first:expr, $total:expr, $ids:expr, $order:ident) => {
        concat!(
            "WITH own AS MATERIALIZED (
                SELECT id AS owner FROM organizations
                WHERE id = $1 AND tenant_id = $2 AND ($3 IS NULL OR id = $3)
            )",
            $found_first,
            ", counted AS MATERIALIZED (SELECT owner, (",
            $total,
            ")::bigint AS total FROM own)
            SELECT counted.total, page.* FROM counted LEFT JOIN LATERAL (
                SELECT record.* FROM (",
            $ids,
            ") listed CROSS JOIN LATERAL (
                    SELECT ",
            listing_columns!(),
            " FROM ",
            listing_tables!(),
            " WHERE c.id = listed.id OFFSET 0
                ) record
            ) page ON true
            ORDER BY ",
            $order!()
        )
    };
}

/// The text for a way to find the calls and an order.
pub(crate) const fn text(listed: Listed, order: CallOrder) -> &'static str {
    use CallOrder::{Longest, Newest, Oldest, Shortest};
    match (listed, order) {
        (Listed::All, Newest) => page!("", total!(), ids!(always, newest), newest),
        (Listed::All, Oldest) => page!("", total!(), ids!(always, oldest), oldest),
        (Listed::AllFar, Newest) => {
            page!(reached_hour!("DESC"), total!(), ids_from_hour_back!(always), newest)
        }
        (Listed::AllFar, Oldest) => page!(reached_hour!("ASC"), total!(), ids_from_hour_on!(always), oldest),
        (Listed::TypeFar, Newest) => {
            page!(reached_hour!("DESC"), total!(), ids_from_hour_back!(of_type), newest)
        }
        (Listed::TypeFar, Oldest) => {
            page!(reached_hour!("ASC"), total!(), ids_from_hour_on!(of_type), oldest)
        }
        (Listed::All | Listed::AllFar, Longest) => {
            page!("", total!(), ids_by_falling_length!(always), longest)
        }
        (Listed::All | Listed::AllFar, Shortest) => page!("", total!(), ids!(always, shortest), shortest),
        (Listed::Span, Newest) => page!("", total_in_span!(in_span), ids!(in_span, newest), newest),
        (Listed::Span, Oldest) => page!("", total_in_span!(in_span), ids!(in_span, oldest), oldest),
        (Listed::Span, Longest) => {
            page!("", total_in_span!(in_span), ids_by_falling_length!(in_span_passing), longest)
        }
        (Listed::Span, Shortest) => {
            page!("", total_in_span!(in_span), ids!(in_span_passing, shortest), shortest)
        }
        (Listed::Type, Newest) => page!("", total!(), ids!(of_type, newest), newest),
        (Listed::Type, Oldest) => page!("", total!(), ids!(of_type, oldest), oldest),
        (Listed::Type | Listed::TypeFar, Longest) => {
            page!("", total!(), ids_by_falling_length!(of_type_passing), longest)
        }
        (Listed::Type | Listed::TypeFar, Shortest) => {
            page!("", total!(), ids!(of_type_passing, shortest), shortest)
        }
        (Listed::TypeInSpan, Newest) => {
            page!("", total_in_span!(of_type_in_span), ids!(of_type_in_span, newest), newest)
        }
        (Listed::TypeInSpan, Oldest) => {
            page!("", total_in_span!(of_type_in_span), ids!(of_type_in_span, oldest), oldest)
        }
        (Listed::TypeInSpan, Longest) => {
            page!(
                "",
                total_in_span!(of_type_in_span),
                ids_by_falling_length!(of_type_in_span_passing),
                longest
            )
        }
        (Listed::TypeInSpan, Shortest) => {
            page!("", total_in_span!(of_type_in_span), ids!(of_type_in_span_passing, shortest), shortest)
        }
        (Listed::Name, Newest) => page!(named!(), total_by_name!(), ids_by_name!(newest), newest),
        (Listed::Name, Oldest) => page!(named!(), total_by_name!(), ids_by_name!(oldest), oldest),
        (Listed::Name, Longest) => page!(named!(), total_by_name!(), ids_by_name!(longest), longest),
        (Listed::Name, Shortest) => page!(named!(), total_by_name!(), ids_by_name!(shortest), shortest),
        (Listed::Intent, Newest) => page!(named!(), total_by_intent!(), ids!(of_intent, newest), newest),
        (Listed::Intent, Oldest) => page!(named!(), total_by_intent!(), ids!(of_intent, oldest), oldest),
        (Listed::Intent, Longest) => page!(named!(), total_by_intent!(), ids!(of_intent, longest), longest),
        (Listed::Intent, Shortest) => {
            page!(named!(), total_by_intent!(), ids!(of_intent, shortest), shortest)
        }
    }
}
