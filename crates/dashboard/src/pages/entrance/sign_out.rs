//! Ending one's own session, or all of them.

use actix_web::HttpResponse;

use super::leave;
use crate::error::PageError;
use crate::request::Visit;

pub(super) async fn here(visit: Visit) -> Result<HttpResponse, PageError> {
    let (user, session) = (visit.user.id, visit.session.digest());
    visit.write(async move |service| service.sessions.end(user, session).await).await??;
    leave()
}

pub(super) async fn everywhere(visit: Visit) -> Result<HttpResponse, PageError> {
    let (user, deed) = (visit.user.id, visit.deed());
    visit.write(async move |service| service.sessions.end_all(user, deed).await).await??;
    leave()
}
