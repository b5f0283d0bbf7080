//! `/users/{user}`: role and removal.

use actix_web::HttpResponse;
use askama::Template;
use domain::ports::UserChange;
use domain::user::{Role, User};

use super::words::{self, Words};
use super::{named, reach, roles};
use crate::answer;
use crate::error::PageError;
use crate::layout::{Layout, Section};
use crate::moment::Moment;
use crate::pages::account::moments;
use crate::pages::entrance::Trouble;
use crate::request::Visit;

#[derive(Template)]
#[template(path = "users/user.html")]
struct Shown<'a> {
    layout: Layout,
    words: &'static Words,
    trouble: &'a str,
    user: User,
    own: bool,
    reach: String,
    created: Moment,
    signed_in: Option<Moment>,
    roles: Vec<(String, String)>,
}

#[derive(Template)]
#[template(path = "users/remove.html")]
struct Asking<'a> {
    layout: Layout,
    words: &'static Words,
    trouble: &'a str,
    user: User,
}

pub(super) async fn show(visit: Visit) -> Result<HttpResponse, PageError> {
    let user = named(&visit).await?;
    page(&visit, user, &Trouble::default()).await
}

pub(super) async fn role(visit: Visit) -> Result<HttpResponse, PageError> {
    let user = named(&visit).await?;
    let role = visit.form.text("role").and_then(Role::parse).ok_or(PageError::BadForm)?;
    let (scope, id, deed) = (visit.scope(), user.id, visit.deed());
    let changing =
        visit.write(async move |service| service.accounts.change_role(scope, id, role, deed).await);
    match changing.await?? {
        // Whoever gave up their own role may not see the list any more.
        UserChange::Done(user) if user.id == visit.user.id => Ok(answer::see("/account")),
        UserChange::Done(user) => Ok(answer::see(&format!("/users/{}?done=role", user.id))),
        UserChange::Unknown => Err(PageError::NotFound),
        UserChange::LastAdmin => {
            page(&visit, user, &Trouble::wrong(words::of(visit.language).last_admin)).await
        }
    }
}

async fn page(visit: &Visit, user: User, trouble: &Trouble) -> Result<HttpResponse, PageError> {
    let words = words::of(visit.language);
    let moments = moments(visit);
    let notice = (visit.query.text("done") == Some("role")).then_some(words.role_changed);
    let own = match user.organization {
        Some(id) => visit.service.organizations.find(visit.scope(), id).await?,
        None => None,
    };
    trouble.page(&Shown {
        layout: Layout::of(visit, Section::Users, user.email.clone()).noting(notice),
        words,
        trouble: trouble.text(),
        own: user.id == visit.user.id,
        reach: reach(&user, own.map(|own| own.profile.name), words),
        created: moments.short(user.created_at),
        signed_in: user.signed_in_at.map(|at| moments.short(at)),
        roles: roles(visit.language),
        user,
    })
}

pub(super) async fn ask(visit: Visit) -> Result<HttpResponse, PageError> {
    let user = named(&visit).await?;
    asking(&visit, user, &Trouble::default())
}

fn asking(visit: &Visit, user: User, trouble: &Trouble) -> Result<HttpResponse, PageError> {
    let words = words::of(visit.language);
    let layout = Layout::of(visit, Section::Users, words.remove);
    trouble.page(&Asking { layout, words, trouble: trouble.text(), user })
}

pub(super) async fn remove(visit: Visit) -> Result<HttpResponse, PageError> {
    let user = named(&visit).await?;
    let (scope, id, deed) = (visit.scope(), user.id, visit.deed());
    let removing = visit.write(async move |service| service.accounts.remove(scope, id, deed).await);
    match removing.await?? {
        UserChange::Done(_) => Ok(answer::see("/users?done=removed")),
        UserChange::Unknown => Err(PageError::NotFound),
        UserChange::LastAdmin => asking(&visit, user, &Trouble::wrong(words::of(visit.language).last_admin)),
    }
}
