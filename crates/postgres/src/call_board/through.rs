//! Going through a whole list in steps: each begins where the one before ended, at a call and not at a
//! number of calls, so that the last step costs no more than the first.

use diesel::deserialize::{QueryableByName, Result as Read};
use diesel::pg::Pg;
use diesel::row::NamedRow;
use diesel::sql_types::{Nullable, Uuid as SqlUuid};
use domain::call::{BoardCall, BoardQuery, CallCursor, CallOrder, CallQuery};
use domain::page::PageRequest;
use domain::scope::Scope;
use time::macros::datetime;
use time::{OffsetDateTime, PrimitiveDateTime};
use uuid::Uuid;

use super::record::{BoardRow, board_columns, board_tables};
use crate::call_log::page::filtered;
use crate::call_log::texts::{
    named, newest, of_intent, of_intent_and_status, of_status, of_type_in_span, of_types_in_span, oldest,
};
use crate::failure::Failure;
use crate::statement::statement;
use crate::store::Store;

/// Before every call, and after every call.
const ENDS: [(OffsetDateTime, Uuid); 2] =
    [(datetime!(0001-01-01 00:00 UTC), Uuid::nil()), (PrimitiveDateTime::MAX.assume_utc(), Uuid::max())];

macro_rules! behind {
    (newest) => {
        " AND (created_at, id) < ($18, $19)"
    };
    (oldest) => {
        " AND (created_at, id) > ($18, $19)"
    };
}

macro_rules! ids_behind {
    ($found:ident, $order:ident) => {
        concat!(
            "SELECT id FROM calls WHERE organization_id = owner AND ",
            $found!(),
            behind!($order),
            " ORDER BY ",
            $order!(),
            " LIMIT $5"
        )
    };
}

macro_rules! ids_of_name_behind {
    ($order:ident) => {
        concat!(
            "SELECT id FROM named CROSS JOIN LATERAL (
                SELECT id, created_at FROM calls
                WHERE organization_id = owner AND assistant_id = assistant AND ",
            of_types_in_span!(),
            behind!($order),
            " ORDER BY ",
            $order!(),
            " LIMIT $5
            ) of_one ORDER BY ",
            $order!(),
            " LIMIT $5"
        )
    };
}

// One row without a call says that the organization is there.
macro_rules! step {
    ($ids:expr, $order:ident) => {
        concat!(
            "WITH own AS MATERIALIZED (
                SELECT id AS owner FROM organizations
                WHERE id = $1 AND tenant_id = $2 AND ($3 IS NULL OR id = $3)
            )",
            named!(),
            "SELECT page.* FROM own LEFT JOIN LATERAL (
                SELECT record.* FROM (",
            $ids,
            ") listed CROSS JOIN LATERAL (
                    SELECT ",
            board_columns!(),
            " FROM ",
            board_tables!(),
            " WHERE c.id = listed.id OFFSET 0
                ) record
            ) page ON true ORDER BY ",
            $order!()
        )
    };
}

fn text(query: &BoardQuery) -> &'static str {
    let calls = &query.calls;
    let oldest_first = calls.order == CallOrder::Oldest;
    let (newest_first, oldest_first_text) =
        match (&calls.user_primary_intent, query.status, &calls.agent_name, calls.call_type) {
            (Some(_), Some(_), ..) => (
                step!(ids_behind!(of_intent_and_status, newest), newest),
                step!(ids_behind!(of_intent_and_status, oldest), oldest),
            ),
            (Some(_), None, ..) => {
                (step!(ids_behind!(of_intent, newest), newest), step!(ids_behind!(of_intent, oldest), oldest))
            }
            (None, Some(_), ..) => {
                (step!(ids_behind!(of_status, newest), newest), step!(ids_behind!(of_status, oldest), oldest))
            }
            (None, None, Some(_), _) => {
                (step!(ids_of_name_behind!(newest), newest), step!(ids_of_name_behind!(oldest), oldest))
            }
            (None, None, None, Some(_)) => (
                step!(ids_behind!(of_type_in_span, newest), newest),
                step!(ids_behind!(of_type_in_span, oldest), oldest),
            ),
            (None, None, None, None) => (
                step!(ids_behind!(of_types_in_span, newest), newest),
                step!(ids_behind!(of_types_in_span, oldest), oldest),
            ),
        };
    if oldest_first { oldest_first_text } else { newest_first }
}

/// A call, or nothing.
struct StepRow(Option<BoardRow>);

impl QueryableByName<Pg> for StepRow {
    fn build<'a>(row: &impl NamedRow<'a, Pg>) -> Read<Self> {
        let id = NamedRow::get::<Nullable<SqlUuid>, Option<Uuid>>(row, "id")?;
        Ok(Self(if id.is_some() { Some(BoardRow::build(row)?) } else { None }))
    }
}

pub(super) async fn through(
    store: &Store,
    scope: Scope,
    query: &BoardQuery,
    after: Option<CallCursor>,
    limit: u32,
) -> Result<Option<Vec<BoardCall>>, Failure> {
    let calls = CallQuery { page: PageRequest { number: 1, size: limit }, ..query.calls.clone() };
    let [before_all, after_all] = ENDS;
    let start = if calls.order == CallOrder::Oldest { before_all } else { after_all };
    let (at, id) = after.map_or(start, |after| (after.created_at, after.call.uuid()));
    let step = filtered(statement(text(query)), scope, &calls, query.status).bind(at).bind(id);
    let rows = store.list::<StepRow>(step).await?;
    if rows.is_empty() {
        return Ok(None);
    }
    rows.into_iter().filter_map(|row| row.0).map(BoardRow::into_call).collect::<Result<_, _>>().map(Some)
}
