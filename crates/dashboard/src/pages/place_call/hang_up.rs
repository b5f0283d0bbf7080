//! Hanging a live call up, wherever it runs.

use actix_web::HttpResponse;
use domain::ids::CallId;
use domain::scope::{Reach, Scope};

use crate::answer;
use crate::error::PageError;
use crate::request::Inside;

/// Asks for the end and goes back to the call, which shows it within seconds. A call that is over, or
/// not of this organization, is left alone: its page says which.
pub(super) async fn request(inside: Inside) -> Result<HttpResponse, PageError> {
    let call = inside.visit.id("call", CallId::parse)?;
    let reach = Reach::Within(Scope::Organization(inside.organization.tenant, inside.organization.id));
    let deed = inside.deed();
    let asking =
        inside.write(|service| async move { service.calling.nodes.request_hang_up(reach, call, deed).await });
    asking.await??;
    Ok(answer::see(&inside.href(&format!("/calls/{call}"))))
}
