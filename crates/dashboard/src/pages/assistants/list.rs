//! `/o/{organization}/assistants`.

use actix_web::HttpResponse;
use askama::Template;
use domain::ids::AssistantId;
use domain::scope::Reach;
use domain::user::Right;

use super::engine;
use super::words::{self, Words};
use crate::answer;
use crate::error::PageError;
use crate::layout::{Layout, Section};
use crate::moment::Moment;
use crate::pages::account::moments;
use crate::pages::paging::Paging;
use crate::request::Inside;

#[derive(Template)]
#[template(path = "assistants/list.html")]
struct Shown {
    layout: Layout,
    words: &'static Words,
    home: String,
    rows: Vec<Row>,
    writes: bool,
    /// Where the ready example is made, and the id that it is given.
    example: String,
    fresh: String,
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
    let paging = Paging::of(&inside.query);
    let (reach, page) = (Reach::Within(inside.scope()), paging.request());
    let found = inside.service.assistants.assistants_of(reach, inside.organization.id, page).await?;
    let moments = moments(&inside);
    let home = inside.href("/assistants");
    let (previous, next) = paging.neighbours(&home, found.len());
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
    answer::page(&Shown {
        layout: Layout::of(&inside, Section::Assistants, words.title).noting(notice),
        words,
        rows: rows.collect(),
        writes: inside.may(Right::WriteAssistants),
        example: inside.href("/place-call/example"),
        fresh: inside.new_id::<AssistantId>().to_string(),
        page: paging.number,
        previous,
        next,
        told: format!("{} {}", words.page, paging.number),
        home,
    })
}
