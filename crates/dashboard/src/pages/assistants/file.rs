//! An assistant as the file that describes it: the command line takes the same text.

use actix_web::HttpResponse;
use application::assistant_file::OwnedDraft;
use askama::Template;
use domain::assistant::Assistant;
use domain::ids::AssistantId;
use domain::user::Right;

use super::form::Replaced;
use super::words::{self, Words};
use super::{form, named, said};
use crate::answer;
use crate::error::PageError;
use crate::layout::{Layout, Section};
use crate::pages::filled::Filled;
use crate::request::Inside;

#[derive(Template)]
#[template(path = "assistants/file.html")]
struct Shown {
    layout: Layout,
    all: &'static Words,
    words: &'static form::Words,
    home: String,
    /// None while it is new.
    id: Option<String>,
    name: String,
    /// The engine that a new one begins with.
    engine: &'static str,
    filled: Filled,
    writes: bool,
}

pub(super) fn new(inside: &Inside) -> Result<HttpResponse, PageError> {
    let engine = words::known_engine(inside.query.text("engine"));
    let text = words::of(inside.language).beginning(engine);
    page(inside, None, form::begin(inside, [("file", text.to_owned())]))
}

pub(super) async fn create(inside: Inside) -> Result<HttpResponse, PageError> {
    let mut filled = Filled::typed(&inside, &["id", "file"]);
    let id = filled.id(AssistantId::parse)?;
    let Some(draft) = read(&inside, &mut filled) else { return page(&inside, None, filled) };
    form::add(&inside, id, draft).await?;
    Ok(answer::see(&inside.href(&format!("/assistants/{id}?done=created"))))
}

pub(super) async fn show(inside: Inside) -> Result<HttpResponse, PageError> {
    let own = named(&inside).await?;
    page(&inside, Some(&own), Filled::stored(&inside, said(&own)))
}

pub(super) async fn revise(inside: Inside) -> Result<HttpResponse, PageError> {
    let own = named(&inside).await?;
    let mut filled = Filled::retyped(&inside, &["file"])?;
    let Some(draft) = read(&inside, &mut filled) else { return page(&inside, Some(&own), filled) };
    match form::replace(&inside, &own, &mut filled, draft).await? {
        Replaced::Saved { done } => {
            Ok(answer::see(&inside.href(&format!("/assistants/{}/file?done={done}", own.id))))
        }
        Replaced::Overtaken(other) => page(&inside, Some(&other), filled),
    }
}

/// The assistant that was described.
fn read(inside: &Inside, filled: &mut Filled) -> Option<OwnedDraft> {
    let read = form::read(inside, filled.value("file"));
    read.map_err(|bad| filled.note("file", &bad)).ok()
}

fn page(inside: &Inside, own: Option<&Assistant>, filled: Filled) -> Result<HttpResponse, PageError> {
    let all = words::of(inside.language);
    let name = own.map_or_else(|| all.new.to_owned(), |own| own.name.clone());
    let shown = Shown {
        layout: Layout::of(inside, Section::Assistants, name.clone())
            .noting(all.done(inside.query.text("done"))),
        all,
        words: form::words_of(inside.language),
        home: inside.href("/assistants"),
        id: own.map(|own| own.id.to_string()),
        name,
        engine: own.map_or_else(|| words::known_engine(inside.query.text("engine")), super::engine),
        writes: inside.may(Right::WriteAssistants),
        filled,
    };
    shown.filled.page(&shown)
}
