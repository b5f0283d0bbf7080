//! Organizations: the list, making one, its profile, its end.

mod create;
mod list;
mod profile;
mod remove;
mod words;

use std::future::ready;

use domain::user::Right;

use crate::routes::{Page, Takes};

pub(crate) const PAGES: &[Page] = &[
    Page::get("/organizations", Takes::User(Right::SeeSetup, |visit| Box::pin(list::show(visit)))).in_turn(),
    Page::get(
        "/organizations/new",
        Takes::User(Right::ManageTenant, |visit| Box::pin(ready(create::show(&visit)))),
    ),
    Page::post("/organizations/new", Takes::User(Right::ManageTenant, |visit| Box::pin(create::take(visit)))),
    Page::get(
        "/o/{organization}/profile",
        Takes::Within(Right::SeeSetup, |inside| Box::pin(ready(profile::show(&inside)))),
    ),
    Page::post(
        "/o/{organization}/profile",
        Takes::Within(Right::ManageSetup, |inside| Box::pin(profile::take(inside))),
    ),
    Page::get(
        "/o/{organization}/delete",
        Takes::Within(Right::ManageTenant, |inside| Box::pin(ready(remove::ask(&inside)))),
    ),
    Page::post(
        "/o/{organization}/delete",
        Takes::Within(Right::ManageTenant, |inside| Box::pin(remove::take(inside))),
    ),
];
