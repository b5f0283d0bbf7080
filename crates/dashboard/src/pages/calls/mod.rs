//! Calls: the list with what it adds up to, each call's story, and the list as a file.

mod chart;
mod detail;
mod export;
mod files;
mod filter;
mod list;
mod story;
mod words;

use domain::user::Right;

use crate::routes::{Page, Takes};

pub(crate) const PAGES: &[Page] = &[
    Page::get(
        "/o/{organization}/calls",
        Takes::Within(Right::SeeCalls, |inside| Box::pin(list::show(inside))),
    )
    .in_turn(),
    Page::get(
        "/o/{organization}/calls/live",
        Takes::Within(Right::SeeCalls, |inside| Box::pin(list::live(inside))),
    )
    .in_turn(),
    Page::get(
        "/o/{organization}/calls.csv",
        Takes::Within(Right::SeeCalls, |inside| Box::pin(export::send(inside))),
    ),
    Page::get(
        "/o/{organization}/calls/{call}",
        Takes::Within(Right::SeeCalls, |inside| Box::pin(detail::show(inside))),
    ),
    Page::get(
        "/o/{organization}/calls/{call}/live",
        Takes::Within(Right::SeeCalls, |inside| Box::pin(detail::live(inside))),
    ),
    Page::get(
        "/o/{organization}/calls/{call}/recording",
        Takes::Within(Right::SeeCalls, |inside| Box::pin(files::recording(inside))),
    ),
    Page::get(
        "/o/{organization}/calls/{call}/transcript",
        Takes::Within(Right::SeeCalls, |inside| Box::pin(files::transcript(inside))),
    ),
];
