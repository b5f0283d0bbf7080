//! What a page is asked with: by anybody, by a signed-in user, within an organization.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use actix_web::http::Method;
use actix_web::web::{BytesMut, Payload};
use actix_web::{HttpMessage, HttpRequest};
use domain::audit::{Actor, Deed};
use domain::ids::{NewId, OrganizationId};
use domain::organization::Organization;
use domain::scope::Scope;
use domain::user::{Right, User};
use futures_util::StreamExt;
use time::OffsetDateTime;
use tokio::time::{Instant, timeout_at};
use tracing::{Instrument, Span};

use crate::error::PageError;
use crate::form::Form;
use crate::gate::{Dashboard, Service};
use crate::language::Language;
use crate::session::{SessionSecret, TOKEN_FIELD};

/// A form has to be here this long after its head.
const ARRIVAL_LIMIT: Duration = Duration::from_secs(15);

/// A request of anybody.
#[derive(Clone)]
pub(crate) struct Asked {
    pub(crate) http: HttpRequest,
    pub(crate) dashboard: Arc<Dashboard>,
    pub(crate) service: Arc<Service>,
    pub(crate) language: Language,
    /// The query's fields.
    pub(crate) query: Form,
    /// The body's fields; empty for a GET, and until it is read.
    pub(crate) form: Form,
}

impl Asked {
    /// Takes a request in, but for its body. A POST that another site's page made is refused.
    pub(crate) fn of(dashboard: Arc<Dashboard>, http: HttpRequest) -> Result<Self, PageError> {
        let service = dashboard.service()?;
        if !http.method().is_safe() && !is_from_here(&dashboard, &http) {
            return Err(PageError::ForeignForm);
        }
        let (language, query) = (Language::of(&http), Form::parse(http.query_string()));
        Ok(Self { http, dashboard, service, language, query, form: Form::default() })
    }

    /// Whether a form is being sent.
    pub(crate) fn is_form(&self) -> bool {
        !self.http.method().is_safe()
    }

    /// Reads the form, of at most so many bytes.
    pub(crate) async fn read(&mut self, payload: Payload, most: usize) -> Result<(), PageError> {
        self.form = read(&self.http, payload, most).await?;
        Ok(())
    }

    /// A part of the path.
    pub(crate) fn path(&self, name: &str) -> &str {
        self.http.match_info().get(name).unwrap_or_default()
    }

    /// The id in the path, read by its type; what is no id leads nowhere.
    pub(crate) fn id<Id>(&self, name: &str, parse: fn(&str) -> Option<Id>) -> Result<Id, PageError> {
        parse(self.path(name)).ok_or(PageError::NotFound)
    }

    /// Whether nothing but the head of the answer will be sent (HEAD).
    pub(crate) fn asks_for_the_head(&self) -> bool {
        self.http.method() == Method::HEAD
    }

    pub(crate) fn now(&self) -> OffsetDateTime {
        self.service.clock.now()
    }

    /// A fresh id.
    pub(crate) fn new_id<Id: From<NewId>>(&self) -> Id {
        let mut random = [0; 10];
        self.service.entropy.fill(&mut random);
        NewId::at(self.now(), random).into()
    }

    /// The client's address, as far as the proxies in front are believed.
    pub(crate) fn address(&self) -> Option<IpAddr> {
        self.http.extensions().get::<IpAddr>().copied()
    }

    /// Runs a use case that writes on the control runtime and waits for it: when the browser goes away
    /// meanwhile, it still goes on to its end.
    pub(crate) async fn write<T, Work>(&self, work: impl FnOnce(Arc<Service>) -> Work) -> Result<T, PageError>
    where
        T: Send + 'static,
        Work: Future<Output = T> + Send + 'static,
    {
        let task = work(Arc::clone(&self.service)).instrument(Span::current());
        match self.service.control.spawn(task).await {
            Ok(outcome) => Ok(outcome),
            Err(failure) if failure.is_panic() => Err(PageError::Internal("a use case panicked")),
            Err(_) => Err(PageError::Unavailable),
        }
    }
}

/// A request of somebody who is signed in.
#[derive(Clone)]
pub(crate) struct Visit {
    pub(crate) asked: Asked,
    pub(crate) user: User,
    pub(crate) session: SessionSecret,
    /// The organization that the navigation leads to: that of the path, or the last one.
    pub(crate) organization: Option<Organization>,
}

impl std::ops::Deref for Visit {
    type Target = Asked;

    fn deref(&self) -> &Asked {
        &self.asked
    }
}

impl Visit {
    pub(crate) fn scope(&self) -> Scope {
        self.user.scope()
    }

    /// Reads the form, which has to be one of this session's own pages.
    pub(crate) async fn read(&mut self, payload: Payload, most: usize) -> Result<(), PageError> {
        self.asked.read(payload, most).await?;
        let ours = self.form.raw(TOKEN_FIELD).is_some_and(|token| self.session.fits(token));
        if ours { Ok(()) } else { Err(PageError::ForeignForm) }
    }

    pub(crate) fn may(&self, right: Right) -> bool {
        self.user.may(right)
    }

    /// The circumstances of a change that this request makes.
    pub(crate) fn deed(&self) -> Deed {
        let actor = Actor::User(self.user.id, self.user.email.clone());
        Deed { actor, from: self.address(), at: self.now() }
    }
}

/// A request to a page of one organization, which the user reaches.
#[derive(Clone)]
pub(crate) struct Inside {
    pub(crate) visit: Visit,
    pub(crate) organization: Organization,
}

impl std::ops::Deref for Inside {
    type Target = Visit;

    fn deref(&self) -> &Visit {
        &self.visit
    }
}

impl Inside {
    pub(crate) fn id(&self) -> OrganizationId {
        self.organization.id
    }

    /// An address within the organization, e.g. `/calls`.
    pub(crate) fn href(&self, path: &str) -> String {
        format!("/o/{}{path}", self.organization.id)
    }
}

/// Whether a POST comes from a page of ours: browsers say so, and cannot be made to lie.
fn is_from_here(dashboard: &Dashboard, http: &HttpRequest) -> bool {
    let header = |name: &str| http.headers().get(name).map(|value| value.to_str().unwrap_or("?"));
    match (header("sec-fetch-site"), header("origin")) {
        (Some(site), _) => site == "same-origin",
        (None, Some(origin)) => {
            let own = dashboard.front.public_url.origin().ascii_serialization();
            let scheme = if dashboard.front.encrypted { "https" } else { "http" };
            let asked = header("host").map(|host| format!("{scheme}://{host}"));
            origin == own || Some(origin) == asked.as_deref()
        }
        // No browser of today; the form's token still has to fit.
        (None, None) => true,
    }
}

async fn read(http: &HttpRequest, mut payload: Payload, most: usize) -> Result<Form, PageError> {
    let kind = http.content_type().trim().to_ascii_lowercase();
    // A POST without fields has no kind either.
    if !kind.is_empty() && kind != "application/x-www-form-urlencoded" {
        return Err(PageError::BadForm);
    }
    let deadline = Instant::now() + ARRIVAL_LIMIT;
    let mut body = BytesMut::new();
    while let Some(chunk) = timeout_at(deadline, payload.next()).await.map_err(|_| PageError::BadForm)? {
        let chunk = chunk.map_err(|_| PageError::BadForm)?;
        if body.len().saturating_add(chunk.len()) > most {
            return Err(PageError::BadForm);
        }
        body.extend_from_slice(&chunk);
    }
    let text = std::str::from_utf8(&body).map_err(|_| PageError::BadForm)?;
    Ok(Form::parse(text))
}
