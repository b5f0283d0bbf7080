//! The statements that make a page: one text for each way to find the calls and each order.
//!
//! Each gives the total and the page from one snapshot: a row for every call of the page, or one
//! without a call when the page is empty, or none when the organization is out of scope. The ids
//! come from an index alone, with OFFSET; only the calls of the page are read from their tables.
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
        "WITH named AS MATERIALIZED (
            SELECT id AS assistant FROM assistants
            WHERE organization_id = $1
                AND strpos(upper(name COLLATE \"und-x-icu\"), upper($9 COLLATE \"und-x-icu\")) > 0
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
            "SELECT id FROM ((
                SELECT id, duration_seconds FROM calls
                WHERE organization_id = owner AND duration_seconds IS NOT NULL AND ",
            $found!(),
            " ORDER BY duration_seconds DESC, id DESC LIMIT $5 + $6
            ) UNION ALL (
                SELECT id, duration_seconds FROM calls
                WHERE organization_id = owner AND duration_seconds IS NULL AND ",
            $found!(),
            " ORDER BY duration_seconds DESC, id DESC LIMIT $5 + $6
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

/// How many there are in all: what was folded, and what was not yet.
macro_rules! total {
    () => {
        "SELECT (
            SELECT coalesce(sum(calls), 0) FROM call_totals
            WHERE organization_id = owner AND span = 'all' AND call_type = ANY($4)
        ) + (
            SELECT coalesce(sum(calls), 0) FROM call_counts
            WHERE organization_id = owner AND call_type = ANY($4)
        ) AS total"
    };
}

/// How many there are in a span: whole parts that are counted already, and edges that are counted now.
macro_rules! total_in_span {
    ($found:ident) => {
        concat!(
            "SELECT (
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
            ") AS total"
        )
    };
}

/// How many an index finds by the assistant.
macro_rules! total_by_name {
    () => {
        concat!(
            "SELECT coalesce(sum(of_one.calls), 0) AS total FROM named CROSS JOIN LATERAL (
                SELECT count(*) AS calls FROM calls
                WHERE organization_id = owner AND assistant_id = assistant AND ",
            of_types_in_span!(),
            ") of_one"
        )
    };
}

/// How many an index finds by the intent.
macro_rules! total_by_intent {
    () => {
        concat!("SELECT count(*) AS total FROM calls WHERE organization_id = owner AND ", of_intent!())
    };
}

// OFFSET 0 keeps the planner from reading more of the tables than the page, whatever it expects.
macro_rules! page {
    ($with:expr, $total:expr, $ids:expr, $order:ident) => {
        concat!(
            $with,
            "SELECT counted.total::bigint AS total, page.*
            FROM (
                SELECT id AS owner FROM organizations
                WHERE id = $1 AND tenant_id = $2 AND ($3 IS NULL OR id = $3)
            ) own
            CROSS JOIN LATERAL (",
            $total,
            ") counted
            LEFT JOIN LATERAL (
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
        (Listed::All, Longest) => page!("", total!(), ids_by_falling_length!(always), longest),
        (Listed::All, Shortest) => page!("", total!(), ids!(always, shortest), shortest),
        (Listed::Span, Newest) => page!("", total_in_span!(in_span), ids!(in_span, newest), newest),
        (Listed::Span, Oldest) => page!("", total_in_span!(in_span), ids!(in_span, oldest), oldest),
        (Listed::Span, Longest) => {
            page!("", total_in_span!(in_span), ids_by_falling_length!(in_span), longest)
        }
        (Listed::Span, Shortest) => page!("", total_in_span!(in_span), ids!(in_span, shortest), shortest),
        (Listed::Type, Newest) => page!("", total!(), ids!(of_type, newest), newest),
        (Listed::Type, Oldest) => page!("", total!(), ids!(of_type, oldest), oldest),
        (Listed::Type, Longest) => page!("", total!(), ids_by_falling_length!(of_type), longest),
        (Listed::Type, Shortest) => page!("", total!(), ids!(of_type, shortest), shortest),
        (Listed::TypeInSpan, Newest) => {
            page!("", total_in_span!(of_type_in_span), ids!(of_type_in_span, newest), newest)
        }
        (Listed::TypeInSpan, Oldest) => {
            page!("", total_in_span!(of_type_in_span), ids!(of_type_in_span, oldest), oldest)
        }
        (Listed::TypeInSpan, Longest) => {
            page!("", total_in_span!(of_type_in_span), ids_by_falling_length!(of_type_in_span), longest)
        }
        (Listed::TypeInSpan, Shortest) => {
            page!("", total_in_span!(of_type_in_span), ids!(of_type_in_span, shortest), shortest)
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
