//! One's own account: password, language, sessions.

mod password;
mod sessions;
mod words;

use actix_web::HttpResponse;
use askama::Template;
use domain::user::Role;

use crate::error::PageError;
use crate::language::Language;
use crate::layout::{Layout, Section};
use crate::moment::{Moment, Moments};
use crate::pages::entrance::Trouble;
use crate::request::Visit;
use crate::routes::{Page, Takes};
use words::Words;

pub(crate) const PAGES: &[Page] = &[
    Page::get("/account", Takes::AnyUser(|visit| Box::pin(show(visit)))),
    Page::post("/account/password", Takes::AnyUser(|visit| Box::pin(password::take(visit)))),
    Page::post("/account/sessions/end", Takes::AnyUser(|visit| Box::pin(sessions::end(visit)))),
];

#[derive(Template)]
#[template(path = "account/account.html")]
struct Shown<'a> {
    layout: Layout,
    words: &'static Words,
    role: &'static str,
    reach: &'a str,
    trouble: &'a str,
    problems: Problems,
    sessions: Vec<Row>,
}

/// What is wrong with the password's form, by field.
#[derive(Default)]
struct Problems {
    old: &'static str,
    new: &'static str,
}

/// A session in the list.
struct Row {
    /// By which it is ended.
    handle: String,
    browser: String,
    address: String,
    began: Moment,
    seen: Moment,
    own: bool,
}

async fn show(visit: Visit) -> Result<HttpResponse, PageError> {
    page(&visit, &Trouble::default(), Problems::default()).await
}

async fn page(visit: &Visit, trouble: &Trouble, problems: Problems) -> Result<HttpResponse, PageError> {
    let words = words::of(visit.language);
    let moments = moments(visit);
    let (own, now) = (visit.session.digest(), visit.now());
    let found = visit.service.sessions.sessions_of(visit.user.id, now).await?;
    let sessions = found.into_iter().map(|session| Row {
        handle: sessions::handle(session.digest),
        browser: session.user_agent.as_deref().map_or(words.unknown, browser).to_owned(),
        address: session.from.map(|address| address.to_string()).unwrap_or_default(),
        began: moments.short(session.created_at),
        seen: moments.short(session.seen_at),
        own: session.digest == own,
    });
    let notice = match visit.query.text("done") {
        Some("password") => Some(words.password_set),
        Some("session") => Some(words.session_ended),
        _ => None,
    };
    let layout = Layout::of(visit, Section::Account, words.title).noting(notice).at("/account");
    let reach = match (&visit.user.organization, &visit.organization) {
        (Some(_), Some(organization)) => organization.profile.name.as_str(),
        _ => words.whole_company,
    };
    trouble.page(&Shown {
        layout,
        words,
        role: role(visit.language, visit.user.role),
        reach,
        trouble: trouble.text(),
        problems,
        sessions: sessions.collect(),
    })
}

/// In the time zone of the organization that is looked at.
pub(crate) fn moments(visit: &Visit) -> Moments {
    match &visit.organization {
        Some(organization) => Moments::new(visit.language, organization.profile.timezone),
        None => Moments::utc(visit.language),
    }
}

/// What a role is called.
pub(crate) const fn role(language: Language, role: Role) -> &'static str {
    match (language, role) {
        (Language::English, Role::Admin) => "Administrator",
        (Language::English, Role::Member) => "Member",
        (Language::English, Role::Viewer) => "Viewer",
        (Language::French, Role::Admin) => "Administration",
        (Language::French, Role::Member) => "Membre",
        (Language::French, Role::Viewer) => "Lecture seule",
    }
}

/// What people call a browser, as far as its name of itself tells.
fn browser(agent: &str) -> &str {
    // Each also says that it is those after it.
    let known = [
        ("Edg", "Edge"),
        ("OPR/", "Opera"),
        ("Firefox/", "Firefox"),
        ("Chrom", "Chrome"),
        ("Safari/", "Safari"),
    ];
    known.iter().find(|(part, _)| agent.contains(part)).map_or(agent, |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_are_called_by_their_names() {
        for (agent, name) in [
            ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox"),
            (
                "Mozilla/5.0 (X11) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
                "Chrome",
            ),
            ("Mozilla/5.0 (Windows) AppleWebKit/537.36 Chrome/142.0 Safari/537.36 Edg/142.0", "Edge"),
            (
                "Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15",
                "Safari",
            ),
            ("curl/8", "curl/8"),
        ] {
            assert_eq!(browser(agent), name, "{agent}");
        }
    }
}
