//! `/users/new`, and another link for somebody who is there.

use actix_web::HttpResponse;
use application::people::add_user::{AddUser, Newcomer};
use askama::Template;
use domain::organization::is_email;
use domain::ports::AddUserError;
use domain::user::Role;

use super::words::{self, Words};
use super::{invited, named, organization_of, organizations, roles};
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
    problems: Problems,
}

#[derive(Default)]
struct Problems {
    email: &'static str,
    role: &'static str,
    organization: &'static str,
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
            let problems = Problems { organization: words.bad_organization, ..Problems::default() };
            form(&visit, &wrong, problems).await
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
        None => organization_of(visit.form.text("organization")),
    };
    let problems = Problems {
        email: if email.is_some() { "" } else { words.bad_email },
        role: if role.is_some() { "" } else { words.bad_role },
        organization: if organization.is_ok() { "" } else { words.bad_organization },
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
