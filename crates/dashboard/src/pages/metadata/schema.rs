//! The schemas that judge metadata: an organization's own, and the tenant's for all others.

use actix_web::HttpResponse;
use askama::Template;
use domain::metadata::SchemaOwner;
use domain::ports::ReviseError;
use domain::scope::Reach;
use domain::user::Right;
use serde_json::Value;

use super::words::{self, Words};
use super::{json, pretty};
use crate::answer;
use crate::error::PageError;
use crate::layout::{Layout, Section};
use crate::pages::filled::Filled;
use crate::pages::seen::Values;
use crate::request::{Inside, Visit};
use crate::tell::Tell;

/// The form's one field.
const FIELD: &str = "schema";

#[derive(Template)]
#[template(path = "metadata/schema.html")]
struct Page {
    layout: Layout,
    words: &'static Words,
    /// The metadata's page; empty for the tenant's schema.
    back: String,
    action: String,
    about: &'static str,
    filled: Filled,
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
    page(visit, subject, Filled::stored(visit, known(&schema.document)), saved)
}

async fn take(visit: &Visit, subject: Subject) -> Result<HttpResponse, PageError> {
    let mut filled = Filled::retyped(visit, &[FIELD])?;
    let (reach, owner, deed) = (Reach::Within(visit.scope()), subject.owner, visit.deed());
    let document = match judged(visit, filled.value(FIELD)).await {
        Ok(document) => document,
        Err(problem) => {
            filled.note(FIELD, problem.as_str());
            return page(visit, subject, filled, false);
        }
    };
    let (id, seen) = (visit.new_id(), Some(filled.seen_by(known)));
    let putting = visit.write(move |service| async move {
        service.schemas.put(reach, owner, id, document, seen, deed).await
    });
    match putting.await? {
        Ok(()) => Ok(answer::see(&format!("{}?saved", subject.action))),
        Err(ReviseError::Overtaken) => {
            filled.overtake(&known(&visit.service.schemas.get(reach, owner).await?.document));
            page(visit, subject, filled, false)
        }
        Err(other) => Err(other.into()),
    }
}

/// Reads a schema that is safe, or says what is wrong with it.
async fn judged(visit: &Visit, text: &str) -> Result<Value, String> {
    let document = json(text, visit.language)?;
    let examined = visit.service.judge.examine(document.clone()).await;
    examined.map(|()| document).map_err(|unsafe_schema| unsafe_schema.tell(visit.language))
}

fn known(document: &Value) -> Values {
    vec![(FIELD, pretty(document))]
}

fn page(visit: &Visit, subject: Subject, filled: Filled, saved: bool) -> Result<HttpResponse, PageError> {
    let words = words::of(visit.language);
    let about = if subject.back.is_empty() { words.about_tenants } else { words.about_own };
    let page = Page {
        layout: Layout::of(visit, subject.section, words.schema).noting(saved.then_some(words.schema_saved)),
        words,
        back: subject.back,
        action: subject.action,
        about,
        filled,
        may_change: subject.may_change,
    };
    page.filled.page(&page)
}
