//! `/o/{organization}/numbers`.

use actix_web::HttpResponse;
use askama::Template;
use domain::scope::Reach;
use domain::user::Right;

use super::words::{self, Words};
use crate::answer;
use crate::error::PageError;
use crate::layout::{Layout, Section};
use crate::moment::Moment;
use crate::pages::account::moments;
use crate::pages::paging::Paging;
use crate::request::Inside;

#[derive(Template)]
#[template(path = "numbers/list.html")]
struct List {
    layout: Layout,
    words: &'static Words,
    home: String,
    rows: Vec<Row>,
    manages: bool,
    page: u32,
    previous: String,
    next: String,
    told: String,
}

struct Row {
    id: String,
    number: String,
    trunk: String,
    carried: bool,
    created: Moment,
}

pub(super) async fn show(inside: Inside) -> Result<HttpResponse, PageError> {
    let words = words::of(inside.language);
    let paging = Paging::of(&inside.query);
    let (reach, page) = (Reach::Within(inside.scope()), paging.request());
    let found = inside.service.numbers.numbers_of(reach, inside.organization.id, page).await?;
    let (moments, home) = (moments(&inside), inside.href("/numbers"));
    let (previous, next) = paging.neighbours(&home, found.len());
    let rows = found.into_iter().map(|own| Row {
        id: own.number.id.to_string(),
        number: own.number.number.as_str().to_owned(),
        trunk: own.trunk_name,
        carried: own.carried,
        created: moments.short(own.number.created_at),
    });
    let notice = match inside.query.text("done") {
        Some("created") => Some(words.added),
        Some("retired") => Some(words.retired),
        _ => None,
    };
    answer::page(&List {
        layout: Layout::of(&inside, Section::Numbers, words.title).noting(notice),
        words,
        rows: rows.collect(),
        manages: inside.may(Right::ManageSetup),
        page: paging.number,
        previous,
        next,
        told: format!("{} {}", words.page, paging.number),
        home,
    })
}
