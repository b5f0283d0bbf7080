//! Who may sign in: the list, inviting, roles, removal.

mod change;
mod invite;
mod list;
mod words;

use actix_web::HttpResponse;
use application::people::links::{INVITATION, MintedLink};
use askama::Template;
use domain::ids::UserId;
use domain::organization::{Organization, OrganizationField, OrganizationQuery};
use domain::page::PageRequest;
use domain::user::{Right, Role, User};

use crate::answer;
use crate::error::PageError;
use crate::language::Language;
use crate::layout::{Layout, Section};
use crate::moment::Moment;
use crate::pages::account::{moments, role};
use crate::request::Visit;
use crate::routes::{Page, Takes};
use words::Words;

pub(crate) const PAGES: &[Page] = &[
    Page::get("/users", Takes::User(Right::ManageAccess, |visit| Box::pin(list::show(visit)))),
    Page::get("/users/new", Takes::User(Right::ManageAccess, |visit| Box::pin(invite::show(visit)))),
    Page::post("/users/new", Takes::User(Right::ManageAccess, |visit| Box::pin(invite::take(visit)))),
    Page::get("/users/{user}", Takes::User(Right::ManageAccess, |visit| Box::pin(change::show(visit)))),
    Page::post("/users/{user}/role", Takes::User(Right::ManageAccess, |visit| Box::pin(change::role(visit)))),
    Page::post(
        "/users/{user}/invite",
        Takes::User(Right::ManageAccess, |visit| Box::pin(invite::again(visit))),
    ),
    Page::get("/users/{user}/remove", Takes::User(Right::ManageAccess, |visit| Box::pin(change::ask(visit)))),
    Page::post(
        "/users/{user}/remove",
        Takes::User(Right::ManageAccess, |visit| Box::pin(change::remove(visit))),
    ),
];

/// Organizations that are offered to choose from.
const CHOICES_MAX: u32 = 100;

/// The user of the path, within reach.
async fn named(visit: &Visit) -> Result<User, PageError> {
    let id = visit.id("user", UserId::parse)?;
    visit.service.accounts.user(visit.scope(), id).await?.ok_or(PageError::NotFound)
}

/// The tenant's organizations, as far as they are reached and can be chosen from.
async fn organizations(visit: &Visit) -> Result<Vec<Organization>, PageError> {
    if let Some(own) = visit.user.organization {
        return Ok(visit.service.organizations.find(visit.scope(), own).await?.into_iter().collect());
    }
    let query = OrganizationQuery {
        page: PageRequest { number: 1, size: CHOICES_MAX },
        sort: OrganizationField::Name,
        descending: false,
        search: None,
    };
    Ok(visit.service.organizations.page(visit.user.scope(), &query).await?.items)
}

/// What a user sees, in words; a nameless organization by its id.
fn reach(user: &User, organization_name: Option<String>, words: &Words) -> String {
    let Some(id) = user.organization else { return words.whole_company.to_owned() };
    organization_name.unwrap_or_else(|| id.to_string())
}

/// Every role with what it may do, for a choice.
fn roles(language: Language) -> Vec<(String, String)> {
    let words = words::of(language);
    let about = |own| match own {
        Role::Admin => words.about_admin,
        Role::Member => words.about_member,
        Role::Viewer => words.about_viewer,
    };
    Role::ALL
        .map(|own| (own.as_str().to_owned(), format!("{} – {}", role(language, own), about(own))))
        .to_vec()
}

#[derive(Template)]
#[template(path = "users/invited.html")]
struct Invited {
    layout: Layout,
    words: &'static Words,
    label: String,
    link: String,
    expires: Moment,
}

/// Shows an invitation's link, this once.
fn invited(visit: &Visit, user: &User, minted: &MintedLink) -> Result<HttpResponse, PageError> {
    let words = words::of(visit.language);
    let path = format!("{INVITATION}{}", minted.secret.reveal());
    let link = visit.dashboard.front.public_url.join(&path);
    let link = link.map_err(|_| PageError::Internal("an invitation has no address"))?.to_string();
    let layout = Layout::of(visit, Section::Users, words.invited);
    let expires = moments(visit).short(minted.link.expires_at);
    let label = format!("{} {}", words.link, user.email);
    answer::page(&Invited { layout, words, label, link, expires })
}
