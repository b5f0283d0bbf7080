//! What a page is asked with: by anybody, by a signed-in user, within an organization.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use actix_web::http::Method;
use actix_web::web::{BytesMut, Payload};
use actix_web::{HttpMessage, HttpRequest};
use domain::audit::{Actor, Deed};
use domain::ids::{NewId, OrganizationId};
use domain::organization::Organization;
use domain::rate_limit::Client;
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
use crate::session::SessionSecret;

/// The largest form that is taken, in bytes.
const FORM_MAX: usize = 256 * 1024;

/// Forms that are taken from one address in a minute while nobody is known to be signed in.
pub const FORMS_MAX: u32 = 60;

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
    /// The body's fields; empty for a GET.
    pub(crate) form: Form,
}

impl Asked {
    /// Takes a request in. A POST that another site's page made is refused before its body is read, and
    /// so is one too many of `anybody`.
    pub(crate) async fn of(
        dashboard: Arc<Dashboard>,
        anybody: bool,
        http: HttpRequest,
        payload: Payload,
    ) -> Result<Self, PageError> {
        let service = dashboard.service()?;
        let form = if http.method().is_safe() {
            Form::default()
        } else {
            if !is_from_here(&dashboard, &http) {
                return Err(PageError::ForeignForm);
            }
            if anybody {
                count(&dashboard, &service, &http)?;
            }
            read(&http, payload).await?
        };
        let (language, query) = (Language::of(&http), Form::parse(http.query_string()));
        Ok(Self { http, dashboard, service, language, query, form })
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

/// Counts a form for its address, by the rule of the interface's limits.
fn count(dashboard: &Dashboard, service: &Service, http: &HttpRequest) -> Result<(), PageError> {
    let from = http.extensions().get::<IpAddr>().copied();
    let client = Client::of(from.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED)));
    let now_ms = u64::try_from(service.clock.now().unix_timestamp_nanos() / 1_000_000).unwrap_or(0);
    let verdict = dashboard.front.forms.count_now(client, FORMS_MAX, now_ms);
    if verdict.allowed {
        return Ok(());
    }
    Err(PageError::TooOften(verdict.reset_ms.saturating_sub(now_ms).div_ceil(1000).max(1)))
}

async fn read(http: &HttpRequest, mut payload: Payload) -> Result<Form, PageError> {
    let kind = http.content_type().trim().to_ascii_lowercase();
    // A POST without fields has no kind either.
    if !kind.is_empty() && kind != "application/x-www-form-urlencoded" {
        return Err(PageError::BadForm);
    }
    let deadline = Instant::now() + ARRIVAL_LIMIT;
    let mut body = BytesMut::new();
    while let Some(chunk) = timeout_at(deadline, payload.next()).await.map_err(|_| PageError::BadForm)? {
        let chunk = chunk.map_err(|_| PageError::BadForm)?;
        if body.len().saturating_add(chunk.len()) > FORM_MAX {
            return Err(PageError::BadForm);
        }
        body.extend_from_slice(&chunk);
    }
    let text = std::str::from_utf8(&body).map_err(|_| PageError::BadForm)?;
    Ok(Form::parse(text))
}
