//! Deleting a key, asked on a page of its own.

use actix_web::HttpResponse;
use askama::Template;
use domain::access::ApiKey;
use domain::ids::KeyId;
use domain::scope::Reach;

use super::Keys;
use super::words::Words;
use crate::answer;
use crate::error::PageError;
use crate::layout::Layout;
use crate::moment::Moment;

#[derive(Template)]
#[template(path = "keys/delete.html")]
struct Ask<'a> {
    layout: Layout,
    words: &'static Words,
    base: &'a str,
    id: String,
    name: String,
    used: Option<Moment>,
}

pub(super) async fn ask(keys: Keys) -> Result<HttpResponse, PageError> {
    let key = wanted(&keys).await?;
    answer::page(&Ask {
        layout: keys.layout(keys.words.delete_title),
        words: keys.words,
        base: &keys.base,
        id: key.id.to_string(),
        used: key.last_used_at.map(|at| keys.moments.short(at)),
        name: key.name,
    })
}

/// From the moment this is answered the key is refused.
pub(super) async fn delete(keys: Keys) -> Result<HttpResponse, PageError> {
    let id = wanted(&keys).await?.id;
    let (reach, deed) = (Reach::Within(keys.scope), keys.visit.deed());
    let revoking =
        keys.visit.write(move |service| async move { service.access.revoke(reach, id, deed).await });
    // One that somebody else has deleted this moment is as good as deleted.
    revoking.await??;
    Ok(answer::see(&format!("{}?done=deleted", keys.base)))
}

/// The key of the path, when it is a live one of just this scope.
async fn wanted(keys: &Keys) -> Result<ApiKey, PageError> {
    let id = keys.visit.id("key", KeyId::parse)?;
    keys.visit.service.access.live_key(keys.scope, id).await?.ok_or(PageError::NotFound)
}
