//! An organization's profile, and changing it.

use actix_web::HttpResponse;
use application::requests;
use askama::Template;
use domain::organization::{Logo, Profile, Revision, TIMEZONES};
use domain::ports::ReviseError;
use domain::user::Right;
use serde_json::Value;
use url::Url;

use super::words::{self, Words};
use crate::answer;
use crate::error::PageError;
use crate::layout::{Layout, Section};
use crate::pages::filled::Filled;
use crate::pages::seen::Values;
use crate::request::Inside;

/// The longest address of a logo, in characters.
const IMAGE_MAX: usize = 2048;

/// The fields of an organization's form, by their names in the interface.
pub(super) const FIELDS: [&str; 10] = [
    "name",
    "email",
    "address",
    "city",
    "stateProvince",
    "postalCode",
    "country",
    "phoneNumber",
    "timezone",
    IMAGE,
];

/// The field of the logo's address, which the interface takes elsewhere.
const IMAGE: &str = "image";

/// What was typed, as a request to the interface would say it.
pub(super) fn body(filled: &Filled) -> Value {
    let fields = FIELDS.into_iter().filter(|name| *name != IMAGE);
    Value::Object(fields.map(|name| (name.to_owned(), filled.value(name).trim().into())).collect())
}

/// What becomes of the logo; an address that cannot be taken is noted.
pub(super) fn logo(filled: &mut Filled, words: &Words) -> Logo {
    let read = |text: &str| {
        let url = Url::parse(text).ok().filter(|url| url.scheme() == "https" && url.has_host());
        let url = url.filter(|_| text.chars().count() <= IMAGE_MAX);
        url.map(|url| Logo::Becomes(url.into())).ok_or(words.bad_image)
    };
    filled.optional(IMAGE, read).unwrap_or(Logo::Goes)
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
    filled: Filled,
    zones: Vec<(String, String)>,
    may_change: bool,
    may_delete: bool,
}

pub(super) fn show(inside: &Inside) -> Result<HttpResponse, PageError> {
    let saved = inside.query.ticked("saved").then(|| words::of(inside.language).saved);
    page(inside, Filled::stored(inside, known(&inside.organization.profile)), saved)
}

pub(super) async fn take(inside: Inside) -> Result<HttpResponse, PageError> {
    let mut filled = Filled::retyped(&inside, &FIELDS)?;
    let revision = filled.judged(requests::revision(&body(&filled)));
    let logo = logo(&mut filled, words::of(inside.language));
    let Some(revision) = revision.filter(|_| filled.is_fit()) else { return page(&inside, filled, None) };
    let revision = Revision { logo, ..revision };
    let (scope, id, deed) = (inside.scope(), inside.organization.id, inside.deed());
    let seen = Some(filled.seen_by(known));
    let revising = inside.write(move |service| async move {
        service.organizations.revise(scope, id, revision, seen, deed).await
    });
    match revising.await? {
        Ok(_) => Ok(answer::see(&inside.href("/profile?saved"))),
        Err(ReviseError::Overtaken) => {
            let found = inside.service.organizations.find(scope, id).await?.ok_or(PageError::NotFound)?;
            filled.overtake(&known(&found.profile));
            page(&inside, filled, None)
        }
        Err(other) => Err(other.into()),
    }
}

fn known(profile: &Profile) -> Values {
    let profile = profile.clone();
    vec![
        ("name", profile.name),
        ("email", profile.email),
        ("address", profile.address),
        ("city", profile.city),
        ("stateProvince", profile.state_province),
        ("postalCode", profile.postal_code),
        ("country", profile.country),
        ("phoneNumber", profile.phone_number),
        ("timezone", profile.timezone.as_str().to_owned()),
        (IMAGE, profile.image.unwrap_or_default()),
    ]
}

fn page(inside: &Inside, filled: Filled, notice: Option<&str>) -> Result<HttpResponse, PageError> {
    let words = words::of(inside.language);
    let page = Page {
        layout: Layout::of(inside, Section::Profile, words.profile).noting(notice),
        words,
        organization: inside.organization.id.to_string(),
        action: inside.href("/profile"),
        filled,
        zones: zones(),
        may_change: inside.may(Right::ManageSetup),
        may_delete: inside.may(Right::ManageTenant),
    };
    page.filled.page(&page)
}
