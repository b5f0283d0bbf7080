//! The organizations within reach: found by name, sorted, in pages.

use actix_web::HttpResponse;
use askama::Template;
use domain::organization::{OrganizationField, OrganizationQuery};
use domain::page::PageRequest;
use domain::user::Right;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::words::{self, Words};
use crate::answer;
use crate::error::PageError;
use crate::layout::{Layout, Section};
use crate::moment::Moment;
use crate::pages::account::moments;
use crate::pages::paging;
use crate::pages::shortened::shortened;
use crate::request::Visit;

const PAGE_SIZE: u32 = 25;

#[derive(Template)]
#[template(path = "organizations/list.html")]
struct List {
    layout: Layout,
    words: &'static Words,
    search: String,
    sorts: Vec<(String, String)>,
    sort: &'static str,
    rows: Vec<Row>,
    total: u64,
    previous: String,
    next: String,
    told: String,
    may_create: bool,
}

struct Row {
    id: String,
    name: String,
    /// As it is told once more, to those who hear the page.
    short_name: String,
    place: String,
    email: String,
    created: Moment,
}

pub(super) async fn show(visit: Visit) -> Result<HttpResponse, PageError> {
    let words = words::of(visit.language);
    let search = visit.query.text("search").unwrap_or_default().to_owned();
    let sort = visit.query.text("sort").and_then(OrganizationField::parse).unwrap_or(OrganizationField::Name);
    let number = paging::number(&visit.query, "page");
    let descending = matches!(sort, OrganizationField::CreatedAt | OrganizationField::UpdatedAt);
    let query = OrganizationQuery {
        page: PageRequest { number, size: PAGE_SIZE },
        sort,
        descending,
        search: (!search.is_empty()).then(|| search.clone()),
    };
    let found = visit.service.organizations.page(visit.scope(), &query).await?;
    let moments = moments(&visit);
    let rows: Vec<_> = found
        .items
        .into_iter()
        .map(|own| Row {
            id: own.id.to_string(),
            place: shortened(&place(&own.profile.city, &own.profile.country)),
            created: moments.short(own.created_at),
            short_name: shortened(&own.profile.name),
            name: own.profile.name,
            email: own.profile.email,
        })
        .collect();
    let pages = found.total.div_ceil(u64::from(PAGE_SIZE)).max(1);
    let link = |page: u32| {
        let search = utf8_percent_encode(&search, NON_ALPHANUMERIC);
        format!("/organizations?search={search}&sort={}&page={page}", sort.as_str())
    };
    let sorts = [
        (OrganizationField::Name, words.name),
        (OrganizationField::CreatedAt, words.newest),
        (OrganizationField::City, words.city),
        (OrganizationField::Country, words.country),
    ];
    answer::page(&List {
        layout: Layout::of(&visit, Section::Organizations, words.title),
        words,
        previous: if number > 1 { link(number - 1) } else { String::new() },
        next: if u64::from(number) < pages { link(number + 1) } else { String::new() },
        told: words.page(number, pages),
        search,
        sorts: sorts.into_iter().map(|(own, label)| (own.as_str().to_owned(), label.to_owned())).collect(),
        sort: sort.as_str(),
        rows,
        total: found.total,
        may_create: visit.may(Right::ManageTenant),
    })
}

/// City and country, as far as they are known.
fn place(city: &str, country: &str) -> String {
    [city, country].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}
