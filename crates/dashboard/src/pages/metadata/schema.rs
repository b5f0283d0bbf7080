//! The schemas that judge metadata: an organization's own, and the tenant's for all others.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use askama::Template;
use domain::ids::SchemaId;
use domain::metadata::SchemaOwner;
use domain::scope::Reach;
use domain::user::Right;

use super::words::{self, Words};
use super::{json, pretty};
use crate::answer;
use crate::error::PageError;
use crate::layout::{Layout, Section};
use crate::request::{Inside, Visit};
use crate::tell::Tell;

#[derive(Template)]
#[template(path = "metadata/schema.html")]
struct Page {
    layout: Layout,
    words: &'static Words,
    /// The metadata's page; empty for the tenant's schema.
    back: String,
    action: String,
    about: &'static str,
    text: String,
    problem: String,
    may_change: bool,
}

/// Whose schema a page is about, and where it is.
struct Subject {
    owner: SchemaOwner,
    action: String,
    back: String,
    section: Section,
    may_change: bool,
}

pub(super) async fn show_own(inside: Inside) -> Result<HttpResponse, PageError> {
    show(&inside, own(&inside)).await
}

pub(super) async fn take_own(inside: Inside) -> Result<HttpResponse, PageError> {
    take(&inside, own(&inside)).await
}

pub(super) async fn show_tenants(visit: Visit) -> Result<HttpResponse, PageError> {
    show(&visit, tenants(&visit)).await
}

pub(super) async fn take_tenants(visit: Visit) -> Result<HttpResponse, PageError> {
    take(&visit, tenants(&visit)).await
}

fn own(inside: &Inside) -> Subject {
    Subject {
        owner: SchemaOwner::Organization(inside.organization.id),
        action: inside.href("/metadata/schema"),
        back: inside.href("/metadata"),
        section: Section::Metadata,
        may_change: inside.may(Right::ManageSetup),
    }
}

fn tenants(visit: &Visit) -> Subject {
    Subject {
        owner: SchemaOwner::Tenant(visit.user.tenant),
        action: "/schema".to_owned(),
        back: String::new(),
        section: Section::Schema,
        may_change: visit.may(Right::ManageTenant),
    }
}

async fn show(visit: &Visit, subject: Subject) -> Result<HttpResponse, PageError> {
    let reach = Reach::Within(visit.scope());
    let schema = visit.service.schemas.get(reach, subject.owner).await?;
    let saved = visit.query.ticked("saved");
    answer::page(&page(visit, subject, pretty(&schema.document), String::new(), saved))
}

async fn take(visit: &Visit, subject: Subject) -> Result<HttpResponse, PageError> {
    let text = visit.form.raw("schema").unwrap_or_default().to_owned();
    let (reach, owner, deed) = (Reach::Within(visit.scope()), subject.owner, visit.deed());
    let problem = match json(&text, visit.language) {
        Ok(document) => match visit.service.judge.examine(document.clone()).await {
            Ok(()) => {
                let id: SchemaId = visit.new_id();
                visit
                    .write(move |service| async move {
                        service.schemas.put(reach, owner, id, document, None, deed).await
                    })
                    .await??;
                return Ok(answer::see(&format!("{}?saved", subject.action)));
            }
            Err(unsafe_schema) => unsafe_schema.tell(visit.language),
        },
        Err(problem) => problem,
    };
    answer::page_with(StatusCode::UNPROCESSABLE_ENTITY, &page(visit, subject, text, problem, false))
}

fn page(visit: &Visit, subject: Subject, text: String, problem: String, saved: bool) -> Page {
    let words = words::of(visit.language);
    let about = if subject.back.is_empty() { words.about_tenants } else { words.about_own };
    Page {
        layout: Layout::of(visit, subject.section, words.schema).noting(saved.then_some(words.schema_saved)),
        words,
        back: subject.back,
        action: subject.action,
        about,
        text,
        problem,
        may_change: subject.may_change,
    }
}
