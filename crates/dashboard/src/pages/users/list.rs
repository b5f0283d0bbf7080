//! `/users`.

use actix_web::HttpResponse;
use askama::Template;
use domain::ports::ListedUser;

use super::reach;
use super::words::{self, Words};
use crate::answer;
use crate::error::PageError;
use crate::layout::{Layout, Section};
use crate::moment::Moment;
use crate::pages::account::{moments, role};
use crate::pages::paging::Paging;
use crate::request::Visit;

#[derive(Template)]
#[template(path = "users/list.html")]
struct Shown {
    layout: Layout,
    words: &'static Words,
    rows: Vec<Row>,
    page: u32,
    previous: String,
    next: String,
    told: String,
}

struct Row {
    id: String,
    email: String,
    role: &'static str,
    reach: String,
    active: bool,
    own: bool,
    signed_in: Option<Moment>,
}

pub(super) async fn show(visit: Visit) -> Result<HttpResponse, PageError> {
    let words = words::of(visit.language);
    let paging = Paging::of(&visit.query);
    let found = visit.service.accounts.users(visit.scope(), paging.request()).await?;
    let (previous, next) = paging.neighbours("/users", found.len());
    let moments = moments(&visit);
    let rows = found.into_iter().map(|ListedUser { user, organization_name }| Row {
        id: user.id.to_string(),
        role: role(visit.language, user.role),
        reach: reach(&user, organization_name, words),
        active: user.active,
        own: user.id == visit.user.id,
        signed_in: user.signed_in_at.map(|at| moments.short(at)),
        email: user.email,
    });
    let notice = (visit.query.text("done") == Some("removed")).then_some(words.removed);
    let layout = Layout::of(&visit, Section::Users, words.title).noting(notice);
    answer::page(&Shown {
        layout,
        words,
        rows: rows.collect(),
        page: paging.number,
        previous,
        next,
        told: format!("{} {}", words.page, paging.number),
    })
}
