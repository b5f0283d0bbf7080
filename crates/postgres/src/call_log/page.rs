//! A page of an organization's calls with their exact number, in one statement.

use diesel::deserialize::{QueryableByName, Result as Read};
use diesel::pg::Pg;
use diesel::row::NamedRow;
use diesel::sql_types::{BigInt, Nullable, Uuid as SqlUuid};
use domain::call::{CallListing, CallQuery, CallStatus, CallType};
use domain::ids::OrganizationId;
use domain::page::Page;
use domain::scope::Scope;
use uuid::Uuid;

use super::record::ListingRow;
use super::span::Span;
use super::texts::{Listed, text};
use crate::failure::Failure;
use crate::statement::{Statement, statement};
use crate::store::Store;

/// Beyond the end of every list; a page can be added to it.
const FARTHEST: i64 = i64::MAX / 2;

/// From so many calls on, to count where a page begins is cheaper than to pass all calls before it.
const FAR: u64 = 2_000;

/// A call of the page, or nothing but the total when the page is empty.
pub(crate) struct PageRow {
    total: i64,
    listing: Option<ListingRow>,
}

impl QueryableByName<Pg> for PageRow {
    fn build<'a>(row: &impl NamedRow<'a, Pg>) -> Read<Self> {
        let id = NamedRow::get::<Nullable<SqlUuid>, Option<Uuid>>(row, "id")?;
        let listing = if id.is_some() { Some(ListingRow::build(row)?) } else { None };
        Ok(Self { total: NamedRow::get::<BigInt, i64>(row, "total")?, listing })
    }
}

pub(super) async fn page(
    store: &Store,
    scope: Scope,
    query: &CallQuery,
) -> Result<Option<Page<CallListing>>, Failure> {
    into_page(store.list::<PageRow>(page_statement(scope, query, None)).await?, query.organization)
}

/// The page that the rows make up; none when there is not even one without a call.
pub(crate) fn into_page(
    rows: Vec<PageRow>,
    organization: OrganizationId,
) -> Result<Option<Page<CallListing>>, Failure> {
    let Some(total) = rows.first().map(|row| row.total) else { return Ok(None) };
    let broken = || Failure::impossible("call_counts", organization.uuid(), "fewer calls than none");
    let total = u64::try_from(total).map_err(|_| broken())?;
    let listings = rows.into_iter().filter_map(|row| row.listing);
    Ok(Some(Page { items: listings.map(ListingRow::into_listing).collect::<Result<_, _>>()?, total }))
}

/// The statement for a page, of one status if one is given: then it tells how many there are only if
/// [`counts`] says so.
pub(crate) fn page_statement(scope: Scope, query: &CallQuery, status: Option<CallStatus>) -> Statement {
    let listed = match status {
        None => listed(query),
        Some(_) if query.user_primary_intent.is_some() => Listed::IntentStatus,
        Some(status) if counts(query, status) => Listed::StatusOfName,
        Some(_) => Listed::Status,
    };
    filtered(statement(text(listed, query.order)), scope, query, status)
}

/// Whether calls of a status are few, or their index has to be asked: else sums tell how many there are.
pub(crate) fn counts(query: &CallQuery, status: CallStatus) -> bool {
    status == CallStatus::Calling || query.agent_name.is_some() || query.user_primary_intent.is_some()
}

/// Binds `$1` to `$17`.
pub(crate) fn filtered(
    statement: Statement,
    scope: Scope,
    query: &CallQuery,
    status: Option<CallStatus>,
) -> Statement {
    let types = query.call_type.map_or_else(|| CallType::ALL.to_vec(), |only| vec![only]);
    let span = Span::inclusive(query.from, query.to);
    statement
        .bind(query.organization.uuid())
        .bind(scope.tenant().uuid())
        .bind(scope.organization().map(OrganizationId::uuid))
        .bind(types.into_iter().map(|own| own.as_str().to_owned()).collect::<Vec<_>>())
        .bind(i64::from(query.page.size))
        .bind(i64::try_from(query.page.offset()).map_or(FARTHEST, |offset| offset.min(FARTHEST)))
        .bind(span.from)
        .bind(span.until)
        .bind(query.agent_name.as_deref().map(str::to_owned))
        .bind(query.user_primary_intent.as_deref().map(str::to_owned))
        .bind(span.hours_from)
        .bind(span.days_from)
        .bind(span.months_from)
        .bind(span.months_until)
        .bind(span.days_until)
        .bind(span.hours_until)
        .bind(status.map(CallStatus::as_str))
}

fn listed(query: &CallQuery) -> Listed {
    let spanned = query.from.is_some() || query.to.is_some();
    let far = query.page.offset() >= FAR;
    match (&query.user_primary_intent, &query.agent_name, query.call_type, spanned) {
        (Some(_), ..) => Listed::Intent,
        (None, Some(_), ..) => Listed::Name,
        (None, None, Some(_), true) => Listed::TypeInSpan,
        (None, None, None, true) => Listed::Span,
        (None, None, Some(_), false) => {
            if far {
                Listed::TypeFar
            } else {
                Listed::Type
            }
        }
        (None, None, None, false) => {
            if far {
                Listed::AllFar
            } else {
                Listed::All
            }
        }
    }
}
