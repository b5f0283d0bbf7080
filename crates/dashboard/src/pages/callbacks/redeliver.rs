//! Sending a callback again by hand.

use std::time::Duration;

use actix_web::HttpResponse;
use application::deliver_callbacks::Redelivery;

use super::wanted;
use super::words::Words;
use crate::answer;
use crate::error::PageError;
use crate::request::Inside;

/// So long the answer waits for the receiver's; then the page says that the try is under way.
const PATIENCE: Duration = Duration::from_secs(4);

/// Sends it, and leads to its page, which tells what came of it.
pub(super) async fn send(inside: Inside) -> Result<HttpResponse, PageError> {
    let delivery = wanted(&inside).await?;
    let (call, deed) = (delivery.call, inside.deed());
    let begun = inside.service.redeliver.redeliver(inside.scope(), call, deed).await?;
    let came = match begun {
        Redelivery::Begun(outcome) => match tokio::time::timeout(PATIENCE, outcome).await {
            Ok(Ok(outcome)) if outcome.confirmed() => "confirmed",
            Ok(Ok(_)) => "failed",
            Ok(Err(_)) => "busy",
            Err(_) => "under-way",
        },
        Redelivery::Unknown => return Err(PageError::NotFound),
        Redelivery::Pending => "pending",
        Redelivery::UnderWay => "another",
        Redelivery::TooMany => "too-many",
    };
    Ok(answer::see(&inside.href(&format!("/callbacks/{call}?sent={came}"))))
}

/// What came of it: good news, and what was not done or not confirmed.
pub(super) fn told(inside: &Inside, words: &'static Words) -> (Option<&'static str>, Option<&'static str>) {
    match inside.query.text("sent") {
        Some("confirmed") => (Some(words.sent_confirmed), None),
        Some("under-way") => (Some(words.sent_under_way), None),
        Some("failed") => (None, Some(words.sent_failed)),
        Some("busy") => (None, Some(words.sent_busy)),
        Some("pending") => (None, Some(words.pending)),
        Some("another") => (None, Some(words.under_way)),
        Some("too-many") => (None, Some(words.too_many)),
        _ => (None, None),
    }
}
