//! Settings of what assistants are made of, and of the model that writes about their calls.

use std::path::PathBuf;

use domain::assistant::listed;
use domain::network::{AddressPolicy, Network, WebProtocol};
use url::Url;

use super::check;
use super::credentials::{NEW_FORM, NamedCredential};
use super::known::Reader;
use super::layers::CREDENTIALS;
use crate::environment::Environment;

/// The AI engines' settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Engines {
    /// `ENGINES__ALLOWED_NETWORKS`: exempt from the address guard.
    pub allowed_networks: Vec<Network>,
    /// `ENGINES__CREDENTIALS__*`: keys of the operator's, for assistants of some tenants at some origins.
    pub credentials: Vec<NamedCredential>,
    /// `ENGINES__TLS__AUTHORITIES`: further certificate authorities (PEM) that providers may have.
    pub authorities: Option<PathBuf>,
}

/// The language model that writes about calls; it is asked at `chat/completions` under its endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Analysis {
    /// `ANALYSIS__ENDPOINT`.
    pub endpoint: Url,
    /// `ANALYSIS__MODEL`: without one there is no analysis by a model.
    pub model: String,
    /// `ANALYSIS__CREDENTIAL`: one of the engines' credentials, which covers the endpoint; none when
    /// the model needs no key. Its tenants do not matter, as the operator alone chooses this endpoint.
    pub credential: Option<NamedCredential>,
}

/// Where a model is asked when nobody says where.
const USUAL_ENDPOINT: &str = "https://api.openai.com/v1";

impl Reader<'_> {
    pub(super) fn engines(&mut self, environment: &Environment) -> Engines {
        self.refuse_former("engines.key_variables", NEW_FORM);
        Engines {
            allowed_networks: self.many("engines.allowed_networks", &check::NETWORK),
            credentials: self.credentials(environment),
            authorities: self.one_or_none("engines.tls.authorities", &check::FILE),
        }
    }

    /// Refuses a setting of earlier releases, whose value is not repeated: it may be a key.
    fn refuse_former(&mut self, path: &str, new_form: &str) {
        self.knows_if_written(path);
        if self.is_set(path) {
            self.refuse_path(path, format!("is replaced by named credentials: {new_form}"));
        }
    }

    /// Whatever is set here needs a model; a model needs nothing else.
    pub(super) fn analysis(&mut self, engines: &Engines) -> Option<Analysis> {
        let (endpoint, credential) = ("analysis.endpoint", "analysis.credential");
        for former in ["analysis.key_variable", "analysis.key_file"] {
            let new_form = format!(
                "CALLWRIGHT__ANALYSIS__CREDENTIAL=OPENAI names one, which covers the endpoint; {NEW_FORM}"
            );
            self.refuse_former(former, &new_form);
        }
        let model = self.one_or_none("analysis.model", &check::WORD);
        let text = self.one_or_none(endpoint, &check::WORD);
        let named = self.one_or_none(credential, &check::CREDENTIAL);
        let policy = AddressPolicy { allowed: engines.allowed_networks.clone(), own: Vec::new() };
        let usual = text.as_deref().unwrap_or(USUAL_ENDPOINT);
        let judged = match policy.judge_endpoint(usual, WebProtocol::Http) {
            Ok(url) => Some(url),
            Err(bad) => {
                self.refuse_path(
                    endpoint,
                    format!("must be an address such as {USUAL_ENDPOINT}: {}", bad.as_str()),
                );
                None
            }
        };
        if model.is_none() {
            for path in
                [endpoint, credential].into_iter().filter(|path| self.is_set(path)).collect::<Vec<_>>()
            {
                self.refuse_path(path, "needs CALLWRIGHT__ANALYSIS__MODEL beside it".to_owned());
            }
        }
        let (endpoint, model) = (judged?, model?);
        let credential = match named {
            None => None,
            Some(name) => {
                let found = engines.credentials.iter().find(|own| own.credential.name == name).cloned();
                match found {
                    Some(own) if own.credential.covers(&endpoint) => Some(own),
                    Some(own) => {
                        let origins = listed(&own.credential.origins);
                        let path = if text.is_some() { "analysis.endpoint" } else { credential };
                        let reason = format!("the credential {name} may only be sent to {origins}");
                        self.refuse_path(path, reason);
                        return None;
                    }
                    None => {
                        // One that was written and is bad was refused already.
                        if self.written_below(&format!("{CREDENTIALS}{name}.")).is_empty() {
                            let reason = "names no credential of ENGINES__CREDENTIALS".to_owned();
                            self.refuse_path(credential, reason);
                        }
                        return None;
                    }
                }
            }
        };
        Some(Analysis { endpoint, model, credential })
    }
}
