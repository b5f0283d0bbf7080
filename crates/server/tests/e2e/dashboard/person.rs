//! Somebody at the other end of a plain HTTP connection, who holds a session's cookie and reads pages.

use std::sync::Arc;

use reqwest::header::{COOKIE, SET_COOKIE};
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder};

use tokio::sync::OnceCell;

use super::asked::Ask;
use crate::support::installation::client;

/// A browser's name for a session.
pub const SESSION: &str = "__Host-callwright";

/// Somebody with the cookies that they were given.
#[derive(Clone)]
pub struct Person {
    client: Client,
    base: String,
    session: Option<String>,
    token: Arc<OnceCell<String>>,
}

/// What came back; redirects are not followed.
#[derive(Debug)]
pub struct Page {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Person {
    /// Somebody who is not signed in.
    pub fn stranger(base: &str) -> Self {
        // TLS wants its provider chosen first.
        drop(client());
        let client = Client::builder().redirect(Policy::none()).build().unwrap();
        Self { client, base: base.to_owned(), session: None, token: Arc::default() }
    }

    /// Somebody who holds a session.
    pub fn with_session(base: &str, session: &str) -> Self {
        Self { session: Some(session.to_owned()), ..Self::stranger(base) }
    }

    /// A request as a browser of ours would send it.
    fn request(&self, method: &str, target: &str) -> RequestBuilder {
        let request = self.client.request(method.parse().unwrap(), format!("{}{target}", self.base));
        let request = request.header("Accept", "text/html,application/xhtml+xml,*/*;q=0.8");
        match &self.session {
            Some(session) => request.header(COOKIE, format!("{SESSION}={session}")),
            None => request,
        }
    }

    pub async fn get(&self, target: &str) -> Page {
        Page::of(self.request("GET", target)).await
    }

    /// Sends a form as it is, with these headers.
    pub async fn post_bare(&self, target: &str, fields: &[(&str, &str)], headers: &[(&str, &str)]) -> Page {
        let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        let request = self.request("POST", target).body(body);
        let mut request = request.header("Content-Type", "application/x-www-form-urlencoded");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        Page::of(request).await
    }

    /// Sends a form with the token of the session's pages.
    pub async fn post(&self, target: &str, fields: &[(&str, &str)]) -> Page {
        let token = self.token().await;
        let mut all = vec![("token", token.as_str())];
        all.extend(fields);
        self.post_bare(target, &all, &[("Sec-Fetch-Site", "same-origin")]).await
    }

    /// Asks what the table has, forms with the session's token.
    pub async fn ask(&self, method: &str, ask: &Ask) -> Page {
        if method == "GET" {
            return self.get(&ask.target).await;
        }
        let mut fields: Vec<_> =
            ask.fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let seen = if fields.contains(&("seen", "")) { self.seen(&ask.target).await } else { String::new() };
        for field in fields.iter_mut().filter(|field| **field == ("seen", "")) {
            field.1 = &seen;
        }
        self.post(&ask.target, &fields).await
    }

    /// What a page's form was made from; something else where it does not open.
    async fn seen(&self, target: &str) -> String {
        let page = self.get(target).await.body;
        let found = page.split_once("name=\"seen\" value=\"").and_then(|(_, rest)| rest.split('"').next());
        found.unwrap_or("nothing").to_owned()
    }

    /// The token that this session's forms carry; empty for a stranger.
    pub async fn token(&self) -> String {
        if self.session.is_none() {
            return String::new();
        }
        let read = || async {
            let page = self.get("/account").await;
            page.hidden("token").unwrap_or_else(|| panic!("whoever is signed in has forms: {page:?}"))
        };
        self.token.get_or_init(read).await.clone()
    }
}

impl Page {
    /// Whether it is a page, and not a file or a way to another.
    pub fn is_page(&self) -> bool {
        self.header("content-type").is_some_and(|kind| kind.starts_with("text/html"))
    }

    async fn of(request: RequestBuilder) -> Self {
        let answer = request.send().await.unwrap();
        let status = answer.status().as_u16();
        let text =
            |value: &reqwest::header::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let headers = answer.headers().iter();
        let headers = headers.map(|(name, value)| (name.as_str().to_owned(), text(value))).collect();
        // A stream of events goes on and on.
        let kind = answer.headers().get("content-type").and_then(|kind| kind.to_str().ok());
        let is_stream = kind.is_some_and(|kind| kind.starts_with("text/event-stream"));
        let body = if is_stream { String::new() } else { answer.text().await.unwrap() };
        Self { status, headers, body }
    }

    /// A header's value, by its lower-case name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// Where a redirect leads.
    pub fn location(&self) -> &str {
        self.header("location").unwrap_or_default()
    }

    /// Whether it only says that somebody has to sign in; whoever signs out is told more.
    pub fn wants_sign_in(&self) -> bool {
        self.status == 303 && self.location().starts_with("/sign-in") && self.cookies().is_empty()
    }

    /// The cookies that it sets.
    pub fn cookies(&self) -> Vec<&str> {
        let set = self.headers.iter().filter(|(name, _)| name == SET_COOKIE.as_str());
        set.map(|(_, value)| value.as_str()).collect()
    }

    /// The value of the first hidden field of this name.
    pub fn hidden(&self, name: &str) -> Option<String> {
        let (_, rest) = self.body.split_once(&format!("name=\"{name}\" value=\""))?;
        rest.split('"').next().map(str::to_owned)
    }
}
