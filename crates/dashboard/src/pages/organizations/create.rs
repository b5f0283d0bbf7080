//! A new organization of the tenant.

use actix_web::HttpResponse;
use application::create_organization::CreatedOrganization;
use application::requests;
use askama::Template;
use domain::idempotency::Once;
use domain::ids::OrganizationId;
use domain::organization::Logo;
use sha2::{Digest, Sha256};

use super::profile::{FIELDS, body, logo, zones};
use super::words::{self, Words};
use crate::answer;
use crate::error::PageError;
use crate::layout::{Layout, Section};
use crate::pages::filled::Filled;
use crate::pages::once;
use crate::request::Visit;

/// The field of the form's one-time token.
const ONCE: &str = "once";

#[derive(Template)]
#[template(path = "organizations/create.html")]
struct Page {
    layout: Layout,
    words: &'static Words,
    filled: Filled,
    zones: Vec<(String, String)>,
}

pub(super) fn show(visit: &Visit) -> Result<HttpResponse, PageError> {
    let once: OrganizationId = visit.new_id();
    page(visit, Filled::with(visit, [(ONCE, once.to_string())]))
}

pub(super) async fn take(visit: Visit) -> Result<HttpResponse, PageError> {
    let key = once::key(&visit, "organization")?;
    let mut filled = Filled::typed(&visit, &[FIELDS.as_slice(), &[ONCE]].concat());
    let profile = filled.judged(requests::profile(&body(&filled)));
    let logo = logo(&mut filled, words::of(visit.language));
    let Some(mut profile) = profile.filter(|_| filled.is_fit()) else { return page(&visit, filled) };
    profile.image = match logo {
        Logo::Becomes(image) => Some(image),
        Logo::Stays | Logo::Goes => None,
    };
    let (tenant, deed) = (visit.user.tenant, visit.deed());
    // It is the form that is sent once, whatever was typed into it when it comes again.
    let fingerprint = Sha256::digest(key.as_str()).into();
    let once = Some(Once { scope: visit.scope(), key, fingerprint });
    let created =
        visit
            .write(move |service| async move {
                service.create_organization.create(tenant, profile, deed, once).await
            })
            .await?;
    match created {
        Ok(CreatedOrganization::Fresh(made) | CreatedOrganization::Replayed(made)) => {
            Ok(answer::see(&format!("/o/{}/profile?saved", made.id)))
        }
        Ok(CreatedOrganization::KeyTaken) => Err(PageError::Internal("the key of a form is taken by none")),
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
