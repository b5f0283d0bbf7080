//! The address `/`, the choice of language, and the files that pages load.

use std::future::ready;

use actix_web::HttpResponse;
use actix_web::cookie::{Cookie, SameSite, time::Duration};
use domain::organization::{OrganizationField, OrganizationQuery};
use domain::page::PageRequest;

use crate::answer;
use crate::assets;
use crate::error::PageError;
use crate::language::{self, Language};
use crate::request::{Asked, Visit};
use crate::routes::{Page, Takes};

pub(crate) const PAGES: &[Page] = &[
    Page::get("/", Takes::AnyUser(|visit| Box::pin(start(visit)))),
    Page::post("/language", Takes::Anybody(|asked| Box::pin(ready(choose_language(&asked))))),
    Page::get("/assets/{hash}/{name}", Takes::Anybody(assets::send)),
];

/// How long a browser keeps the choice of language.
const LANGUAGE_KEPT: Duration = Duration::days(365);

/// Leads to where the day begins: the calls of the one organization, or of the last one.
async fn start(visit: Visit) -> Result<HttpResponse, PageError> {
    if let Some(organization) = &visit.organization {
        return Ok(answer::see(&format!("/o/{}/calls", organization.id)));
    }
    let query = OrganizationQuery {
        page: PageRequest { number: 1, size: 2 },
        sort: OrganizationField::CreatedAt,
        descending: false,
        search: None,
    };
    let found = visit.service.organizations.page(visit.user.scope(), &query).await?;
    Ok(match found.items.as_slice() {
        [only] => answer::see(&format!("/o/{}/calls", only.id)),
        _ => answer::see("/organizations"),
    })
}

/// Keeps the language in the browser, and goes back to the page where it was chosen.
fn choose_language(asked: &Asked) -> Result<HttpResponse, PageError> {
    let language = asked.form.text("language").and_then(Language::parse).ok_or(PageError::BadForm)?;
    let mut answer = answer::see(local(asked.form.text("back").unwrap_or("/")));
    let cookie = Cookie::build(language::COOKIE, language.tag()).path("/").max_age(LANGUAGE_KEPT);
    answer
        .add_cookie(&cookie.http_only(true).same_site(SameSite::Lax).finish())
        .map_err(|_| PageError::Internal("a cookie could not be set"))?;
    Ok(answer)
}

/// A path of this site; whatever could lead elsewhere leads to the start.
pub(crate) fn local(path: &str) -> &str {
    let plain = path.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    if plain && path.starts_with('/') && !path.starts_with("//") { path } else { "/" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_of_this_site_are_gone_back_to() {
        for path in ["/", "/o/1/calls?from=2026-11-20#x"] {
            assert_eq!(local(path), path);
        }
        for path in
            ["//evil.example", "/\\evil.example", "https://evil.example", "calls", "", "/\t/evil", "/é"]
        {
            assert_eq!(local(path), "/", "{path:?}");
        }
    }
}
