//! The end of an organization.

use actix_web::HttpResponse;
use domain::scope::Reach;

use super::words;
use crate::answer;
use crate::error::PageError;
use crate::layout::{Layout, Section};
use crate::pages::confirm::Confirm;
use crate::request::Inside;

pub(super) fn ask(inside: &Inside) -> Result<HttpResponse, PageError> {
    let words = words::of(inside.language);
    let confirm = Confirm {
        layout: Layout::of(inside, Section::Profile, words.delete),
        title: words.delete,
        name: inside.organization.profile.name.clone(),
        text: words.delete_text,
        button: words.delete_button,
        action: inside.href("/delete"),
        back: inside.href("/profile"),
    };
    confirm.page()
}

pub(super) async fn take(inside: Inside) -> Result<HttpResponse, PageError> {
    let (reach, id, deed) = (Reach::Within(inside.scope()), inside.organization.id, inside.deed());
    let removed = inside
        .write(move |service| async move { service.organizations.remove(reach, id, deed).await })
        .await??;
    if removed { Ok(answer::see("/organizations")) } else { Err(PageError::NotFound) }
}
