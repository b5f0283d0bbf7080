//! Settings → API Keys: those of one organization, and those of the whole tenant.

mod add;
mod delete;
mod words;

use actix_web::HttpResponse;
use askama::Template;
use domain::access::{ApiKey, KEYS_SHOWN, KeyLevel, ORGANIZATION_KEYS_MAX};
use domain::ids::KeyId;
use domain::scope::Scope;
use domain::user::Right;

use self::words::Words;
use crate::answer;
use crate::error::PageError;
use crate::layout::{Layout, Section};
use crate::moment::{Moment, Moments};
use crate::pages::shortened::shortened;
use crate::request::{Inside, Visit};
use crate::routes::{Page, Takes};

pub(crate) const PAGES: &[Page] = &[
    Page::get(
        "/o/{organization}/settings/api-keys",
        Takes::Within(Right::ManageAccess, |inside| Box::pin(list(Keys::of_organization(inside)))),
    ),
    Page::get(
        "/o/{organization}/settings/api-keys/add",
        Takes::Within(Right::ManageAccess, |inside| Box::pin(add::form(Keys::of_organization(inside)))),
    ),
    Page::post(
        "/o/{organization}/settings/api-keys",
        Takes::Within(Right::ManageAccess, |inside| Box::pin(add::create(Keys::of_organization(inside)))),
    ),
    Page::get(
        "/o/{organization}/settings/api-keys/{key}/delete",
        Takes::Within(Right::ManageAccess, |inside| Box::pin(delete::ask(Keys::of_organization(inside)))),
    ),
    Page::post(
        "/o/{organization}/settings/api-keys/{key}/delete",
        Takes::Within(Right::ManageAccess, |inside| Box::pin(delete::delete(Keys::of_organization(inside)))),
    ),
    Page::get(
        "/settings/api-keys",
        Takes::User(Right::ManageTenant, |visit| Box::pin(list(Keys::of_tenant(visit)))),
    ),
    Page::get(
        "/settings/api-keys/add",
        Takes::User(Right::ManageTenant, |visit| Box::pin(add::form(Keys::of_tenant(visit)))),
    ),
    Page::post(
        "/settings/api-keys",
        Takes::User(Right::ManageTenant, |visit| Box::pin(add::create(Keys::of_tenant(visit)))),
    ),
    Page::get(
        "/settings/api-keys/{key}/delete",
        Takes::User(Right::ManageTenant, |visit| Box::pin(delete::ask(Keys::of_tenant(visit)))),
    ),
    Page::post(
        "/settings/api-keys/{key}/delete",
        Takes::User(Right::ManageTenant, |visit| Box::pin(delete::delete(Keys::of_tenant(visit)))),
    ),
];

/// The keys of one scope, and who visits them.
struct Keys {
    visit: Visit,
    scope: Scope,
    /// Where their pages are.
    base: String,
    moments: Moments,
    words: &'static Words,
}

impl Keys {
    fn of_organization(inside: Inside) -> Self {
        let base = inside.href("/settings/api-keys");
        let moments = Moments::new(inside.language, inside.organization.profile.timezone);
        let scope = Scope::Organization(inside.organization.tenant, inside.id());
        Self { scope, base, moments, words: words::of(inside.language), visit: inside.visit }
    }

    fn of_tenant(visit: Visit) -> Self {
        let (scope, moments) = (Scope::Tenant(visit.user.tenant), Moments::utc(visit.language));
        let base = "/settings/api-keys".to_owned();
        Self { scope, base, moments, words: words::of(visit.language), visit }
    }

    fn level(&self) -> KeyLevel {
        if self.scope.organization().is_some() { KeyLevel::Organization } else { KeyLevel::Tenant }
    }

    fn layout(&self, title: &str) -> Layout {
        let section = match self.level() {
            KeyLevel::Organization => Section::ApiKeys,
            KeyLevel::Tenant => Section::TenantKeys,
        };
        Layout::of(&self.visit, section, title)
    }

    /// The newest, or those before one of them.
    async fn live(&self, before: Option<KeyId>) -> Result<Vec<ApiKey>, PageError> {
        Ok(self.visit.service.access.live_keys(self.scope, before).await?)
    }

    /// Whether there is room for another key.
    fn has_room(&self, live: usize) -> bool {
        self.level() == KeyLevel::Tenant || live < ORGANIZATION_KEYS_MAX
    }
}

#[derive(Template)]
#[template(path = "keys/list.html")]
struct List<'a> {
    layout: Layout,
    words: &'static Words,
    base: &'a str,
    about: &'static str,
    keys: Vec<Listed>,
    has_room: bool,
    first: String,
    older: String,
}

/// A key in the list.
struct Listed {
    id: String,
    name: String,
    short_name: String,
    permissions: Vec<&'static str>,
    created: Moment,
    used: Option<Moment>,
}

async fn list(keys: Keys) -> Result<HttpResponse, PageError> {
    let before = match keys.visit.query.text("before") {
        Some(text) => Some(KeyId::parse(text).ok_or(PageError::NotFound)?),
        None => None,
    };
    let live = keys.live(before).await?;
    let last = live.last().filter(|_| live.len() >= KEYS_SHOWN).map(|key| key.id);
    let words = keys.words;
    let done = keys.visit.query.text("done");
    let notice = done.and_then(|done| (done == "deleted").then_some(words.deleted));
    let template = List {
        layout: keys.layout(words.title).noting(notice),
        words,
        base: &keys.base,
        about: words.about(keys.level()),
        has_room: keys.has_room(live.len()),
        first: before.map(|_| keys.base.clone()).unwrap_or_default(),
        older: last.map(|last| format!("{}?before={last}", keys.base)).unwrap_or_default(),
        keys: live.into_iter().map(|key| listed(&keys, key)).collect(),
    };
    answer::page(&template)
}

fn listed(keys: &Keys, key: ApiKey) -> Listed {
    Listed {
        id: key.id.to_string(),
        short_name: shortened(&key.name),
        permissions: key.permissions.iter().map(|permission| permission.as_str()).collect(),
        created: keys.moments.short(key.created_at),
        used: key.last_used_at.map(|at| keys.moments.short(at)),
        name: key.name,
    }
}
