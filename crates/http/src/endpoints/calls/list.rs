//! `GET /api/calls`: an organization's calls, page by page.

use actix_web::http::Method;
use actix_web::web::{self, Data};
use actix_web::{HttpRequest, HttpResponse};
use domain::access::Permission;
use domain::call::{CallListing, CallOrder, CallQuery, CallType};
use domain::ids::OrganizationId;
use domain::page::{Page, PageRequest};
use serde::Serialize;

use super::description;
use super::record::ListItem;
use crate::authentication;
use crate::error::ApiError;
use crate::gate::Gate;
use crate::pagination::{Pagination, page_request};
use crate::query::{Query, end, filter, start};
use crate::routes::{Endpoint, Needs};
use application::requests::{Code, Fault};

/// Its entry in the table.
pub(crate) const ENDPOINT: Endpoint = Endpoint {
    method: Method::GET,
    path: "/api/calls",
    limit: Some(600),
    needs: Needs::Permission(Permission::CallsRead),
    handler: || web::to(list),
    describe: description::describe_list,
};

pub(super) const LIMIT_DEFAULT: u32 = 20;
pub(super) const LIMIT_MAX: u32 = 50;

/// Unknown, foreign and malformed ids are told apart by nothing.
pub(super) const NOT_FOUND: ApiError = ApiError::NotFound("Organization not found");

#[derive(Serialize)]
struct Answer {
    calls: Vec<ListItem>,
    pagination: Pagination,
}

/// Key, permission, query, page.
async fn list(gate: Data<Gate>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    let service = gate.service()?;
    let key = authentication::presented_key(&request)?;
    let principal = authentication::authorize(service, &key, ENDPOINT.needs).await?;
    let query = call_query(Query::of(&request))?.ok_or(NOT_FOUND)?;
    let page = service.call_records.page(principal.scope, &query).await?.ok_or(NOT_FOUND)?;
    Ok(HttpResponse::Ok().json(Answer::of(query.page, page)))
}

/// Reads the parameters; none when they are right but for an id that no organization can have.
fn call_query(mut query: Query<'_>) -> Result<Option<CallQuery>, ApiError> {
    let organization = query.required("organizationId", |text| Ok(OrganizationId::parse(text)));
    let page = page_request(&mut query, LIMIT_DEFAULT, LIMIT_MAX);
    let call_type = query.optional("callType", call_type);
    let agent_name = query.optional("agentName", filter).flatten();
    let user_primary_intent = query.optional("userPrimaryIntent", filter).flatten();
    let (from, to) = (query.optional("from", start), query.optional("to", end));
    if from.zip(to).is_some_and(|(from, to)| from > to) {
        query.problem("from", Fault::of_request(Code::Custom, "from must be before or equal to to"));
    }
    let order = query.optional("sort", order).unwrap_or(CallOrder::Newest);
    query.finish(organization.map(|organization| {
        let organization = organization?;
        Some(CallQuery { organization, page, call_type, agent_name, user_primary_intent, from, to, order })
    }))
}

fn call_type(text: &str) -> Result<CallType, Fault> {
    CallType::parse(text).ok_or_else(|| Fault::NoneOf(CallType::ALL.map(CallType::as_str).to_vec()))
}

/// The orders by their names in the interface.
pub(super) const ORDERS: [(&str, CallOrder); 4] = [
    ("asc", CallOrder::Oldest),
    ("desc", CallOrder::Newest),
    ("duration_desc", CallOrder::Longest),
    ("duration_asc", CallOrder::Shortest),
];

fn order(text: &str) -> Result<CallOrder, Fault> {
    let known = ORDERS.into_iter().find(|(name, _)| *name == text);
    known.map(|(_, order)| order).ok_or_else(|| Fault::NoneOf(ORDERS.map(|(name, _)| name).to_vec()))
}

impl Answer {
    fn of(asked: PageRequest, page: Page<CallListing>) -> Self {
        Self {
            calls: page.items.into_iter().map(ListItem::from).collect(),
            pagination: Pagination::of(asked, page.total),
        }
    }
}
