//! The audit log: who did what, when, from where; of the company, or of one organization.

mod sentences;
mod words;

use actix_web::HttpResponse;
use askama::Template;
use domain::audit::{Actor, AuditEntry};
use domain::ids::{AuditId, OrganizationId};
use domain::organization::Organization;
use domain::user::Right;

use self::words::Words;
use crate::answer;
use crate::error::PageError;
use crate::language::Language;
use crate::layout::{Layout, Section};
use crate::moment::{Moment, Moments};
use crate::request::Visit;
use crate::routes::{Page, Takes};

pub(crate) const PAGES: &[Page] =
    &[Page::get("/audit-log", Takes::User(Right::ManageAccess, |visit| Box::pin(show(visit)))).in_turn()];

/// Entries on a page.
const PAGE: u32 = 50;

#[derive(Template)]
#[template(path = "audit_log/page.html")]
struct Log {
    layout: Layout,
    words: &'static Words,
    about: String,
    /// Where the whole log is, when only an organization's is shown.
    whole: String,
    /// Where only the log of the last organization is, when the whole is shown.
    narrow: Option<(String, String)>,
    entries: Vec<Told>,
    first: String,
    older: String,
}

/// An entry as a sentence.
struct Told {
    at: Moment,
    who: String,
    did: String,
    from: String,
}

async fn show(visit: Visit) -> Result<HttpResponse, PageError> {
    let words = words::of(visit.language);
    let organization = wanted(&visit).await?;
    let before = match visit.query.text("before") {
        Some(text) => Some(AuditId::parse(text).ok_or(PageError::NotFound)?),
        None => None,
    };
    let of = organization.as_ref().map(|organization| organization.id);
    let mut entries = visit.service.audit.entries(visit.scope(), of, before, PAGE + 1).await?;
    let more = entries.len() > usize::try_from(PAGE).unwrap_or(usize::MAX);
    entries.truncate(usize::try_from(PAGE).unwrap_or(usize::MAX));
    let zone = organization.as_ref().or(visit.organization.as_ref()).map(|own| own.profile.timezone);
    let moments = match zone {
        Some(zone) => Moments::new(visit.language, zone),
        None => Moments::utc(visit.language),
    };
    let own = of.map(|id| format!("organization={id}")).unwrap_or_default();
    let last = entries.last().filter(|_| more).map(|entry| entry.id);
    let template = Log {
        layout: Layout::of(&visit, Section::AuditLog, words.title),
        words,
        about: match &organization {
            Some(organization) => words.of_organization.replace("{}", &organization.profile.name),
            None => words.of_all.to_owned(),
        },
        whole: match (of, visit.user.organization) {
            (Some(_), None) => "/audit-log".to_owned(),
            _ => String::new(),
        },
        narrow: match (of, &visit.organization) {
            (None, Some(last)) => Some((
                format!("/audit-log?organization={}", last.id),
                words.only.replace("{}", &last.profile.name),
            )),
            _ => None,
        },
        first: if before.is_some() { address(&own, None) } else { String::new() },
        older: last.map(|last| address(&own, Some(last))).unwrap_or_default(),
        entries: entries.iter().map(|entry| told(entry, visit.language, words, &moments)).collect(),
    };
    answer::page(&template)
}

/// The organization whose entries alone are wanted: the one in the query, or a user's only one.
async fn wanted(visit: &Visit) -> Result<Option<Organization>, PageError> {
    let named = match visit.query.text("organization") {
        Some(text) => Some(OrganizationId::parse(text).ok_or(PageError::NotFound)?),
        None => visit.user.organization,
    };
    let Some(id) = named else { return Ok(None) };
    let found = visit.service.organizations.find(visit.scope(), id).await?;
    found.map(Some).ok_or(PageError::NotFound)
}

fn address(own: &str, before: Option<AuditId>) -> String {
    let before = before.map(|id| format!("before={id}"));
    let query: Vec<_> =
        [own, before.as_deref().unwrap_or_default()].into_iter().filter(|part| !part.is_empty()).collect();
    if query.is_empty() { "/audit-log".to_owned() } else { format!("/audit-log?{}", query.join("&")) }
}

fn told(entry: &AuditEntry, language: Language, words: &Words, moments: &Moments) -> Told {
    Told {
        at: moments.full(entry.deed.at),
        who: match &entry.deed.actor {
            Actor::User(_, email) => email.clone(),
            Actor::Key(id) => words.a_key.replace("{}", &id.to_string()),
            Actor::Operator => words.operator.to_owned(),
        },
        did: sentences::sentence(entry, language),
        from: entry.deed.from.map_or_else(|| words.here.to_owned(), |address| address.to_string()),
    }
}
