//! `/users`.

use actix_web::HttpResponse;
use askama::Template;

use super::words::{self, Words};
use super::{organizations, reach};
use crate::answer;
use crate::error::PageError;
use crate::layout::{Layout, Section};
use crate::moment::Moment;
use crate::pages::account::{moments, role};
use crate::request::Visit;

#[derive(Template)]
#[template(path = "users/list.html")]
struct Shown {
    layout: Layout,
    words: &'static Words,
    rows: Vec<Row>,
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
    let users = visit.service.accounts.users(visit.scope()).await?;
    let organizations = organizations(&visit).await?;
    let moments = moments(&visit);
    let rows = users.into_iter().map(|user| Row {
        id: user.id.to_string(),
        role: role(visit.language, user.role),
        reach: reach(&user, &organizations, words),
        active: user.active,
        own: user.id == visit.user.id,
        signed_in: user.signed_in_at.map(|at| moments.short(at)),
        email: user.email,
    });
    let notice = (visit.query.text("done") == Some("removed")).then_some(words.removed);
    let layout = Layout::of(&visit, Section::Users, words.title).noting(notice);
    answer::page(&Shown { layout, words, rows: rows.collect() })
}
