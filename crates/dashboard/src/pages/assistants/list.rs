//! `/o/{organization}/assistants`.

use actix_web::HttpResponse;
use askama::Template;
use domain::page::PageRequest;
use domain::scope::Reach;
use domain::user::Right;

use super::engine;
use super::words::{self, Words};
use crate::answer;
use crate::error::PageError;
use crate::layout::{Layout, Section};
use crate::moment::Moment;
use crate::pages::account::moments;
use crate::request::Inside;

/// Assistants on a page.
const SIZE: u32 = 50;

#[derive(Template)]
#[template(path = "assistants/list.html")]
struct Shown {
    layout: Layout,
    words: &'static Words,
    home: String,
    rows: Vec<Row>,
    writes: bool,
    page: u32,
    previous: String,
    next: String,
    told: String,
}

struct Row {
    id: String,
    name: String,
    team: Option<String>,
    engine: &'static str,
    language: &'static str,
    created: Moment,
}

pub(super) async fn show(inside: Inside) -> Result<HttpResponse, PageError> {
    let words = words::of(inside.language);
    let number = inside.query.text("page").and_then(|text| text.parse().ok()).unwrap_or(1).max(1);
    let (reach, page) = (Reach::Within(inside.scope()), PageRequest { number, size: SIZE });
    let found = inside.service.assistants.assistants_of(reach, inside.organization.id, page).await?;
    let moments = moments(&inside);
    let home = inside.href("/assistants");
    let full = u32::try_from(found.len()).is_ok_and(|count| count == SIZE);
    let rows = found.into_iter().map(|own| Row {
        id: own.id.to_string(),
        engine: words.engine(engine(&own)),
        language: own.language.as_str(),
        created: moments.short(own.created_at),
        name: own.name,
        team: own.team,
    });
    let notice = match inside.query.text("done") {
        Some("retired") => Some(words.retired),
        _ => None,
    };
    let link =
        |wanted: bool, number: u32| if wanted { format!("{home}?page={number}") } else { String::new() };
    answer::page(&Shown {
        layout: Layout::of(&inside, Section::Assistants, words.title).noting(notice),
        words,
        rows: rows.collect(),
        writes: inside.may(Right::WriteAssistants),
        page: number,
        previous: link(number > 1, number.saturating_sub(1)),
        next: link(full, number.saturating_add(1)),
        told: format!("{} {number}", words.page),
        home,
    })
}
