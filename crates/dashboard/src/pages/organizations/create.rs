//! A new organization of the tenant.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use application::create_organization::CreatedOrganization;
use application::requests;
use askama::Template;
use domain::organization::Logo;

use super::profile::{Fields, zones};
use super::words::{self, Words};
use crate::answer;
use crate::error::PageError;
use crate::form::Form;
use crate::layout::{Layout, Section};
use crate::problems::Problems;
use crate::request::Visit;

#[derive(Template)]
#[template(path = "organizations/create.html")]
struct Page {
    layout: Layout,
    words: &'static Words,
    fields: Fields,
    zones: Vec<(String, String)>,
    problems: Problems,
}

pub(super) fn show(visit: &Visit) -> Result<HttpResponse, PageError> {
    answer::page(&page(visit, Fields::typed(&Form::default()), Problems::none()))
}

pub(super) async fn take(visit: Visit) -> Result<HttpResponse, PageError> {
    let fields = Fields::typed(&visit.form);
    let (profile, logo) = (requests::profile(&fields.body()), fields.logo());
    let problems = match &profile {
        Ok(_) => Problems::none(),
        Err(problems) => Problems::of(problems, visit.language),
    };
    let (Ok(mut profile), Some(logo)) = (profile, &logo) else {
        let bad_image = words::of(visit.language).bad_image;
        let problems = if logo.is_some() { problems } else { problems.and("image", bad_image) };
        return answer::page_with(StatusCode::UNPROCESSABLE_ENTITY, &page(&visit, fields, problems));
    };
    profile.image = match logo {
        Logo::Becomes(image) => Some(image.clone()),
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

fn page(visit: &Visit, fields: Fields, problems: Problems) -> Page {
    let words = words::of(visit.language);
    Page {
        layout: Layout::of(visit, Section::Organizations, words.new),
        words,
        fields,
        zones: zones(),
        problems,
    }
}
