//! Making a key, which is shown this once.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use application::keys::mint;
use askama::Template;
use domain::access::{ApiKey, Permission};
use domain::ids::KeyId;
use domain::ports::IssueError;

use super::Keys;
use super::words::Words;
use crate::answer;
use crate::error::PageError;
use crate::layout::Layout;

/// The longest name, in characters.
const NAME_MAX: usize = 200;

#[derive(Template)]
#[template(path = "keys/add.html")]
struct Add<'a> {
    layout: Layout,
    words: &'static Words,
    base: &'a str,
    /// The key's id: the same form sent twice makes one key.
    id: String,
    typed: &'a str,
    name_problem: &'static str,
    permissions: Vec<Offered>,
    permissions_problem: &'static str,
    problem: &'static str,
    has_room: bool,
}

/// A permission as a box to tick.
struct Offered {
    value: &'static str,
    label: &'static str,
    ticked: bool,
}

/// What was typed, and what is wrong with it.
#[derive(Default)]
struct Typed<'a> {
    name: &'a str,
    permissions: Vec<Permission>,
    name_problem: &'static str,
    permissions_problem: &'static str,
    problem: &'static str,
}

pub(super) async fn form(keys: Keys) -> Result<HttpResponse, PageError> {
    let has_room = keys.has_room(keys.live(None).await?.len());
    let typed = Typed { permissions: Permission::ALL.to_vec(), ..Typed::default() };
    show(&keys, StatusCode::OK, &typed, keys.visit.new_id(), has_room)
}

fn show(
    keys: &Keys,
    status: StatusCode,
    typed: &Typed<'_>,
    id: KeyId,
    has_room: bool,
) -> Result<HttpResponse, PageError> {
    let words = keys.words;
    let permissions = Permission::ALL.into_iter().map(|permission| Offered {
        value: permission.as_str(),
        label: words.permission(permission),
        ticked: typed.permissions.contains(&permission),
    });
    let template = Add {
        layout: keys.layout(words.add_title),
        words,
        base: &keys.base,
        id: id.to_string(),
        typed: typed.name,
        name_problem: typed.name_problem,
        permissions: permissions.collect(),
        permissions_problem: typed.permissions_problem,
        problem: typed.problem,
        has_room,
    };
    answer::page_with(status, &template)
}

#[derive(Template)]
#[template(path = "keys/made.html")]
struct Made<'a> {
    layout: Layout,
    words: &'static Words,
    base: &'a str,
    name: &'a str,
    key: &'a str,
    example: String,
}

#[derive(Template)]
#[template(path = "keys/repeated.html")]
struct Repeated<'a> {
    layout: Layout,
    words: &'static Words,
    base: &'a str,
}

/// Makes the key. Its text stands on this answer alone: neither a reload nor the Back button brings it
/// back, and the form makes no second one.
pub(super) async fn create(keys: Keys) -> Result<HttpResponse, PageError> {
    let words = keys.words;
    let form = &keys.visit.form;
    let id = form.text("id").and_then(KeyId::parse).ok_or(PageError::BadForm)?;
    let ticked: Vec<_> = form.all("permission").filter_map(Permission::parse).collect();
    let permissions: Vec<_> = Permission::ALL.into_iter().filter(|own| ticked.contains(own)).collect();
    let name = form.text("name").unwrap_or_default();
    let mut typed = Typed { name, permissions: permissions.clone(), ..Typed::default() };
    if name.is_empty() {
        typed.name_problem = words.name_missing;
    } else if name.chars().count() > NAME_MAX || name.chars().any(char::is_control) {
        typed.name_problem = words.name_long;
    }
    if permissions.is_empty() {
        typed.permissions_problem = words.permissions_missing;
    }
    if !typed.name_problem.is_empty() || !typed.permissions_problem.is_empty() {
        return show(&keys, StatusCode::UNPROCESSABLE_ENTITY, &typed, id, true);
    }
    let minted = mint(keys.level(), keys.visit.service.entropy.as_ref());
    let key = ApiKey {
        id,
        tenant: keys.scope.tenant(),
        organization: keys.scope.organization(),
        name: name.to_owned(),
        permissions,
        created_at: keys.visit.now(),
        last_used_at: None,
        revoked_at: None,
    };
    let (digest, deed) = (minted.digest, keys.visit.deed());
    let issued =
        keys.visit.write(move |service| async move { service.access.issue(key, digest, deed).await }).await?;
    match issued {
        Ok(()) => {
            let api = keys.visit.dashboard.front.public_url.join("/api/calls");
            let api = api.map_err(|_| PageError::Internal("the public address has no paths"))?;
            answer::page(&Made {
                layout: keys.layout(words.made_title),
                words,
                base: &keys.base,
                name,
                key: minted.text.reveal(),
                example: match keys.scope.organization() {
                    Some(organization) => format!("{api}?organizationId={organization}"),
                    None => api.as_str().replace("/api/calls", "/api/organization"),
                },
            })
        }
        Err(IssueError::Repeated) => {
            let layout = keys.layout(words.repeated_title);
            answer::page_with(StatusCode::CONFLICT, &Repeated { layout, words, base: &keys.base })
        }
        Err(IssueError::TooMany) => {
            typed.problem = words.full;
            show(&keys, StatusCode::UNPROCESSABLE_ENTITY, &typed, id, false)
        }
        // The organization was deleted.
        Err(IssueError::UnknownOwner) => {
            typed.problem = words.gone;
            show(&keys, StatusCode::UNPROCESSABLE_ENTITY, &typed, id, true)
        }
        Err(IssueError::Store(cause)) => Err(cause.into()),
    }
}
