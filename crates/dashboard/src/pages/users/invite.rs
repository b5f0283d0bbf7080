//! `/users/new`, and another link for somebody who is there.

use actix_web::HttpResponse;
use application::people::add_user::{AddUser, Newcomer};
use askama::Template;
use domain::organization::is_email;
use domain::ports::AddUserError;
use domain::user::Role;

use super::words::{self, Words};
use super::{CHOICES_MAX, invited, named, organization_of, organizations, roles};
use crate::error::PageError;
use crate::layout::{Layout, Section};
use crate::pages::entrance::Trouble;
use crate::request::Visit;

#[derive(Template)]
#[template(path = "users/new.html")]
struct Shown<'a> {
    layout: Layout,
    words: &'static Words,
    trouble: &'a str,
    email: &'a str,
    role: &'a str,
    roles: Vec<(String, String)>,
    organization: &'a str,
    organizations: Vec<(String, String)>,
    /// Whether there may be organizations that are not offered: they are named by their id.
    more: bool,
    by_id: &'a str,
    problems: Problems,
}

#[derive(Default)]
struct Problems {
    email: &'static str,
    role: &'static str,
    organization: &'static str,
    by_id: &'static str,
}

impl Problems {
    /// Where the organization was named.
    fn of_organization(visit: &Visit, words: &Words) -> Self {
        if visit.form.text("organizationId").is_some() {
            Self { by_id: words.bad_id, ..Self::default() }
        } else {
            Self { organization: words.bad_organization, ..Self::default() }
        }
    }
}

pub(super) async fn show(visit: Visit) -> Result<HttpResponse, PageError> {
    form(&visit, &Trouble::default(), Problems::default()).await
}

pub(super) async fn take(visit: Visit) -> Result<HttpResponse, PageError> {
    let words = words::of(visit.language);
    let wrong = Trouble::wrong("");
    let new = match read(&visit) {
        Ok(new) => new,
        Err(problems) => return form(&visit, &wrong, problems).await,
    };
    let deed = visit.deed();
    let adding = visit.write(async move |service| {
        let (accounts, entropy) = (service.accounts.clone(), service.entropy.clone());
        AddUser { accounts, entropy }.invite(new, deed).await
    });
    match adding.await? {
        Ok((user, minted)) => invited(&visit, &user, &minted),
        Err(AddUserError::EmailTaken) => {
            form(&visit, &wrong, Problems { email: words.email_taken, ..Problems::default() }).await
        }
        Err(AddUserError::UnknownOwner) => {
            form(&visit, &wrong, Problems::of_organization(&visit, words)).await
        }
        Err(AddUserError::TooMany) => {
            form(&visit, &Trouble::wrong(words.too_many), Problems::default()).await
        }
        Err(AddUserError::Store(away)) => Err(away.into()),
    }
}

fn read(visit: &Visit) -> Result<Newcomer, Problems> {
    let words = words::of(visit.language);
    let email = visit.form.text("email").filter(|text| is_email(text)).map(str::to_owned);
    let role = visit.form.text("role").and_then(Role::parse);
    // Whoever is limited to an organization lets others into that one alone.
    let organization = match visit.user.organization {
        Some(own) => Ok(Some(own)),
        None => organization_of(visit.form.text("organizationId").or(visit.form.text("organization"))),
    };
    let named =
        if organization.is_ok() { Problems::default() } else { Problems::of_organization(visit, words) };
    let problems = Problems {
        email: if email.is_some() { "" } else { words.bad_email },
        role: if role.is_some() { "" } else { words.bad_role },
        ..named
    };
    match (email, role, organization) {
        (Some(email), Some(role), Ok(organization)) => {
            Ok(Newcomer { tenant: visit.user.tenant, organization, email, role })
        }
        _ => Err(problems),
    }
}

async fn form(visit: &Visit, trouble: &Trouble, problems: Problems) -> Result<HttpResponse, PageError> {
    let words = words::of(visit.language);
    let mut offered = Vec::new();
    if visit.user.organization.is_none() {
        offered.push((String::new(), words.whole_company.to_owned()));
    }
    let reached = organizations(visit).await?;
    let more = reached.len() >= usize::try_from(CHOICES_MAX).unwrap_or(usize::MAX);
    offered.extend(reached.into_iter().map(|own| (own.id.to_string(), own.profile.name)));
    let typed = |name| visit.form.text(name).unwrap_or_default();
    trouble.page(&Shown {
        layout: Layout::of(visit, Section::Users, words.invite),
        words,
        trouble: trouble.text(),
        email: typed("email"),
        role: visit.form.text("role").unwrap_or(Role::Member.as_str()),
        roles: roles(visit.language),
        organization: typed("organization"),
        organizations: offered,
        more,
        by_id: typed("organizationId"),
        problems,
    })
}

pub(super) async fn again(visit: Visit) -> Result<HttpResponse, PageError> {
    let (user, scope, deed) = (named(&visit).await?, visit.scope(), visit.deed());
    let inviting = visit.write(async move |service| {
        let (accounts, entropy) = (service.accounts.clone(), service.entropy.clone());
        AddUser { accounts, entropy }.invite_again(scope, user.id, deed).await
    });
    let (user, minted) = inviting.await??.ok_or(PageError::NotFound)?;
    invited(&visit, &user, &minted)
}
