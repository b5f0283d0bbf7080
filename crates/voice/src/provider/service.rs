//! One service of a provider: an address, a model, and the key to its door.

use bytes::Bytes;
use domain::assistant::Provider;
use domain::ports::AgentFailure;
use domain::secret::Secret;
use http_body_util::Full;
use hyper::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST, HeaderValue, USER_AGENT};
use hyper::{Method, Request};
use url::{Position, Url};

use super::{Client, Fault, Reply};

/// How we name ourselves.
const AGENT: &str = concat!("Callwright/", env!("CARGO_PKG_VERSION"));

/// One service of a provider.
#[derive(Clone, Debug)]
pub(crate) struct Service {
    client: Client,
    url: Url,
    model: String,
    /// Marked as sensitive, so that no debugging output shows it.
    authorization: Option<HeaderValue>,
}

impl Service {
    /// The service at `path` under the provider's endpoint; `key` finds the key for its address.
    pub(crate) fn new(
        client: Client,
        provider: &Provider,
        path: &str,
        key: impl FnOnce(&Url) -> Result<Option<Secret<String>>, AgentFailure>,
    ) -> Result<Self, AgentFailure> {
        let url = below(&provider.endpoint, path);
        let key = key(&url)?;
        let authorization = match key {
            None => None,
            Some(key) => {
                let mut value = HeaderValue::from_str(&format!("Bearer {}", key.reveal().trim()))
                    .map_err(|_| "its key holds characters that no key may")?;
                value.set_sensitive(true);
                Some(value)
            }
        };
        Ok(Self { client, url, model: provider.model.clone(), authorization })
    }

    /// The model to be asked for.
    pub(crate) fn model(&self) -> &str {
        &self.model
    }

    /// Connects ahead of the first request.
    pub(crate) async fn warm(&self) -> Result<(), Fault> {
        self.client.warm(&self.url).await
    }

    /// Posts JSON.
    pub(crate) async fn ask(&self, body: &serde_json::Value, accept: &'static str) -> Result<Reply, Fault> {
        self.post("application/json", Bytes::from(body.to_string()), accept).await
    }

    /// Posts a body of any type.
    pub(crate) async fn post(&self, kind: &str, body: Bytes, accept: &'static str) -> Result<Reply, Fault> {
        let mut request = Request::builder()
            .method(Method::POST)
            .uri(&self.url[Position::BeforePath..Position::AfterQuery])
            .header(HOST, &self.url[Position::BeforeHost..Position::AfterPort])
            .header(CONTENT_TYPE, kind)
            .header(ACCEPT, accept)
            .header(USER_AGENT, AGENT);
        if let Some(authorization) = &self.authorization {
            request = request.header(AUTHORIZATION, authorization);
        }
        let request = request
            .body(Full::new(body))
            .map_err(|_| Fault::Malformed("the endpoint cannot be requested"))?;
        self.client.send(&self.url, request).await
    }
}

/// `path` under a base, whose query stays.
fn below(base: &Url, path: &str) -> Url {
    let mut url = base.clone();
    url.set_path(&format!("{}/{path}", base.path().trim_end_matches('/')));
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_lies_below_its_providers_endpoint() {
        for (base, url) in [
            ("https://api.example.com/v1", "https://api.example.com/v1/chat/completions"),
            ("https://api.example.com/v1/", "https://api.example.com/v1/chat/completions"),
            ("https://api.example.com", "https://api.example.com/chat/completions"),
            ("https://a.example/x?api-version=2", "https://a.example/x/chat/completions?api-version=2"),
        ] {
            assert_eq!(below(&Url::parse(base).unwrap(), "chat/completions").as_str(), url);
        }
    }
}
