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
//! `$14` months, `$15` days, `$16` hours; `$17` status or null.

#[macro_use]
mod conditions;
#[macro_use]
mod ids;
#[macro_use]
mod totals;

pub(crate) use conditions::{
    named, newest, of_intent, of_intent_and_status, of_status, of_type_in_span, of_types_in_span, oldest,
};
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
    /// By their status, then by type and time; how many there are is counted elsewhere.
    Status,
    /// By their status, then by name, type and time.
    StatusOfName,
    /// By their intent, then by status, name, type and time.
    IntentStatus,
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
        (Listed::Intent, Newest) => page!(named!(), total_found!(of_intent), ids!(of_intent, newest), newest),
        (Listed::Intent, Oldest) => page!(named!(), total_found!(of_intent), ids!(of_intent, oldest), oldest),
        (Listed::Intent, Longest) => {
            page!(named!(), total_found!(of_intent), ids!(of_intent, longest), longest)
        }
        (Listed::Intent, Shortest) => {
            page!(named!(), total_found!(of_intent), ids!(of_intent, shortest), shortest)
        }
        (Listed::Status, Newest) => page!(named!(), "0", ids!(of_status, newest), newest),
        (Listed::Status, Oldest) => page!(named!(), "0", ids!(of_status, oldest), oldest),
        (Listed::Status, Longest) => page!("", "0", ids_by_falling_length!(of_status_passing), longest),
        (Listed::Status, Shortest) => page!("", "0", ids!(of_status_passing, shortest), shortest),
        (Listed::StatusOfName, Newest) => {
            page!(named!(), total_found!(of_status), ids!(of_status, newest), newest)
        }
        (Listed::StatusOfName, Oldest) => {
            page!(named!(), total_found!(of_status), ids!(of_status, oldest), oldest)
        }
        (Listed::StatusOfName, Longest) => {
            page!(named!(), total_found!(of_status), ids!(of_status, longest), longest)
        }
        (Listed::StatusOfName, Shortest) => {
            page!(named!(), total_found!(of_status), ids!(of_status, shortest), shortest)
        }
        (Listed::IntentStatus, Newest) => {
            page!(named!(), total_found!(of_intent_and_status), ids!(of_intent_and_status, newest), newest)
        }
        (Listed::IntentStatus, Oldest) => {
            page!(named!(), total_found!(of_intent_and_status), ids!(of_intent_and_status, oldest), oldest)
        }
        (Listed::IntentStatus, Longest) => {
            page!(named!(), total_found!(of_intent_and_status), ids!(of_intent_and_status, longest), longest)
        }
        (Listed::IntentStatus, Shortest) => {
            page!(
                named!(),
                total_found!(of_intent_and_status),
                ids!(of_intent_and_status, shortest),
                shortest
            )
        }
    }
}
