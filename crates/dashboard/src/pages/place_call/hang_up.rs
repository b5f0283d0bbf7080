//! Hanging a live call up, wherever it runs.

use actix_web::HttpResponse;
use domain::ids::CallId;
use domain::scope::{Reach, Scope};

use super::words;
use crate::answer;
use crate::error::PageError;
use crate::layout::{Layout, Section};
use crate::pages::confirm::Confirm;
use crate::request::Inside;

/// The question that the list of calls leads to: its rows change while somebody aims at one.
pub(super) async fn ask(inside: Inside) -> Result<HttpResponse, PageError> {
    let call = inside.visit.id("call", CallId::parse)?;
    let found = inside.service.board.story(inside.scope(), call).await?;
    let here = found.filter(|story| story.call.log.listing.organization == inside.organization.id);
    let own = here.ok_or(PageError::NotFound)?.call;
    let page = inside.href(&format!("/calls/{call}"));
    if !own.state.is_live() {
        return Ok(answer::see(&page));
    }
    let words = words::of(inside.language);
    let name = own.log.user_name.filter(|name| !name.trim().is_empty());
    let confirm = Confirm {
        layout: Layout::of(&inside, Section::Calls, words.hang_up),
        title: words.hang_up,
        name: name.or(own.log.listing.user_number).unwrap_or_else(|| call.to_string()),
        text: words.hang_up_text,
        button: words.hang_up,
        action: format!("{page}/hang-up"),
        back: page,
    };
    confirm.page()
}

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
