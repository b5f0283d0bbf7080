//! The assistants of an organization: the list, each as a form and as its file, its providers' keys, and
//! taking it out of use.

mod file;
mod form;
mod keys;
mod list;
mod words;

use std::future::ready;

use actix_web::HttpResponse;
use application::assistant_file;
use domain::assistant::{Assistant, Brain, Engine};
use domain::ids::AssistantId;
use domain::scope::Reach;
use domain::user::Right;

use crate::answer;
use crate::error::PageError;
use crate::layout::{Layout, Section};
use crate::pages::confirm::Confirm;
use crate::pages::seen::Values;
use crate::request::Inside;
use crate::routes::{Page, Takes};

pub(crate) const PAGES: &[Page] = &[
    Page::get(
        "/o/{organization}/assistants",
        Takes::Within(Right::SeeSetup, |inside| Box::pin(list::show(inside))),
    ),
    Page::get(
        "/o/{organization}/assistants/new",
        Takes::Within(Right::WriteAssistants, |inside| Box::pin(ready(form::new(&inside)))),
    ),
    Page::post(
        "/o/{organization}/assistants/new",
        Takes::Within(Right::WriteAssistants, |inside| Box::pin(form::create(inside))),
    ),
    Page::get(
        "/o/{organization}/assistants/new/file",
        Takes::Within(Right::WriteAssistants, |inside| Box::pin(ready(file::new(&inside)))),
    ),
    Page::post(
        "/o/{organization}/assistants/new/file",
        Takes::Within(Right::WriteAssistants, |inside| Box::pin(file::create(inside))),
    )
    .with_long_text(),
    Page::get(
        "/o/{organization}/assistants/{assistant}",
        Takes::Within(Right::SeeSetup, |inside| Box::pin(form::show(inside))),
    ),
    Page::post(
        "/o/{organization}/assistants/{assistant}",
        Takes::Within(Right::WriteAssistants, |inside| Box::pin(form::revise(inside))),
    ),
    Page::get(
        "/o/{organization}/assistants/{assistant}/file",
        Takes::Within(Right::SeeSetup, |inside| Box::pin(file::show(inside))),
    ),
    Page::post(
        "/o/{organization}/assistants/{assistant}/file",
        Takes::Within(Right::WriteAssistants, |inside| Box::pin(file::revise(inside))),
    )
    .with_long_text(),
    Page::post(
        "/o/{organization}/assistants/{assistant}/key",
        Takes::Within(Right::ManageSetup, |inside| Box::pin(keys::give(inside))),
    ),
    Page::get(
        "/o/{organization}/assistants/{assistant}/retire",
        Takes::Within(Right::WriteAssistants, |inside| Box::pin(ask(inside))),
    ),
    Page::post(
        "/o/{organization}/assistants/{assistant}/retire",
        Takes::Within(Right::WriteAssistants, |inside| Box::pin(retire(inside))),
    ),
];

/// The assistant of the path, of the organization of the path.
async fn named(inside: &Inside) -> Result<Assistant, PageError> {
    let id = inside.visit.id("assistant", AssistantId::parse)?;
    let found = inside.service.assistants.assistant(Reach::Within(inside.scope()), id).await?;
    found.filter(|own| own.organization == inside.organization.id).ok_or(PageError::NotFound)
}

/// What the form and the file of an assistant say of it; nothing of its keys.
fn said(own: &Assistant) -> Values {
    vec![("file", assistant_file::write(own))]
}

fn engine(assistant: &Assistant) -> &'static str {
    match &assistant.engine {
        Engine::Builtin(_) => "builtin",
        Engine::Agent(agent) => match &agent.brain {
            Brain::Realtime(_) => "realtime",
            Brain::Cascade(_) => "cascade",
        },
    }
}

async fn ask(inside: Inside) -> Result<HttpResponse, PageError> {
    let (words, own) = (words::of(inside.language), named(&inside).await?);
    let back = inside.href(&format!("/assistants/{}", own.id));
    let confirm = Confirm {
        layout: Layout::of(&inside, Section::Assistants, words.retire),
        title: words.retire,
        name: own.name,
        text: words.retire_text,
        button: words.retire_button,
        action: format!("{back}/retire"),
        back,
    };
    confirm.page()
}

async fn retire(inside: Inside) -> Result<HttpResponse, PageError> {
    let own = named(&inside).await?;
    let (reach, deed) = (Reach::Within(inside.scope()), inside.deed());
    let retiring =
        inside.write(async move |service| service.assistants.retire_assistant(reach, own.id, deed).await);
    if !retiring.await?? {
        return Err(PageError::NotFound);
    }
    Ok(answer::see(&inside.href("/assistants?done=retired")))
}
