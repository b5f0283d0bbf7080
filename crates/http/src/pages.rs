//! Pages for people, which are served on the interface's sockets and made elsewhere.

use std::sync::Arc;

use actix_web::http::Method;
use actix_web::http::header::ACCEPT;
use actix_web::web::ServiceConfig;
use actix_web::{HttpRequest, HttpResponse};

type Configure = dyn Fn(&mut ServiceConfig) + Send + Sync;
type Lost = dyn Fn(&HttpRequest) -> HttpResponse + Send + Sync;

/// The pages: they are not counted against the interface's rate limits. Their requests carry the
/// client's address as an [`IpAddr`](std::net::IpAddr) among their extensions.
#[derive(Clone)]
pub struct Pages {
    configure: Arc<Configure>,
    lost: Option<Arc<Lost>>,
}

impl Pages {
    /// Enters pages by `configure`; `lost` answers browsers whose path leads nowhere.
    pub fn new(
        configure: impl Fn(&mut ServiceConfig) + Send + Sync + 'static,
        lost: impl Fn(&HttpRequest) -> HttpResponse + Send + Sync + 'static,
    ) -> Self {
        Self { configure: Arc::new(configure), lost: Some(Arc::new(lost)) }
    }

    /// The interface alone.
    pub fn none() -> Self {
        Self { configure: Arc::new(|_| {}), lost: None }
    }

    pub(crate) fn configure(&self, app: &mut ServiceConfig) {
        (self.configure)(app);
    }

    /// The answer for a browser outside of the interface's paths; none for everybody else.
    pub(crate) fn lost(&self, request: &HttpRequest) -> Option<HttpResponse> {
        let lost = self.lost.as_ref()?;
        let accept = request.headers().get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let reading = matches!(*request.method(), Method::GET | Method::HEAD);
        let browsing = reading && accept.contains("text/html") && !request.path().starts_with("/api/");
        browsing.then(|| lost(request))
    }
}
