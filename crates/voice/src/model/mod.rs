//! The language model that reads calls afterwards: `chat/completions` with an answer of a given form.

mod answer;
mod manner;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use domain::assistant::{BoundKey, Provider, ProviderKey};
use domain::network::AddressPolicy;
use domain::ports::{AgentFailure, LanguageModel, ModelError, Prompt};
use egress::{Resolve, SystemResolver, WayOut};
use hyper::StatusCode;
use parking_lot::Mutex;
use rustls::ClientConfig;
use serde_json::Value;
use tokio::time::timeout;
use url::Url;

use self::manner::Manner;
use crate::provider::{Client, Fault, Limits, Service};

/// The longest answer, in bytes.
const LONGEST_ANSWER: usize = 1024 * 1024;

/// Where the model is, and how it is asked.
#[derive(Clone, Debug)]
pub struct ModelSettings {
    /// The base of its endpoints, such as `https://host/v1`.
    pub endpoint: Url,
    /// Its name.
    pub model: String,
    /// Its key, if it needs one.
    pub key: Option<BoundKey>,
    /// How long one question may take, over all that has to be tried for it.
    pub timeout: Duration,
    /// Which addresses may be connected to.
    pub policy: AddressPolicy,
    /// Whom to trust; ALPN is set here.
    pub tls: Arc<ClientConfig>,
}

/// The key may not be sent to the endpoint, or holds characters that no key may.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadKey(AgentFailure);

/// A language model behind `chat/completions`.
pub struct ChatModel {
    service: Service,
    limit: Duration,
    /// How the provider wants to be asked, as far as it is known.
    manner: Mutex<Manner>,
}

impl ChatModel {
    /// Makes one ready, with the system's resolver; nothing is connected before it is asked.
    pub fn new(settings: ModelSettings) -> Result<Self, BadKey> {
        Self::with_resolver(settings, Arc::new(SystemResolver::default()))
    }

    /// Makes one ready with a resolver of one's own.
    pub fn with_resolver(settings: ModelSettings, resolver: Arc<dyn Resolve>) -> Result<Self, BadKey> {
        let limit = settings.timeout;
        let way_out = WayOut::new(settings.policy, &settings.tls, resolver);
        // An answer comes as a whole, so its silence is the time that it takes.
        let client = Client::new(way_out, Limits { connect: limit, head: limit, piece: limit });
        let key = settings.key;
        let provider =
            Provider { endpoint: settings.endpoint, model: settings.model, key: ProviderKey::None };
        let find = |url: &Url| match &key {
            None => Ok(None),
            Some(key) => match key.for_endpoint(url) {
                Ok(key) => Ok(Some(key.clone())),
                Err(refused) => Err(AgentFailure::Credential(refused.to_string())),
            },
        };
        let service = Service::new(client, &provider, "chat/completions", find).map_err(BadKey)?;
        Ok(Self { service, limit, manner: Mutex::new(Manner::default()) })
    }

    /// Asks in the manner that is known to work, and learns another where it no longer does.
    async fn ask(&self, prompt: &Prompt) -> Result<Value, ModelError> {
        let mut manner = *self.manner.lock();
        loop {
            let refused = match self.ask_in(manner, prompt).await {
                Ok(answer) => {
                    *self.manner.lock() = manner;
                    return answer::read(&answer).map_err(|unusable| ModelError::Unusable(unusable.into()));
                }
                Err(Fault::Rejected(status, why)) => (status, why),
                Err(fault @ Fault::Malformed(_)) => return Err(ModelError::Unusable(fault.into())),
                Err(fault) => return Err(ModelError::Unavailable(fault.into())),
            };
            let (status, why) = refused;
            let is_about_request =
                matches!(status, StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY);
            match manner.without_what(&String::from_utf8_lossy(&why)).filter(|_| is_about_request) {
                Some(simpler) => manner = simpler,
                // A prompt that is too long will not fit later either.
                None if is_about_request || status == StatusCode::PAYLOAD_TOO_LARGE => {
                    return Err(ModelError::Unusable(Fault::Rejected(status, why).into()));
                }
                // A path or a model that is not there may be put right.
                None => return Err(ModelError::Unavailable(Fault::Rejected(status, why).into())),
            }
        }
    }

    async fn ask_in(&self, manner: Manner, prompt: &Prompt) -> Result<bytes::Bytes, Fault> {
        let body = manner.request(self.service.model(), prompt);
        let mut reply = self.service.ask(&body, "application/json").await?;
        reply.all(LONGEST_ANSWER).await
    }
}

#[async_trait]
impl LanguageModel for ChatModel {
    fn name(&self) -> &str {
        self.service.model()
    }

    async fn complete(&self, prompt: &Prompt) -> Result<Value, ModelError> {
        let stalled = |_| Err(ModelError::Unavailable(Fault::Stalled.into()));
        timeout(self.limit, self.ask(prompt)).await.unwrap_or_else(stalled)
    }
}

impl fmt::Debug for ChatModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChatModel").field("service", &self.service).finish_non_exhaustive()
    }
}
