//! Ending one of one's own sessions.

use actix_web::HttpResponse;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::session::SessionDigest;

use crate::answer;
use crate::error::PageError;
use crate::request::Visit;

/// A session's digest as text: nobody can sign in with it.
pub(super) fn handle(session: SessionDigest) -> String {
    URL_SAFE_NO_PAD.encode(session.0)
}

fn parse(handle: &str) -> Option<SessionDigest> {
    let bytes = URL_SAFE_NO_PAD.decode(handle).ok()?;
    bytes.try_into().ok().map(SessionDigest)
}

pub(super) async fn end(visit: Visit) -> Result<HttpResponse, PageError> {
    let session = visit.form.text("session").and_then(parse).ok_or(PageError::NotFound)?;
    let user = visit.user.id;
    // One that is over already is what was asked for.
    visit.write(async move |service| service.sessions.end(user, session).await).await??;
    Ok(answer::see("/account?done=session"))
}
