//! A call's files: the page names them by addresses that stay, and each look leads to a freshly signed one.

use actix_web::HttpResponse;
use domain::call::ArtifactKind;
use domain::ids::CallId;

use crate::answer;
use crate::error::PageError;
use crate::request::Inside;

/// `GET /o/{organization}/calls/{call}/recording`: also an hour later, when what was signed before is refused.
pub(super) async fn recording(inside: Inside) -> Result<HttpResponse, PageError> {
    lead(inside, ArtifactKind::Recording).await
}

/// `GET /o/{organization}/calls/{call}/transcript`.
pub(super) async fn transcript(inside: Inside) -> Result<HttpResponse, PageError> {
    lead(inside, ArtifactKind::Transcript).await
}

async fn lead(inside: Inside, kind: ArtifactKind) -> Result<HttpResponse, PageError> {
    let call = inside.visit.id("call", CallId::parse)?;
    let service = &inside.service;
    let story = service.board.story(inside.scope(), call).await?;
    let here = story.filter(|story| story.call.log.listing.organization == inside.organization.id);
    let story = here.ok_or(PageError::NotFound)?;
    let key = story.artifact(kind).ok_or(PageError::NotFound)?;
    let signed = service.artifacts.sign(key, service.clock.now()).await.map_err(|error| {
        let error = application::causes::causes(&error);
        tracing::warn!(%call, error, "a file's address could not be signed");
        PageError::Unavailable
    })?;
    Ok(answer::see(signed.as_str()))
}
