//! The trunks of a tenant: the list with how each stands, settings, and taking one out of use.

mod form;
mod list;
mod words;

use std::future::ready;

use actix_web::HttpResponse;
use domain::ids::TrunkId;
use domain::scope::Reach;
use domain::trunk::Trunk;
use domain::user::Right;

use crate::answer;
use crate::error::PageError;
use crate::layout::{Layout, Section};
use crate::pages::confirm::Confirm;
use crate::request::Visit;
use crate::routes::{Page, Takes};

pub(crate) const PAGES: &[Page] = &[
    Page::get("/trunks", Takes::Whole(Right::SeeSetup, |visit| Box::pin(list::show(visit)))),
    Page::get("/trunks/new", Takes::Whole(Right::ManageTenant, |visit| Box::pin(ready(form::new(&visit))))),
    Page::post("/trunks/new", Takes::Whole(Right::ManageTenant, |visit| Box::pin(form::create(visit)))),
    Page::get("/trunks/{trunk}", Takes::Whole(Right::ManageTenant, |visit| Box::pin(form::show(visit)))),
    Page::post("/trunks/{trunk}", Takes::Whole(Right::ManageTenant, |visit| Box::pin(form::revise(visit)))),
    Page::get("/trunks/{trunk}/retire", Takes::Whole(Right::ManageTenant, |visit| Box::pin(ask(visit)))),
    Page::post("/trunks/{trunk}/retire", Takes::Whole(Right::ManageTenant, |visit| Box::pin(retire(visit)))),
];

async fn named(visit: &Visit) -> Result<Trunk, PageError> {
    let id = visit.id("trunk", TrunkId::parse)?;
    visit.service.trunks.trunk(Reach::Within(visit.scope()), id).await?.ok_or(PageError::NotFound)
}

async fn ask(visit: Visit) -> Result<HttpResponse, PageError> {
    let (words, own) = (words::of(visit.language), named(&visit).await?);
    let confirm = Confirm {
        layout: Layout::of(&visit, Section::Trunks, words.retire),
        title: words.retire,
        name: own.name,
        text: words.retire_text,
        button: words.retire_button,
        action: format!("/trunks/{}/retire", own.id),
        back: format!("/trunks/{}", own.id),
    };
    confirm.page()
}

async fn retire(visit: Visit) -> Result<HttpResponse, PageError> {
    let id = visit.id("trunk", TrunkId::parse)?;
    let (reach, deed) = (Reach::Within(visit.scope()), visit.deed());
    if !visit.write(async move |service| service.trunks.retire_trunk(reach, id, deed).await).await?? {
        return Err(PageError::NotFound);
    }
    Ok(answer::see("/trunks?done=retired"))
}
