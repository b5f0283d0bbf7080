//! The metadata record: what it says, and its next version.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use application::causes::causes;
use application::replace_metadata::ReplaceMetadataError;
use askama::Template;
use domain::audit::Actor;
use domain::ids::UserId;
use domain::metadata::MetadataRecord;
use domain::user::Right;
use serde_json::Value;

use super::words::{self, Words};
use super::{json, pretty};
use crate::answer;
use crate::error::PageError;
use crate::layout::{Layout, Section};
use crate::moment::{Moment, Moments};
use crate::request::Inside;
use crate::tell::Tell;

#[derive(Template)]
#[template(path = "metadata/record.html")]
struct Page {
    layout: Layout,
    words: &'static Words,
    action: String,
    schema: String,
    /// The version that the form is about.
    version: u32,
    newest_version: u32,
    written: Moment,
    written_by: String,
    text: String,
    /// Whether nothing stands in the newest version.
    empty: bool,
    /// What somebody else wrote meanwhile; empty when nobody did.
    newest: String,
    problem: String,
    may_change: bool,
}

pub(super) async fn show(inside: Inside) -> Result<HttpResponse, PageError> {
    let record = read(&inside).await?;
    let text = pretty(&Value::Object(record.metadata.clone()));
    let saved = inside.query.ticked("saved");
    answer::page(&page(&inside, &record, text, String::new(), saved).await?)
}

pub(super) async fn take(inside: Inside) -> Result<HttpResponse, PageError> {
    let text = inside.form.raw("metadata").unwrap_or_default().to_owned();
    let words = words::of(inside.language);
    let seen = inside.form.text("version").map(str::parse).transpose().map_err(|_| PageError::BadForm)?;
    let mut status = StatusCode::UNPROCESSABLE_ENTITY;
    let problem = match json(&text, inside.language) {
        Ok(Value::Object(metadata)) => {
            let (scope, id, deed) = (inside.scope(), inside.organization.id, inside.deed());
            let replaced = inside
                .write(move |service| async move {
                    service.replace_metadata.replace(scope, id, metadata, seen, deed).await
                })
                .await?;
            match replaced {
                Ok(_) => return Ok(answer::see(&inside.href("/metadata?saved"))),
                Err(ReplaceMetadataError::Breaks(why)) => {
                    let colon = inside.language.pick(": ", " : ");
                    format!("{}{colon}{}", words.breaks, why.tell(inside.language))
                }
                Err(ReplaceMetadataError::Overtaken) => {
                    status = StatusCode::CONFLICT;
                    words.overtaken.to_owned()
                }
                Err(ReplaceMetadataError::NotFound) => return Err(PageError::NotFound),
                Err(ReplaceMetadataError::SchemaKeepsChanging) => return Err(PageError::Unavailable),
                Err(ReplaceMetadataError::Store(store)) => return Err(store.into()),
                Err(ReplaceMetadataError::CannotJudge(failure)) => {
                    tracing::error!(cause = causes(&failure), "metadata cannot be judged");
                    return Err(PageError::Internal("metadata cannot be judged"));
                }
            }
        }
        Ok(_) => words.no_object.to_owned(),
        Err(problem) => problem,
    };
    let record = read(&inside).await?;
    let same = |text: &str| {
        json(text, inside.language).is_ok_and(|own| own == Value::Object(record.metadata.clone()))
    };
    if status == StatusCode::CONFLICT && same(&text) {
        // The same form came twice.
        return Ok(answer::see(&inside.href("/metadata?saved")));
    }
    let mut shown = page(&inside, &record, text, problem, false).await?;
    if status == StatusCode::CONFLICT {
        // Sent once more, it replaces what is shown beside it.
        shown.newest = pretty(&Value::Object(record.metadata));
    } else {
        shown.version = seen.unwrap_or(shown.version);
    }
    answer::page_with(status, &shown)
}

async fn read(inside: &Inside) -> Result<MetadataRecord, PageError> {
    let found = inside.service.metadata.read_metadata(inside.scope(), inside.organization.id).await?;
    found.ok_or(PageError::NotFound)
}

/// Who wrote a version: a user within reach by their e-mail address, everybody else by their id.
async fn writer(inside: &Inside, by: &str) -> Result<String, PageError> {
    if by == Actor::Operator.id() {
        return Ok(words::of(inside.language).operator.to_owned());
    }
    let Some(id) = UserId::parse(by) else { return Ok(by.to_owned()) };
    let user = inside.service.accounts.user(inside.scope(), id).await?;
    Ok(user.map_or_else(|| by.to_owned(), |user| user.email))
}

async fn page(
    inside: &Inside,
    record: &MetadataRecord,
    text: String,
    problem: String,
    saved: bool,
) -> Result<Page, PageError> {
    let words = words::of(inside.language);
    let moments = Moments::new(inside.language, inside.organization.profile.timezone);
    let notice = saved.then_some(words.saved);
    Ok(Page {
        layout: Layout::of(inside, Section::Metadata, words.title).noting(notice),
        words,
        action: inside.href("/metadata"),
        schema: inside.href("/metadata/schema"),
        version: record.version,
        newest_version: record.version,
        written: moments.short(record.created_at),
        written_by: writer(inside, &record.created_by).await?,
        text,
        empty: record.metadata.is_empty(),
        newest: String::new(),
        problem,
        may_change: inside.may(Right::WriteAssistants),
    })
}
