//! Keys of providers: written, and never shown again.

use actix_web::HttpResponse;
use application::{assistant_file, values};
use domain::assistant::{ProviderKey, ProviderRole};
use domain::scope::Reach;
use domain::secret::Secret;

use super::{file, named};
use crate::answer;
use crate::error::PageError;
use crate::pages::filled::Filled;
use crate::request::Inside;

/// Gives a provider a key, or takes its key away.
pub(super) async fn give(inside: Inside) -> Result<HttpResponse, PageError> {
    let own = named(&inside).await?;
    let page = inside.href(&format!("/assistants/{}", own.id));
    let role = inside.form.text("provider").and_then(ProviderRole::parse).ok_or(PageError::BadForm)?;
    let key = if inside.form.ticked("remove") {
        ProviderKey::None
    } else {
        let text = inside.form.text("key").unwrap_or_default();
        match values::provider_key(text) {
            Ok(key) => ProviderKey::Stored(Secret::new(key)),
            Err(broken) => {
                let mut filled = Filled::with(&inside, [("file", assistant_file::write(&own))]);
                filled.note("key", &broken);
                return file::form(&inside, Some(&own), super::engine(&own), filled);
            }
        }
    };
    let (reach, deed) = (Reach::Within(inside.scope()), inside.deed());
    let giving = inside.write(async move |service| {
        service.assistants.set_provider_key(reach, own.id, Some(role), key, deed).await
    });
    giving.await??;
    Ok(answer::see(&format!("{page}?done=key")))
}
