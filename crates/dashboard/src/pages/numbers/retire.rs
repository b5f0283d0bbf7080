//! `/o/{organization}/numbers/{number}/retire`.

use actix_web::HttpResponse;
use domain::scope::Reach;

use super::{named, words};
use crate::answer;
use crate::error::PageError;
use crate::layout::{Layout, Section};
use crate::pages::confirm::Confirm;
use crate::request::Inside;

pub(super) async fn ask(inside: Inside) -> Result<HttpResponse, PageError> {
    let (words, own) = (words::of(inside.language), named(&inside).await?);
    let confirm = Confirm {
        layout: Layout::of(&inside, Section::Numbers, words.retire),
        title: words.retire,
        name: own.number.number.as_str().to_owned(),
        text: words.retire_text,
        button: words.retire_button,
        action: inside.href(&format!("/numbers/{}/retire", own.number.id)),
        back: inside.href(&format!("/numbers/{}", own.number.id)),
    };
    confirm.page()
}

pub(super) async fn take(inside: Inside) -> Result<HttpResponse, PageError> {
    let id = named(&inside).await?.number.id;
    let (reach, deed) = (Reach::Within(inside.scope()), inside.deed());
    if !inside.write(async move |service| service.numbers.retire_number(reach, id, deed).await).await?? {
        return Err(PageError::NotFound);
    }
    Ok(answer::see(&inside.href("/numbers?done=retired")))
}
