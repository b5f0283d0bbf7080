//! The table of pages and actions: routing, and the right that each takes, are read off it.

use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;

use actix_web::guard::{self, Guard};
use actix_web::http::Method;
use actix_web::http::header::{ALLOW, LOCATION};
use actix_web::web::{self, Payload, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use domain::ids::OrganizationId;
use domain::user::Right;
use futures_util::FutureExt;

use crate::answer;
use crate::error::PageError;
use crate::gate::Dashboard;
use crate::language::Language;
use crate::pages;
use crate::request::{Asked, Inside, Visit};
use crate::session::SessionSecret;

/// The making of an answer, on the thread of its connection.
pub(crate) type Making = Pin<Box<dyn Future<Output = Result<HttpResponse, PageError>>>>;

/// The largest form that is taken, in bytes.
const FORM_MAX: usize = 64 * 1024;

/// The largest one with a long text in it: what the interface takes, written as forms are, is three times
/// as long at most.
pub(crate) const LONG_FORM_MAX: usize = 1024 * 1024;

/// One method of one path.
pub(crate) struct Page {
    /// The method; whatever answers GET answers HEAD.
    pub(crate) method: Method,
    /// The path's pattern. What belongs to one organization begins with `/o/{organization}`.
    pub(crate) path: &'static str,
    /// Who may, and what makes the answer.
    pub(crate) takes: Takes,
    /// The largest form that is taken, in bytes.
    form_max: usize,
    /// Whether it is made for a user one at a time: a list that may cost the store a lot.
    in_turn: bool,
}

/// Whom a page is for.
#[derive(Clone, Copy)]
pub(crate) enum Takes {
    /// Everybody: it shows nobody's data.
    Anybody(fn(Asked) -> Making),
    /// Whoever is signed in: it is about themselves.
    AnyUser(fn(Visit) -> Making),
    /// Users with this right: it is about their tenant, or as much of it as they reach.
    User(Right, fn(Visit) -> Making),
    /// Users with this right who reach the whole of their tenant: nobody else learns that it exists.
    Whole(Right, fn(Visit) -> Making),
    /// Users with this right who reach the organization in the path.
    Within(Right, fn(Inside) -> Making),
}

impl Page {
    pub(crate) const fn get(path: &'static str, takes: Takes) -> Self {
        Self { method: Method::GET, path, takes, form_max: FORM_MAX, in_turn: false }
    }

    pub(crate) const fn post(path: &'static str, takes: Takes) -> Self {
        Self { method: Method::POST, path, takes, form_max: FORM_MAX, in_turn: false }
    }

    /// With a long text in its form.
    pub(crate) const fn with_long_text(mut self) -> Self {
        self.form_max = LONG_FORM_MAX;
        self
    }

    /// Made for a user one at a time.
    pub(crate) const fn in_turn(mut self) -> Self {
        self.in_turn = true;
        self
    }
}

/// Every folder of pages, each with a table of its own.
const TABLES: &[&[Page]] = &[
    pages::home::PAGES,
    pages::calls::PAGES,
    pages::entrance::PAGES,
    pages::first_steps::PAGES,
    pages::account::PAGES,
    pages::metadata::PAGES,
    pages::organizations::PAGES,
    pages::assistants::PAGES,
    pages::numbers::PAGES,
    pages::trunks::PAGES,
    pages::users::PAGES,
    pages::callbacks::PAGES,
    pages::audit_log::PAGES,
    pages::keys::PAGES,
    pages::callback_secret::PAGES,
    pages::place_call::PAGES,
];

fn pages() -> impl Iterator<Item = &'static Page> {
    TABLES.iter().copied().flatten()
}

/// Whom a page is for, as tests of the whole see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Everybody.
    Anybody,
    /// Whoever is signed in.
    AnyUser,
    /// Users with this right.
    User(Right),
    /// Users with this right who reach the whole of their tenant.
    Whole(Right),
    /// Users with this right who reach the organization in the path.
    Within(Right),
}

/// A page as tests of the whole see it.
#[derive(Clone, Debug)]
pub struct Entry {
    /// `GET` or `POST`.
    pub method: &'static str,
    /// The path's pattern.
    pub path: &'static str,
    /// Whom it is for.
    pub level: Level,
}

/// All pages and actions: what is not among them leads nowhere.
pub fn entries() -> impl Iterator<Item = Entry> {
    pages().map(|page| Entry {
        method: if page.method == Method::POST { "POST" } else { "GET" },
        path: page.path,
        level: match page.takes {
            Takes::Anybody(_) => Level::Anybody,
            Takes::AnyUser(_) => Level::AnyUser,
            Takes::User(right, _) => Level::User(right),
            Takes::Whole(right, _) => Level::Whole(right),
            Takes::Within(right, _) => Level::Within(right),
        },
    })
}

/// Enters every page.
pub fn configure(dashboard: &Arc<Dashboard>, app: &mut ServiceConfig) {
    let mut paths: Vec<&str> = Vec::new();
    for Page { path, .. } in pages() {
        if paths.contains(path) {
            continue;
        }
        paths.push(path);
        let (mut resource, mut allowed) = (web::resource(*path), Vec::new());
        for page in pages().filter(|page| page.path == *path) {
            let dashboard = Arc::clone(dashboard);
            let handler = web::route().guard(asking_for(page.method.clone())).to(
                move |request: HttpRequest, payload: Payload| {
                    serve(Arc::clone(&dashboard), page, request, payload)
                },
            );
            resource = resource.route(handler);
            allowed.push(if page.method == Method::GET { "GET, HEAD" } else { "POST" });
        }
        let allowed = allowed.join(", ");
        app.service(resource.default_service(web::to(move || {
            let allowed = allowed.clone();
            async move { HttpResponse::MethodNotAllowed().insert_header((ALLOW, allowed)).finish() }
        })));
    }
}

