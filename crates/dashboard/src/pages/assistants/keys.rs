//! Keys of providers: written, and never shown again.

use actix_web::HttpResponse;
use application::values;
use domain::assistant::ProviderRole;
use domain::scope::Reach;
use domain::secret::Secret;

use super::{form, named};
use crate::answer;
use crate::error::PageError;
use crate::request::Inside;

/// Gives a provider a key, or takes its key away.
pub(super) async fn give(inside: Inside) -> Result<HttpResponse, PageError> {
    let own = named(&inside).await?;
    let page = inside.href(&format!("/assistants/{}", own.id));
    let role = inside.form.text("provider").and_then(ProviderRole::parse).ok_or(PageError::BadForm)?;
    let key = if inside.form.ticked("remove") {
        None
    } else {
        let text = inside.form.text("key").unwrap_or_default();
        match values::provider_key(text) {
            Ok(key) => Some(Secret::new(key)),
            Err(broken) => return form::with_bad_key(&inside, &own, &broken),
        }
    };
    let (reach, deed) = (Reach::Within(inside.scope()), inside.deed());
    let giving = inside.write(async move |service| {
        service.assistants.set_provider_key(reach, own.id, Some(role), key, deed).await
    });
    giving.await??;
    Ok(answer::see(&format!("{page}?done=key")))
}
