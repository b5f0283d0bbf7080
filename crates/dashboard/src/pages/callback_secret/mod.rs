//! The secret that signs an organization's callbacks: shown on request, replaced with overlap.

mod words;

use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use application::create_organization::signing_secret;
use askama::Template;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::ids::SigningSecretId;
use domain::scope::Reach;
use domain::secret::Secret;
use domain::user::Right;

use self::words::Words;
use crate::answer;
use crate::error::PageError;
use crate::layout::{Layout, Section};
use crate::moment::{Moment, Moments};
use crate::request::Inside;
use crate::routes::{Page, Takes};

pub(crate) const PAGES: &[Page] = &[
    Page::get(
        "/o/{organization}/settings/callback-secret",
        Takes::Within(Right::ManageAccess, |inside| Box::pin(overview(inside))),
    ),
    Page::post(
        "/o/{organization}/settings/callback-secret/show",
        Takes::Within(Right::ManageAccess, |inside| Box::pin(show(inside))),
    ),
    Page::get(
        "/o/{organization}/settings/callback-secret/rotate",
        Takes::Within(Right::ManageAccess, |inside| Box::pin(ask(inside))),
    ),
    Page::post(
        "/o/{organization}/settings/callback-secret/rotate",
        Takes::Within(Right::ManageAccess, |inside| Box::pin(rotate(inside))),
    ),
];

/// For how many hours the old secret may sign beside the new one.
const OVERLAPS: [u16; 5] = [24, 72, 168, 1, 0];

/// Page of the secret; the secret itself stands on it only in answer to the wish to see it.
#[derive(Template)]
#[template(path = "callback_secret/page.html")]
struct Overview {
    layout: Layout,
    words: &'static Words,
    base: String,
    secret: Option<String>,
    previous: Option<String>,
    /// Until when the secret before signs beside the one in force.
    overlap: Option<Moment>,
}

async fn overview(inside: Inside) -> Result<HttpResponse, PageError> {
    answer::page(&page(&inside, None, None).await?)
}

async fn page(
    inside: &Inside,
    secret: Option<String>,
    previous: Option<String>,
) -> Result<Overview, PageError> {
    let words = words::of(inside.language);
    let known = inside.service.signing.signing_overview(within(inside), inside.id(), inside.now()).await?;
    let moments = Moments::new(inside.language, inside.organization.profile.timezone);
    let notice = match inside.query.text("done") {
        Some("rotated") => Some(words.rotated),
        Some("repeated") => Some(words.repeated),
        _ => None,
    };
    Ok(Overview {
        layout: Layout::of(inside, Section::CallbackSecret, words.title).noting(notice),
        words,
        base: inside.href("/settings/callback-secret"),
        secret,
        previous,
        overlap: known.previous_until.map(|until| moments.full(until)),
    })
}

/// Shows it, on this answer alone; whoever sees it can sign, so it is noted.
async fn show(inside: Inside) -> Result<HttpResponse, PageError> {
    let (reach, id, deed) = (within(&inside), inside.id(), inside.deed());
    let showing = inside
        .write(move |service| async move { service.signing.show_signing_secrets(reach, id, deed).await });
    let secrets = showing.await??;
    let previous = secrets.previous.as_ref().map(text);
    answer::page(&page(&inside, Some(text(&secrets.current)), previous).await?)
}

#[derive(Template)]
#[template(path = "callback_secret/rotate.html")]
struct Ask {
    layout: Layout,
    words: &'static Words,
    base: String,
    /// Which secret is replaced: the same form sent twice replaces it once.
    replacing: String,
    overlaps: Vec<(String, String)>,
    chosen: &'static str,
    problem: &'static str,
    /// Until when the secret before signs, which a new one would end.
    overlap: Option<Moment>,
}

async fn ask(inside: Inside) -> Result<HttpResponse, PageError> {
    ask_with(&inside, StatusCode::OK, "").await
}

async fn ask_with(
    inside: &Inside,
    status: StatusCode,
    problem: &'static str,
) -> Result<HttpResponse, PageError> {
    let words = words::of(inside.language);
    let known = inside.service.signing.signing_overview(within(inside), inside.id(), inside.now()).await?;
    let moments = Moments::new(inside.language, inside.organization.profile.timezone);
    let template = Ask {
        layout: Layout::of(inside, Section::CallbackSecret, words.rotate_title),
        words,
        base: inside.href("/settings/callback-secret"),
        replacing: known.current.to_string(),
        overlaps: OVERLAPS.iter().map(|hours| (hours.to_string(), words.hours(*hours))).collect(),
        chosen: "24",
        problem,
        overlap: known.previous_until.map(|until| moments.full(until)),
    };
    answer::page_with(status, &template)
}

async fn rotate(inside: Inside) -> Result<HttpResponse, PageError> {
    let words = words::of(inside.language);
    let replacing = inside.form.text("replacing").and_then(SigningSecretId::parse);
    let replacing = replacing.ok_or(PageError::BadForm)?;
    let hours = inside.form.text("overlap").and_then(|text| text.parse().ok());
    let Some(hours) = hours.filter(|hours: &u16| OVERLAPS.contains(hours)) else {
        return ask_with(&inside, StatusCode::UNPROCESSABLE_ENTITY, words.overlap_unknown).await;
    };
    let fresh = signing_secret(inside.service.entropy.as_ref());
    let (reach, id, deed) = (within(&inside), inside.id(), inside.deed());
    let until = deed.at + Duration::from_hours(hours.into());
    let rotating = inside.write(move |service| async move {
        service.signing.rotate_signing_secret(reach, id, Some(replacing), fresh, until, deed).await
    });
    let base = inside.href("/settings/callback-secret");
    let done = if rotating.await?? { "rotated" } else { "repeated" };
    Ok(answer::see(&format!("{base}?done={done}")))
}

fn within(inside: &Inside) -> Reach {
    Reach::Within(inside.scope())
}

/// As Standard Webhooks writes secrets.
fn text(secret: &Secret<Vec<u8>>) -> String {
    format!("whsec_{}", STANDARD.encode(secret.reveal()))
}
