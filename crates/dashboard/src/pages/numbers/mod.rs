//! The numbers that an organization calls from.

mod list;
mod new;
mod one;
mod retire;
mod words;

use domain::ids::{NumberId, TrunkId};
use domain::ports::CarriedNumber;
use domain::scope::Reach;
use domain::user::Right;

use crate::error::PageError;
use crate::pages::choices::{Choices, Offer};
use crate::request::Inside;
use crate::routes::{Page, Takes};

pub(crate) const PAGES: &[Page] = &[
    Page::get(
        "/o/{organization}/numbers",
        Takes::Within(Right::SeeSetup, |inside| Box::pin(list::show(inside))),
    ),
    Page::get(
        "/o/{organization}/numbers/new",
        Takes::Within(Right::ManageSetup, |inside| Box::pin(new::show(inside))),
    ),
    Page::post(
        "/o/{organization}/numbers/new",
        Takes::Within(Right::ManageSetup, |inside| Box::pin(new::take(inside))),
    ),
    Page::get(
        "/o/{organization}/numbers/{number}",
        Takes::Within(Right::ManageSetup, |inside| Box::pin(one::show(inside))),
    ),
    Page::post(
        "/o/{organization}/numbers/{number}",
        Takes::Within(Right::ManageSetup, |inside| Box::pin(one::take(inside))),
    ),
    Page::get(
        "/o/{organization}/numbers/{number}/retire",
        Takes::Within(Right::ManageSetup, |inside| Box::pin(retire::ask(inside))),
    ),
    Page::post(
        "/o/{organization}/numbers/{number}/retire",
        Takes::Within(Right::ManageSetup, |inside| Box::pin(retire::take(inside))),
    ),
];

/// The number of the path, of the organization of the path.
async fn named(inside: &Inside) -> Result<CarriedNumber, PageError> {
    let id = inside.visit.id("number", NumberId::parse)?;
    let found = inside.service.numbers.number(Reach::Within(inside.scope()), id).await?;
    found.filter(|own| own.number.organization == inside.organization.id).ok_or(PageError::NotFound)
}

/// The trunks that a form at `home` offers, and the one that was chosen in it already.
async fn trunks(inside: &Inside, home: &str, chosen: &str) -> Result<Choices, PageError> {
    let (reach, offer) = (Reach::Within(inside.scope()), Offer::of(&inside.query, "trunks"));
    let found = inside.service.trunks.trunks_of(reach, inside.organization.tenant, offer.request()).await?;
    let count = found.len();
    let options = found.into_iter().map(|trunk| (trunk.id.to_string(), trunk.name));
    let choices = offer.choices(home, count, options);
    let further = match TrunkId::parse(chosen).filter(|_| !choices.offers(chosen)) {
        Some(id) => inside.service.trunks.trunk(reach, id).await?,
        None => None,
    };
    Ok(choices.with_chosen(further.map(|trunk| (trunk.id.to_string(), trunk.name))))
}
