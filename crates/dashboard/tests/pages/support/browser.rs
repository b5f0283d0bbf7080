//! A browser without scripts: it keeps cookies, and sends forms with the token of the page they stand on.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use reqwest::header::{COOKIE, HeaderMap, LOCATION, SET_COOKIE};
use reqwest::redirect::Policy;

/// A browser.
#[derive(Clone)]
pub(crate) struct Browser {
    client: reqwest::Client,
    address: SocketAddr,
    cookies: BTreeMap<String, String>,
    /// Sent with every request.
    pub(crate) headers: HeaderMap,
}

/// An answer, as it came.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl Shown {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// Where a redirect leads.
    pub(crate) fn location(&self) -> &str {
        self.header(LOCATION.as_str())
            .unwrap_or_else(|| panic!("{} leads nowhere: {}", self.status, self.body))
    }

    /// The token of the page's forms.
    pub(crate) fn token(&self) -> Option<&str> {
        let (_, rest) = self.body.split_once("name=\"token\" value=\"")?;
        rest.split_once('"').map(|(token, _)| token)
    }

    /// The hidden fields of the form with this action; none when there is no such form.
    pub(crate) fn hidden(&self, action: &str) -> Vec<(String, String)> {
        let own = self.body.split("<form").skip(1).map(|rest| rest.split("</form>").next().unwrap());
        // Perhaps with a query.
        let fits =
            |form: &&str| ["\"", "?"].iter().any(|end| form.contains(&format!("action=\"{action}{end}")));
        let mut own = own.filter(fits);
        let fields = own.next().unwrap_or_default().split("<input type=\"hidden\" name=\"").skip(1);
        let pair = |field: &str| {
            let (name, rest) = field.split_once("\" value=\"")?;
            Some((name.to_owned(), rest.split('"').next()?.to_owned()))
        };
        fields.filter_map(pair).collect()
    }
}

impl Browser {
    pub(crate) fn new(address: SocketAddr) -> Self {
        // Another browser of this process may have been first.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder().redirect(Policy::none()).no_proxy().build().unwrap();
        Self { client, address, cookies: BTreeMap::new(), headers: HeaderMap::new() }
    }

    /// Keeps a cookie.
    pub(crate) fn keep(&mut self, name: &str, value: &str) {
        self.cookies.insert(name.to_owned(), value.to_owned());
    }

    pub(crate) fn cookie(&self, name: &str) -> Option<&str> {
        self.cookies.get(name).map(String::as_str)
    }

    pub(crate) async fn get(&mut self, path: &str) -> Shown {
        let request = self.client.get(self.url(path));
        self.send(request).await
    }

    /// Sends fields as they are, without a token.
    pub(crate) async fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> Shown {
        let pairs: Vec<_> =
            fields.iter().map(|(name, value)| format!("{}={}", escaped(name), escaped(value))).collect();
        let request = self
            .client
            .post(self.url(path))
            .header("content-type", "application/x-www-form-urlencoded")
            .body(pairs.join("&"));
        self.send(request).await
    }

    /// Opens a page and sends a form that stands on it, with its hidden fields where others are not given.
    pub(crate) async fn submit(&mut self, page: &str, action: &str, fields: &[(&str, &str)]) -> Shown {
        let shown = self.get(page).await;
        let token = shown.token().unwrap_or_else(|| panic!("no form on {page}: {}", shown.body)).to_owned();
        let mut all = vec![("token", token.as_str())];
        all.extend_from_slice(fields);
        let hidden = shown.hidden(action);
        let given = |name: &str| all.iter().any(|(own, _)| *own == name);
        let missing: Vec<_> = hidden.iter().filter(|(name, _)| !given(name)).collect();
        all.extend(missing.into_iter().map(|(name, value)| (name.as_str(), value.as_str())));
        self.post(action, &all).await
    }

    /// Asks, and reads nothing yet but the head.
    pub(crate) async fn open(&self, path: &str) -> reqwest::Response {
        let cookies: Vec<_> = self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        self.client.get(self.url(path)).header(COOKIE, cookies.join("; ")).send().await.unwrap()
    }

    /// Asks for nothing but the head of an answer.
    pub(crate) async fn head(&self, path: &str) -> reqwest::Response {
        let cookies: Vec<_> = self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        self.client.head(self.url(path)).header(COOKIE, cookies.join("; ")).send().await.unwrap()
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    async fn send(&mut self, request: reqwest::RequestBuilder) -> Shown {
        let cookies: Vec<_> = self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let mut request = request.headers(self.headers.clone());
        if !cookies.is_empty() {
            request = request.header(COOKIE, cookies.join("; "));
        }
        let answer = request.send().await.unwrap();
        for line in answer.headers().get_all(SET_COOKIE) {
            let line = line.to_str().unwrap();
            let (name, value) = line.split(';').next().and_then(|pair| pair.split_once('=')).unwrap();
            if line.contains("Max-Age=0") {
                self.cookies.remove(name);
            } else {
                self.keep(name, value);
            }
        }
        let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
        Shown { status, headers, body: answer.text().await.unwrap() }
    }
}

fn escaped(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
}
