//! Answers: rendered pages, redirects after a form, refusals, and the headers that guard them all.

use actix_web::cookie::{Cookie, SameSite};
use actix_web::http::StatusCode;
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, HeaderValue, LOCATION, REFERRER_POLICY, RETRY_AFTER,
    STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS,
};
use actix_web::{HttpRequest, HttpResponse};
use askama::Template;
use domain::ids::OrganizationId;

use crate::error::PageError;
use crate::gate::Dashboard;
use crate::language::Language;
use crate::layout::{Layout, Section};
use crate::request::Visit;

/// Everything comes from here, nothing runs that stands in a page, and nobody may frame it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                      connect-src 'self'; media-src 'self'; manifest-src 'self'; form-action 'self'; \
                      base-uri 'none'; frame-ancestors 'none'";

/// Where the last organization is kept, so that the navigation leads back to it.
const LAST_ORGANIZATION: &str = "callwright-organization";

/// A page.
pub(crate) fn page(template: &impl Template) -> Result<HttpResponse, PageError> {
    page_with(StatusCode::OK, template)
}

/// A page with another status: 422 for a form with problems.
pub(crate) fn page_with(status: StatusCode, template: &impl Template) -> Result<HttpResponse, PageError> {
    Ok(HttpResponse::build(status).content_type("text/html; charset=utf-8").body(template.render()?))
}

/// What follows a form that was carried out: a page that may be loaded again.
pub(crate) fn see(path: &str) -> HttpResponse {
    HttpResponse::SeeOther().insert_header((LOCATION, path)).finish()
}

/// Puts the guarding headers on an answer, but where it has its own.
pub(crate) fn guarded(answer: &mut HttpResponse, dashboard: &Dashboard) {
    let headers = answer.headers_mut();
    let mut put = |name: HeaderName, value: &'static str| {
        if !headers.contains_key(&name) {
            headers.insert(name, HeaderValue::from_static(value));
        }
    };
    put(CONTENT_SECURITY_POLICY, POLICY);
    put(X_CONTENT_TYPE_OPTIONS, "nosniff");
    put(REFERRER_POLICY, "same-origin");
    put(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    put(HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
    // Not even the browser's own store: a page is about somebody's calls.
    put(CACHE_CONTROL, "no-store");
    if dashboard.front.encrypted {
        put(STRICT_TRANSPORT_SECURITY, "max-age=31536000");
    }
}

/// The policy of a page that plays a recording from where the store keeps it.
pub(crate) fn policy_with_media(origin: &str) -> Option<HeaderValue> {
    let allowed = format!("media-src 'self' {origin};");
    HeaderValue::from_str(&POLICY.replace("media-src 'self';", &allowed)).ok()
}

#[derive(Template)]
#[template(path = "refusal.html")]
struct Refusal {
    layout: Layout,
    status: u16,
    title: &'static str,
    advice: &'static str,
}

/// The page that says why another is not shown.
pub(crate) fn refusal(error: &PageError, language: Language, visit: Option<&Visit>) -> HttpResponse {
    let (title, advice) = words(error, language);
    let layout = match visit {
        Some(visit) => Layout::of(visit, Section::None, title),
        None => Layout::bare(language, title),
    };
    let template = Refusal { layout, status: error.status().as_u16(), title, advice };
    let mut answer = page_with(error.status(), &template)
        .unwrap_or_else(|_| HttpResponse::InternalServerError().body("Internal error"));
    let wait = match error {
        PageError::TooOften(seconds) => Some(*seconds),
        PageError::Unavailable | PageError::Store(_) => Some(5),
        _ => None,
    };
    if let Some(wait) = wait {
        answer.headers_mut().insert(RETRY_AFTER, wait.into());
    }
    answer
}

/// Writes what people cannot be told to the log, once.
pub(crate) fn log(error: &PageError) {
    match error {
        PageError::Store(cause) => {
            tracing::error!(error = application::causes::causes(cause), "a page could not be made");
        }
        PageError::Internal(what) => tracing::error!(error = what, "a page could not be made"),
        _ => {}
    }
}

fn words(error: &PageError, language: Language) -> (&'static str, &'static str) {
    match error {
        PageError::NotFound | PageError::SignedOut => language.pick(
            ("This page does not exist", "Perhaps it was deleted, or the address has a typing error."),
            ("Cette page n’existe pas", "Elle a peut-être été supprimée, ou l’adresse contient une erreur."),
        ),
        PageError::Forbidden => language.pick(
            ("Your role does not allow this", "An administrator of your organization can change your role."),
            (
                "Votre rôle ne le permet pas",
                "Une administratrice ou un administrateur de votre organisation peut changer votre rôle.",
            ),
        ),
        PageError::ForeignForm => language.pick(
            (
                "This form is no longer valid",
                "You may have signed in again meanwhile. Go back, load the page anew and try once more. Nothing was changed.",
            ),
            (
                "Ce formulaire n’est plus valide",
                "Vous vous êtes peut-être reconnecté entre-temps. Revenez en arrière, rechargez la page et réessayez. Rien n’a été modifié.",
            ),
        ),
        PageError::BadForm => language.pick(
            ("The form could not be read", "It was too large, came too slowly or was cut off. Nothing was changed."),
            (
                "Le formulaire n’a pas pu être lu",
                "Il était trop volumineux, trop lent à arriver ou incomplet. Rien n’a été modifié.",
            ),
        ),
        PageError::OneAtATime => language.pick(
            ("A file is being made for you already", "Wait until it is there, or cancel it, and try again."),
            (
                "Un fichier est déjà en préparation pour vous",
                "Attendez qu’il soit prêt, ou annulez-le, puis réessayez.",
            ),
        ),
        PageError::TooOften(_) => language.pick(
            ("Too many requests came from your address", "Please try again in a minute. Nothing was changed."),
            (
                "Trop de requêtes sont venues de votre adresse",
                "Veuillez réessayer dans une minute. Rien n’a été modifié.",
            ),
        ),
        PageError::Unavailable | PageError::Store(_) => language.pick(
            ("The service is not available right now", "Please try again in a few seconds."),
            ("Le service n’est pas disponible pour le moment", "Veuillez réessayer dans quelques secondes."),
        ),
        PageError::Internal(_) => language.pick(
            ("Something went wrong on our side", "It has been noted. Please try again."),
            ("Une erreur est survenue de notre côté", "Elle a été consignée. Veuillez réessayer."),
        ),
    }
}

/// The organization whose pages were shown last.
pub(crate) fn last_organization(request: &HttpRequest) -> Option<OrganizationId> {
    OrganizationId::parse(request.cookie(LAST_ORGANIZATION)?.value())
}

/// Keeps the organization whose page is shown.
pub(crate) fn remember_organization(request: &HttpRequest, answer: &mut HttpResponse, id: OrganizationId) {
    if last_organization(request) == Some(id) {
        return;
    }
    let cookie = Cookie::build(LAST_ORGANIZATION, id.to_string());
    // Without it the navigation only offers the list of organizations.
    let _ = answer.add_cookie(&cookie.path("/").http_only(true).same_site(SameSite::Lax).finish());
}
