//! The end of an organization.

use actix_web::HttpResponse;
use askama::Template;
use domain::scope::Reach;

use super::words::{self, Words};
use crate::answer;
use crate::error::PageError;
use crate::layout::{Layout, Section};
use crate::request::Inside;

#[derive(Template)]
#[template(path = "organizations/remove.html")]
struct Page {
    layout: Layout,
    words: &'static Words,
    name: String,
    action: String,
    back: String,
}

pub(super) fn ask(inside: &Inside) -> Result<HttpResponse, PageError> {
    let words = words::of(inside.language);
    answer::page(&Page {
        layout: Layout::of(inside, Section::Profile, words.delete),
        words,
        name: inside.organization.profile.name.clone(),
        action: inside.href("/delete"),
        back: inside.href("/profile"),
    })
}

pub(super) async fn take(inside: Inside) -> Result<HttpResponse, PageError> {
    let (reach, id, deed) = (Reach::Within(inside.scope()), inside.organization.id, inside.deed());
    let removed = inside
        .write(move |service| async move { service.organizations.remove(reach, id, deed).await })
        .await??;
    if removed { Ok(answer::see("/organizations")) } else { Err(PageError::NotFound) }
}
