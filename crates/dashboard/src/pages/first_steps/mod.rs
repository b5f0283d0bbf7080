//! From an empty organization to its first call.

mod words;

use std::future::ready;

use actix_web::HttpResponse;
use askama::Template;
use domain::user::Right;

use crate::answer;
use crate::error::PageError;
use crate::layout::{Layout, Section};
use crate::request::Inside;
use crate::routes::{Page, Takes};
use words::Words;

pub(crate) const PAGES: &[Page] = &[Page::get(
    "/o/{organization}/first-steps",
    Takes::Within(Right::PlaceCalls, |inside| Box::pin(ready(show(&inside)))),
)];

#[derive(Template)]
#[template(path = "first_steps.html")]
struct Shown {
    layout: Layout,
    words: &'static Words,
    assistants: String,
    place_call: String,
    calls: String,
    /// Whether they may do what a real call takes beyond that.
    sets_up: bool,
    invites: bool,
}

fn show(inside: &Inside) -> Result<HttpResponse, PageError> {
    let words = words::of(inside.language);
    answer::page(&Shown {
        layout: Layout::of(inside, Section::FirstSteps, words.title),
        words,
        assistants: inside.href("/assistants"),
        place_call: inside.href("/place-call"),
        calls: inside.href("/calls"),
        sets_up: inside.may(Right::ManageTenant),
        invites: inside.may(Right::ManageAccess),
    })
}
