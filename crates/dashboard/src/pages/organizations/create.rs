//! A new organization of the tenant.

use actix_web::HttpResponse;
use application::create_organization::CreatedOrganization;
use application::requests;
use askama::Template;
use domain::organization::Logo;

use super::profile::{FIELDS, body, logo, zones};
use super::words::{self, Words};
use crate::answer;
use crate::error::PageError;
use crate::layout::{Layout, Section};
use crate::pages::filled::Filled;
use crate::request::Visit;

#[derive(Template)]
#[template(path = "organizations/create.html")]
struct Page {
    layout: Layout,
    words: &'static Words,
    filled: Filled,
    zones: Vec<(String, String)>,
}

pub(super) fn show(visit: &Visit) -> Result<HttpResponse, PageError> {
    page(visit, Filled::with(visit, []))
}

pub(super) async fn take(visit: Visit) -> Result<HttpResponse, PageError> {
    let mut filled = Filled::typed(&visit, &FIELDS);
    let profile = filled.judged(requests::profile(&body(&filled)));
    let logo = logo(&mut filled, words::of(visit.language));
    let Some(mut profile) = profile.filter(|_| filled.is_fit()) else { return page(&visit, filled) };
    profile.image = match logo {
        Logo::Becomes(image) => Some(image),
        Logo::Stays | Logo::Goes => None,
    };
    let (tenant, deed) = (visit.user.tenant, visit.deed());
    let created =
        visit
            .write(move |service| async move {
                service.create_organization.create(tenant, profile, deed, None).await
            })
            .await?;
    match created {
        Ok(CreatedOrganization::Fresh(made) | CreatedOrganization::Replayed(made)) => {
            Ok(answer::see(&format!("/o/{}/profile?saved", made.id)))
        }
        Ok(CreatedOrganization::KeyTaken) => Err(PageError::Internal("a key is taken that was not sent")),
        Err(domain::ports::CreateOrganizationError::UnknownTenant) => {
            Err(PageError::Internal("the user's tenant is unknown"))
        }
        Err(domain::ports::CreateOrganizationError::Store(store)) => Err(store.into()),
    }
}

fn page(visit: &Visit, filled: Filled) -> Result<HttpResponse, PageError> {
    let words = words::of(visit.language);
    let layout = Layout::of(visit, Section::Organizations, words.new);
    let page = Page { layout, words, filled, zones: zones() };
    page.filled.page(&page)
}
