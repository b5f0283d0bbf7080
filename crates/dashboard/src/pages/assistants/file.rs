//! An assistant as the file that describes it: the command line takes the same text.

use actix_web::HttpResponse;
use application::assistant_file::{self, Draft};
use askama::Template;
use domain::assistant::{Assistant, ProviderKey};
use domain::ids::AssistantId;
use domain::scope::Reach;
use domain::user::Right;

use super::named;
use super::words::{self, Words};
use crate::answer;
use crate::error::PageError;
use crate::layout::{Layout, Section};
use crate::pages::filled::Filled;
use crate::request::Inside;

#[derive(Template)]
#[template(path = "assistants/file.html")]
struct Shown {
    layout: Layout,
    words: &'static Words,
    home: String,
    /// None while it is new.
    id: Option<String>,
    name: String,
    /// The engine that a new one begins with.
    engine: &'static str,
    filled: Filled,
    writes: bool,
    keys: Vec<Key>,
    gives_keys: bool,
}

/// How the service gets into one provider.
struct Key {
    role: &'static str,
    host: String,
    told: String,
}

pub(super) fn new(inside: &Inside) -> Result<HttpResponse, PageError> {
    let engine = words::known_engine(inside.query.text("engine"));
    let text = words::of(inside.language).beginning(engine);
    form(inside, None, engine, Filled::with(inside, [("file", text.to_owned())]))
}

pub(super) async fn create(inside: Inside) -> Result<HttpResponse, PageError> {
    let (draft, filled) = read(&inside);
    let engine = words::known_engine(inside.query.text("engine"));
    let Some(draft) = draft else { return form(&inside, None, engine, filled) };
    let own = &inside.organization;
    let id: AssistantId = inside.new_id();
    let made = draft.into_assistant(id, own.tenant, own.id, inside.now());
    let (reach, deed) = (Reach::Within(inside.scope()), inside.deed());
    inside.write(async move |service| service.assistants.add_assistant(reach, made, deed).await).await??;
    Ok(answer::see(&inside.href(&format!("/assistants/{id}?done=created"))))
}

pub(super) async fn show(inside: Inside) -> Result<HttpResponse, PageError> {
    let own = named(&inside).await?;
    let filled = Filled::with(&inside, [("file", assistant_file::write(&own))]);
    form(&inside, Some(&own), super::engine(&own), filled)
}

pub(super) async fn revise(inside: Inside) -> Result<HttpResponse, PageError> {
    let own = named(&inside).await?;
    let (draft, filled) = read(&inside);
    let Some(draft) = draft else { return form(&inside, Some(&own), super::engine(&own), filled) };
    let revised = draft.into_assistant(own.id, own.tenant, own.organization, own.created_at);
    let (reach, deed) = (Reach::Within(inside.scope()), inside.deed());
    inside
        .write(async move |service| service.assistants.revise_assistant(reach, revised, None, deed).await)
        .await??;
    Ok(answer::see(&inside.href(&format!("/assistants/{}?done=saved", own.id))))
}

/// What was typed, and the assistant that it describes.
fn read(inside: &Inside) -> (Option<Draft>, Filled) {
    let mut filled = Filled::typed(inside, &["file"]);
    let read = assistant_file::parse(filled.value("file"), &inside.service.allowed_assistants);
    match read {
        Ok(draft) => (Some(draft), filled),
        Err(bad) => {
            filled.note("file", &bad);
            (None, filled)
        }
    }
}

pub(super) fn form(
    inside: &Inside,
    own: Option<&Assistant>,
    engine: &'static str,
    filled: Filled,
) -> Result<HttpResponse, PageError> {
    let words = words::of(inside.language);
    let notice = match inside.query.text("done") {
        Some("created") => Some(words.created_notice),
        Some("saved") => Some(words.saved),
        Some("key") => Some(words.key_saved),
        _ => None,
    };
    let name = own.map_or_else(|| words.new.to_owned(), |own| own.name.clone());
    let keys = own.map(|own| keys(own, words)).unwrap_or_default();
    let shown = Shown {
        layout: Layout::of(inside, Section::Assistants, name.clone()).noting(notice),
        words,
        home: inside.href("/assistants"),
        id: own.map(|own| own.id.to_string()),
        name,
        engine,
        writes: inside.may(Right::WriteAssistants),
        gives_keys: inside.may(Right::ManageSetup) && !keys.is_empty(),
        keys,
        filled,
    };
    shown.filled.page(&shown)
}

fn keys(own: &Assistant, words: &Words) -> Vec<Key> {
    let providers = own.providers().into_iter();
    let key = providers.map(|(role, provider)| Key {
        role: role.as_str(),
        host: provider.endpoint.host_str().unwrap_or_default().to_owned(),
        told: match &provider.key {
            ProviderKey::None => words.no_key.to_owned(),
            ProviderKey::Stored(_) => words.stored_key.to_owned(),
            ProviderKey::Variable(name) => format!("{} {name}", words.variable),
        },
    });
    key.collect()
}
