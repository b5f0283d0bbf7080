//! `/users/new`, and another link for somebody who is there.

use actix_web::HttpResponse;
use application::people::add_user::{AddUser, Newcomer};
use askama::Template;
use domain::ids::OrganizationId;
use domain::organization::is_email;
use domain::ports::AddUserError;
use domain::user::Role;

use super::words::{self, Words};
use super::{CHOICES_MAX, invited, named, organizations, roles};
use crate::error::PageError;
use crate::layout::{Layout, Section};
use crate::pages::filled::Filled;
use crate::request::Visit;

const FIELDS: [&str; 4] = ["email", "role", "organization", BY_ID];

/// Organizations that are not offered are named by their id.
const BY_ID: &str = "organizationId";

/// Where it is noted what is wrong with no single field.
const WHOLE: &str = "user";

#[derive(Template)]
#[template(path = "users/new.html")]
struct Shown {
    layout: Layout,
    words: &'static Words,
    filled: Filled,
    roles: Vec<(String, String)>,
    organizations: Vec<(String, String)>,
    /// Whether there may be organizations that are not offered.
    more: bool,
}

pub(super) async fn show(visit: Visit) -> Result<HttpResponse, PageError> {
    form(&visit, Filled::with(&visit, [("role", Role::Member.as_str().to_owned())])).await
}

pub(super) async fn take(visit: Visit) -> Result<HttpResponse, PageError> {
    let words = words::of(visit.language);
    let mut filled = Filled::typed(&visit, &FIELDS);
    let Some(new) = read(&visit, &mut filled) else { return form(&visit, filled).await };
    let deed = visit.deed();
    let adding = visit.write(async move |service| {
        let (accounts, entropy) = (service.accounts.clone(), service.entropy.clone());
        AddUser { accounts, entropy }.invite(new, deed).await
    });
    match adding.await? {
        Ok((user, minted)) => return invited(&visit, &user, &minted),
        Err(AddUserError::EmailTaken) => filled.note("email", words.email_taken),
        Err(AddUserError::UnknownOwner) => {
            let (field, problem) = organization_named(&filled, words);
            filled.note(field, problem);
        }
        Err(AddUserError::TooMany) => filled.note(WHOLE, words.too_many),
        Err(AddUserError::Store(away)) => return Err(away.into()),
    }
    form(&visit, filled).await
}

fn read(visit: &Visit, filled: &mut Filled) -> Option<Newcomer> {
    let words = words::of(visit.language);
    let email =
        filled.required("email", |text| is_email(text).then(|| text.to_owned()).ok_or(words.bad_email));
    let role = filled.required("role", |text| Role::parse(text).ok_or(words.bad_role));
    // Whoever is limited to an organization lets others into that one alone.
    let organization = visit.user.organization.or_else(|| {
        let (field, problem) = organization_named(filled, words);
        filled.optional(field, |text| OrganizationId::parse(text).ok_or(problem))
    });
    let new = Newcomer { tenant: visit.user.tenant, organization, email: email?, role: role? };
    filled.is_fit().then_some(new)
}

/// Where the organization was named, and what is told when there is none such.
fn organization_named(filled: &Filled, words: &Words) -> (&'static str, &'static str) {
    if filled.value(BY_ID).trim().is_empty() {
        ("organization", words.bad_organization)
    } else {
        (BY_ID, words.bad_id)
    }
}

async fn form(visit: &Visit, filled: Filled) -> Result<HttpResponse, PageError> {
    let words = words::of(visit.language);
    let mut offered = Vec::new();
    if visit.user.organization.is_none() {
        offered.push((String::new(), words.whole_company.to_owned()));
    }
    let reached = organizations(visit).await?;
    let more = reached.len() >= usize::try_from(CHOICES_MAX).unwrap_or(usize::MAX);
    offered.extend(reached.into_iter().map(|own| (own.id.to_string(), own.profile.name)));
    let shown = Shown {
        layout: Layout::of(visit, Section::Users, words.invite),
        words,
        filled,
        roles: roles(visit.language),
        organizations: offered,
        more,
    };
    shown.filled.page(&shown)
}

pub(super) async fn again(visit: Visit) -> Result<HttpResponse, PageError> {
    let (user, scope, deed) = (named(&visit).await?, visit.scope(), visit.deed());
    // A new password for oneself takes the old one.
    if user.id == visit.user.id {
        return Err(PageError::NotFound);
    }
    let inviting = visit.write(async move |service| {
        let (accounts, entropy) = (service.accounts.clone(), service.entropy.clone());
        AddUser { accounts, entropy }.invite_again(scope, user.id, deed).await
    });
    let (user, minted) = inviting.await??.ok_or(PageError::NotFound)?;
    invited(&visit, &user, &minted)
}
