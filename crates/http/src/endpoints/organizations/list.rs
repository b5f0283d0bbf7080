//! `GET /api/organization`: the tenant's organizations, page by page.

use actix_web::http::Method;
use actix_web::web::{self, Data};
use actix_web::{HttpRequest, HttpResponse};
use domain::organization::{Organization, OrganizationField, OrganizationQuery};
use domain::page::{Page, PageRequest};
use serde::Serialize;

use super::description;
use super::record::ShortRecord;
use crate::authentication;
use crate::error::ApiError;
use crate::gate::Gate;
use crate::pagination::{Pagination, page_request};
use crate::query::{Query, filter};
use crate::routes::{Endpoint, Needs};
use application::requests::Fault;

/// Its entry in the table.
pub(crate) const ENDPOINT: Endpoint = Endpoint {
    method: Method::GET,
    path: "/api/organization",
    limit: Some(600),
    needs: Needs::TenantKey,
    handler: || web::to(list),
    describe: description::describe_list,
};

pub(super) const LIMIT_DEFAULT: u32 = 10;
pub(super) const LIMIT_MAX: u32 = 100;

#[derive(Serialize)]
struct Answer {
    organizations: Vec<ShortRecord>,
    pagination: Pagination,
}

/// Key, query, page.
async fn list(gate: Data<Gate>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    let service = gate.service()?;
    let key = authentication::presented_key(&request)?;
    let principal = authentication::authorize(service, &key, ENDPOINT.needs).await?;
    let query = organization_query(Query::of(&request))?;
    let page = service.organizations.page(principal.scope, &query).await?;
    Ok(HttpResponse::Ok().json(Answer::of(query.page, page)))
}

fn organization_query(mut query: Query<'_>) -> Result<OrganizationQuery, ApiError> {
    let page = page_request(&mut query, LIMIT_DEFAULT, LIMIT_MAX);
    let (sort, descending) = query.optional("sort", sort).unwrap_or((OrganizationField::CreatedAt, false));
    let search = query.optional("search", filter).flatten();
    query.finish(Some(OrganizationQuery { page, sort, descending, search }))
}

/// A field's name; a leading `-` means descending.
fn sort(text: &str) -> Result<(OrganizationField, bool), Fault> {
    let (name, descending) = text.strip_prefix('-').map_or((text, false), |name| (name, true));
    OrganizationField::parse(name)
        .map(|field| (field, descending))
        .ok_or_else(|| Fault::NoneOf(OrganizationField::ALL.map(OrganizationField::as_str).to_vec()))
}

impl Answer {
    fn of(asked: PageRequest, page: Page<Organization>) -> Self {
        Self {
            organizations: page.items.into_iter().map(ShortRecord::from).collect(),
            pagination: Pagination::of(asked, page.total),
        }
    }
}
