//! An organization's profile, and changing it.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use application::requests;
use askama::Template;
use domain::organization::{Logo, Profile, Revision, TIMEZONES};
use domain::user::Right;
use serde_json::{Map, Value};
use url::Url;

use super::words::{self, Words};
use crate::answer;
use crate::error::PageError;
use crate::form::Form;
use crate::language::Language;
use crate::layout::{Layout, Section};
use crate::problems::Problems;
use crate::request::Inside;

/// The longest address of a logo, in characters.
const IMAGE_MAX: usize = 2048;

/// The fields of an organization as a form shows them, by their names in the interface.
pub(super) struct Fields {
    pub(super) name: String,
    pub(super) email: String,
    pub(super) image: String,
    pub(super) address: String,
    pub(super) city: String,
    pub(super) state_province: String,
    pub(super) postal_code: String,
    pub(super) country: String,
    pub(super) phone_number: String,
    pub(super) timezone: String,
}

impl Fields {
    /// As they are stored.
    fn of(profile: &Profile) -> Self {
        let profile = profile.clone();
        Self {
            name: profile.name,
            email: profile.email,
            image: profile.image.unwrap_or_default(),
            address: profile.address,
            city: profile.city,
            state_province: profile.state_province,
            postal_code: profile.postal_code,
            country: profile.country,
            phone_number: profile.phone_number,
            timezone: profile.timezone.as_str().to_owned(),
        }
    }

    /// As they were typed.
    pub(super) fn typed(form: &Form) -> Self {
        let text = |name| form.text(name).unwrap_or_default().to_owned();
        Self {
            name: text("name"),
            email: text("email"),
            image: text("image"),
            address: text("address"),
            city: text("city"),
            state_province: text("stateProvince"),
            postal_code: text("postalCode"),
            country: text("country"),
            phone_number: text("phoneNumber"),
            timezone: text("timezone"),
        }
    }

    /// As a request to the interface would say it.
    pub(super) fn body(&self) -> Value {
        let fields = [
            ("name", &self.name),
            ("email", &self.email),
            ("address", &self.address),
            ("city", &self.city),
            ("stateProvince", &self.state_province),
            ("postalCode", &self.postal_code),
            ("country", &self.country),
            ("phoneNumber", &self.phone_number),
            ("timezone", &self.timezone),
        ];
        let member = |(name, value): (&str, &String)| (name.to_owned(), Value::from(value.as_str()));
        Value::Object(fields.into_iter().map(member).collect::<Map<_, _>>())
    }

    /// The logo's address; none for one that cannot be taken.
    pub(super) fn logo(&self) -> Option<Logo> {
        if self.image.is_empty() {
            return Some(Logo::Goes);
        }
        let url = Url::parse(&self.image).ok()?;
        let fits = url.scheme() == "https" && url.has_host() && self.image.chars().count() <= IMAGE_MAX;
        fits.then(|| Logo::Becomes(url.into()))
    }
}

/// Zones for a choice.
pub(super) fn zones() -> Vec<(String, String)> {
    TIMEZONES.iter().map(|zone| ((*zone).to_owned(), zone.replace('_', " "))).collect()
}

#[derive(Template)]
#[template(path = "organizations/profile.html")]
struct Page {
    layout: Layout,
    words: &'static Words,
    organization: String,
    action: String,
    fields: Fields,
    zones: Vec<(String, String)>,
    problems: Problems,
    may_change: bool,
    may_delete: bool,
}

pub(super) fn show(inside: &Inside) -> Result<HttpResponse, PageError> {
    let saved = inside.query.ticked("saved").then(|| words::of(inside.language).saved);
    let fields = Fields::of(&inside.organization.profile);
    answer::page(&page(inside, fields, Problems::none(), saved))
}

pub(super) async fn take(inside: Inside) -> Result<HttpResponse, PageError> {
    let fields = Fields::typed(&inside.form);
    let revision = match read(&fields, inside.language) {
        Ok(revision) => revision,
        Err(problems) => {
            return answer::page_with(
                StatusCode::UNPROCESSABLE_ENTITY,
                &page(&inside, fields, problems, None),
            );
        }
    };
    let (scope, id, deed) = (inside.scope(), inside.organization.id, inside.deed());
    let revised = inside
        .write(move |service| async move { service.organizations.revise(scope, id, revision, deed).await })
        .await??;
    revised.ok_or(PageError::NotFound)?;
    Ok(answer::see(&inside.href("/profile?saved")))
}

/// Reads what was typed, by the interface's rules.
fn read(fields: &Fields, language: Language) -> Result<Revision, Problems> {
    let (revision, logo) = (requests::revision(&fields.body()), fields.logo());
    let problems = match &revision {
        Ok(_) => Problems::none(),
        Err(problems) => Problems::of(problems, language),
    };
    let problems =
        if logo.is_some() { problems } else { problems.and("image", words::of(language).bad_image) };
    match (revision, logo) {
        (Ok(revision), Some(logo)) => Ok(Revision { logo, ..revision }),
        _ => Err(problems),
    }
}

fn page(inside: &Inside, fields: Fields, problems: Problems, notice: Option<&str>) -> Page {
    let words = words::of(inside.language);
    Page {
        layout: Layout::of(inside, Section::Profile, words.profile).noting(notice),
        words,
        organization: inside.organization.id.to_string(),
        action: inside.href("/profile"),
        fields,
        zones: zones(),
        problems,
        may_change: inside.may(Right::ManageSetup),
        may_delete: inside.may(Right::ManageTenant),
    }
}