/// The page for a path that leads nowhere.
pub fn lost(dashboard: &Dashboard, request: &HttpRequest) -> HttpResponse {
    let mut answer = answer::refusal(&PageError::NotFound, Language::of(request), None);
    answer::guarded(&mut answer, dashboard);
    answer
}

fn asking_for(method: Method) -> impl Guard {
    guard::fn_guard(move |asked| {
        let asked = &asked.head().method;
        *asked == method || (method == Method::GET && *asked == Method::HEAD)
    })
}

/// Answers a request; whatever becomes of it, the answer has the headers that guard pages.
async fn serve(
    dashboard: Arc<Dashboard>,
    page: &'static Page,
    request: HttpRequest,
    payload: Payload,
) -> HttpResponse {
    let language = Language::of(&request);
    let home = request.clone();
    let admitted = AssertUnwindSafe(admit(Arc::clone(&dashboard), page, request, payload)).catch_unwind();
    let admitted = admitted.await.unwrap_or_else(|_| Err(PageError::Internal("a page panicked").into()));
    let mut answer = match admitted {
        Ok(answer) => answer,
        Err(Refused { error: PageError::SignedOut, .. }) => to_sign_in(&home),
        Err(Refused { error, visit }) => {
            answer::log(&error);
            answer::refusal(&error, language, visit.as_deref())
        }
    };
    answer::guarded(&mut answer, &dashboard);
    answer
}

/// A refusal, and who it is told to: whoever is signed in keeps their navigation.
struct Refused {
    error: PageError,
    visit: Option<Box<Visit>>,
}

impl<E: Into<PageError>> From<E> for Refused {
    fn from(error: E) -> Self {
        Self { error: error.into(), visit: None }
    }
}

/// Session, right, form, organization: in this order, so that nobody's form is read who may not send it.
async fn admit(
    dashboard: Arc<Dashboard>,
    page: &'static Page,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Refused> {
    let mut asked = Asked::of(dashboard, request)?;
    let right = match page.takes {
        Takes::Anybody(make) => {
            if asked.is_form() {
                asked.count_form()?;
                asked.read(payload, page.form_max).await?;
            }
            return Ok(make(asked).await?);
        }
        Takes::AnyUser(_) => None,
        Takes::User(right, _) | Takes::Whole(right, _) | Takes::Within(right, _) => Some(right),
    };
    let mut visit = enter(asked).await?;
    let outcome = async {
        if matches!(page.takes, Takes::Whole(..)) && visit.user.organization.is_some() {
            return Err(PageError::NotFound);
        }
        if right.is_some_and(|right| !visit.may(right)) {
            return Err(PageError::Forbidden);
        }
        if visit.is_form() {
            visit.read(payload, page.form_max).await?;
        }
        let organization = match page.takes {
            Takes::Within(..) => Some(visit.id("organization", OrganizationId::parse)?),
            _ => visit.user.organization.or_else(|| answer::last_organization(&visit.http)),
        };
        if let Some(id) = organization {
            visit.organization = visit.service.organizations.find(visit.scope(), id).await?;
        }
        let turn = if page.in_turn { visit.dashboard.lists.turn(visit.user.id).await } else { None };
        if page.in_turn && turn.is_none() {
            return Err(PageError::Unavailable);
        }
        match page.takes {
            Takes::AnyUser(make) | Takes::User(_, make) | Takes::Whole(_, make) => make(visit.clone()).await,
            Takes::Within(_, make) => {
                let organization = visit.organization.clone().ok_or(PageError::NotFound)?;
                let id = organization.id;
                let mut answer = make(Inside { visit: visit.clone(), organization }).await?;
                answer::remember_organization(&visit.http, &mut answer, id);
                Ok(answer)
            }
            Takes::Anybody(_) => Err(PageError::NotFound),
        }
    };
    let outcome = outcome.await;
    outcome.map_err(|error| Refused { error, visit: Some(Box::new(visit)) })
}

/// Finds the session.
async fn enter(asked: Asked) -> Result<Visit, PageError> {
    let session = SessionSecret::of(&asked.http).ok_or(PageError::SignedOut)?;
    let user = asked.find_session(&session).await?.ok_or(PageError::SignedOut)?.user;
    Ok(Visit { asked, user, session, organization: None })
}

/// Whoever is signed out signs in, and comes back to the page that was asked for.
fn to_sign_in(request: &HttpRequest) -> HttpResponse {
    let mut target = "/sign-in".to_owned();
    let wanted = request.uri().path_and_query().map_or("/", |path| path.as_str());
    if request.method().is_safe() && wanted != "/" {
        target.push_str("?next=");
        target.extend(percent_encoding::utf8_percent_encode(wanted, percent_encoding::NON_ALPHANUMERIC));
    }
    HttpResponse::SeeOther().insert_header((LOCATION, target)).finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_belongs_to_one_organization_and_only_that_begins_with_it() {
        for Entry { path, level, .. } in entries() {
            let within = path.starts_with("/o/{organization}");
            assert_eq!(matches!(level, Level::Within(_)), within, "{path}");
        }
    }

    #[test]
    fn no_page_stands_in_the_table_twice() {
        let all: Vec<_> = entries().map(|entry| (entry.method, entry.path)).collect();
        for (place, entry) in all.iter().enumerate() {
            assert!(!all[..place].contains(entry), "{entry:?}");
        }
    }
}
