//! Placing a call by hand, to a telephone or to the built-in one, and hanging a live one up.

mod example;
mod form;
mod hang_up;
mod offered;
mod place;
mod variables;
mod words;

use domain::user::Right;

use crate::routes::{Page, Takes};

pub(crate) const PAGES: &[Page] = &[
    Page::get(
        "/o/{organization}/place-call",
        Takes::Within(Right::PlaceCalls, |inside| Box::pin(form::show(inside))),
    ),
    Page::post(
        "/o/{organization}/place-call",
        Takes::Within(Right::PlaceCalls, |inside| Box::pin(place::to_a_telephone(inside))),
    )
    .with_long_text(),
    Page::post(
        "/o/{organization}/place-call/phone",
        Takes::Within(Right::PlaceCalls, |inside| Box::pin(place::to_the_built_in_phone(inside))),
    )
    .with_long_text(),
    Page::post(
        "/o/{organization}/place-call/example",
        Takes::Within(Right::WriteAssistants, |inside| Box::pin(example::make(inside))),
    ),
    Page::get(
        "/o/{organization}/calls/{call}/hang-up",
        Takes::Within(Right::PlaceCalls, |inside| Box::pin(hang_up::ask(inside))),
    ),
    Page::post(
        "/o/{organization}/calls/{call}/hang-up",
        Takes::Within(Right::PlaceCalls, |inside| Box::pin(hang_up::request(inside))),
    ),
];
