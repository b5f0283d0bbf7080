//! Coming in: signing in and out, accepting an invitation, the first set-up.

mod invitation;
mod set_up;
mod sign_in;
mod sign_out;
mod words;

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{RETRY_AFTER, USER_AGENT};
use askama::Template;
use domain::secret::Secret;
use domain::session::NewSession;

use crate::answer;
use crate::error::PageError;
use crate::layout::Layout;
use crate::request::Asked;
use crate::routes::{Page, Takes};
use crate::session::{self, SessionSecret};

pub(crate) use words::weak;

pub(crate) const PAGES: &[Page] = &[
    Page::get("/sign-in", Takes::Anybody(|asked| Box::pin(sign_in::show(asked)))),
    Page::post("/sign-in", Takes::Anybody(|asked| Box::pin(sign_in::take(asked)))),
    Page::post("/sign-out", Takes::AnyUser(|visit| Box::pin(sign_out::here(visit)))),
    Page::post("/sign-out-everywhere", Takes::AnyUser(|visit| Box::pin(sign_out::everywhere(visit)))),
    Page::get("/invitation/{secret}", Takes::Anybody(|asked| Box::pin(invitation::show(asked)))),
    Page::post("/invitation/{secret}", Takes::Anybody(|asked| Box::pin(invitation::take(asked)))),
    Page::get("/set-up/{secret}", Takes::Anybody(|asked| Box::pin(set_up::show(asked)))),
    Page::post("/set-up/{secret}", Takes::Anybody(|asked| Box::pin(set_up::take(asked)))),
];

/// When passwords cannot be hashed at once, it is worth trying again after so long.
const BUSY_WAIT: Duration = Duration::from_secs(5);

/// What went wrong with a form as a whole: told above it.
#[derive(Default)]
pub(crate) struct Trouble {
    status: Option<StatusCode>,
    wait: Option<Duration>,
    text: String,
}

impl Trouble {
    /// Something about what was typed.
    pub(crate) fn wrong(text: &str) -> Self {
        Self { status: Some(StatusCode::UNPROCESSABLE_ENTITY), wait: None, text: text.to_owned() }
    }

    /// Too many tries.
    pub(crate) fn wait(asked: &Asked, wait: Duration) -> Self {
        let text = words::too_many(asked.language, wait);
        Self { status: Some(StatusCode::TOO_MANY_REQUESTS), wait: Some(wait), text }
    }

    /// Too much to hash.
    pub(crate) fn busy(asked: &Asked) -> Self {
        let text = words::of(asked.language).busy.to_owned();
        Self { status: Some(StatusCode::SERVICE_UNAVAILABLE), wait: Some(BUSY_WAIT), text }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The page with its status, and with the time to wait.
    pub(crate) fn page(&self, template: &impl Template) -> Result<HttpResponse, PageError> {
        let mut answer = answer::page_with(self.status.unwrap_or(StatusCode::OK), template)?;
        if let Some(wait) = self.wait {
            answer.headers_mut().insert(RETRY_AFTER, whole_seconds(wait).into());
        }
        Ok(answer)
    }
}

/// Rounded up: whoever waits so long need not wait again.
pub(super) fn whole_seconds(wait: Duration) -> u64 {
    wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
}

/// Whether a password can be typed here without anybody reading it on the way: by TLS, or on the
/// machine itself. An address of this machine in front of a proxy is asked for by another name.
fn is_private(asked: &Asked) -> bool {
    let host = asked.http.connection_info().host().to_owned();
    let name = host
        .rsplit_once(':')
        .filter(|(_, port)| port.parse::<u16>().is_ok())
        .map_or(&*host, |(name, _)| name);
    let name = name.trim_start_matches('[').trim_end_matches(']');
    let own = name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    asked.dashboard.front.encrypted || (own && asked.address().is_some_and(|from| from.is_loopback()))
}

/// Whose tries are counted; nobody's address is as good as another.
pub(crate) fn origin(asked: &Asked) -> IpAddr {
    asked.address().unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED))
}

/// A password field as it was typed.
pub(crate) fn password(asked: &Asked, name: &str) -> Secret<String> {
    Secret::new(asked.form.raw(name).unwrap_or_default().to_owned())
}

/// A session that nobody had before: whatever cookie came with the request is worth nothing.
fn fresh_session(asked: &Asked) -> (SessionSecret, NewSession) {
    let secret = SessionSecret::draw(asked.service.entropy.as_ref());
    let agent = asked.http.headers().get(USER_AGENT).and_then(|agent| agent.to_str().ok());
    let session = NewSession::new(secret.digest(), asked.address(), agent, asked.now());
    (secret, session)
}

/// Leads on with the new session in a cookie; the one that the browser had ends.
async fn admit(asked: &Asked, secret: &SessionSecret, path: &str) -> Result<HttpResponse, PageError> {
    if let Some(earlier) = SessionSecret::of(&asked.http).map(|earlier| earlier.digest())
        && let Some(found) = asked.service.sessions.find(earlier, asked.now()).await?
    {
        asked.write(async move |service| service.sessions.end(found.user.id, earlier).await).await??;
    }
    asked.welcome(secret);
    with_cookie(answer::see(path), &secret.cookie())
}

fn with_cookie(
    mut answer: HttpResponse,
    cookie: &actix_web::cookie::Cookie<'_>,
) -> Result<HttpResponse, PageError> {
    answer.add_cookie(cookie).map_err(|_| PageError::Internal("a cookie could not be set"))?;
    Ok(answer)
}

/// Takes the session out of the browser, and leads to the sign-in.
fn leave() -> Result<HttpResponse, PageError> {
    with_cookie(answer::see("/sign-in"), &session::forgotten())
}

#[derive(Template)]
#[template(path = "entrance/told.html")]
struct Told {
    layout: Layout,
    title: &'static str,
    text: &'static str,
    link: (&'static str, &'static str),
}

/// The page that tells that passwords are not taken here.
fn needs_tls(asked: &Asked) -> Result<HttpResponse, PageError> {
    let words = words::of(asked.language);
    let layout = Layout::bare(asked.language, words.tls_title);
    let template = Told { layout, title: words.tls_title, text: words.tls_text, link: ("", "") };
    answer::page_with(StatusCode::FORBIDDEN, &template)
}

/// The page that tells that a link works no more.
fn gone(asked: &Asked, title: &'static str, text: &'static str) -> Result<HttpResponse, PageError> {
    let words = words::of(asked.language);
    let layout = Layout::bare(asked.language, title);
    let template = Told { layout, title, text, link: ("/sign-in", words.to_sign_in) };
    answer::page_with(StatusCode::NOT_FOUND, &template)
}
