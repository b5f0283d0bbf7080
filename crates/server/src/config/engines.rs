//! Settings of what assistants are made of, and of the model that writes about their calls.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, bail};
use domain::network::{AddressPolicy, Network, WebProtocol};
use domain::secret::Secret;
use url::Url;

use super::check;
use super::known::Reader;
use crate::environment::Environment;

/// The AI engines' settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Engines {
    /// `ENGINES__ALLOWED_NETWORKS`: exempt from the address guard.
    pub allowed_networks: Vec<Network>,
    /// `ENGINES__KEY_VARIABLES`: the environment variables that assistants may name, with their
    /// values; none for one that is not set.
    pub key_variables: BTreeMap<String, Option<Secret<String>>>,
    /// `ENGINES__TLS__AUTHORITIES`: further certificate authorities (PEM) that providers may have.
    pub authorities: Option<PathBuf>,
}

impl Engines {
    /// The variables that are set, as engines ask for them.
    pub fn keys(&self) -> BTreeMap<String, Secret<String>> {
        let set = self.key_variables.iter();
        set.filter_map(|(name, value)| Some((name.clone(), value.clone()?))).collect()
    }
}

/// The language model that writes about calls; it is asked at `chat/completions` under its endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Analysis {
    /// `ANALYSIS__ENDPOINT`.
    pub endpoint: Url,
    /// `ANALYSIS__MODEL`: without one there is no analysis by a model.
    pub model: String,
    /// What opens its door.
    pub key: AnalysisKey,
}

/// Where the key of the analysing model is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnalysisKey {
    /// None is needed.
    None,
    /// `ANALYSIS__KEY_VARIABLE`: an environment variable, with its value when it is set.
    Variable(String, Option<Secret<String>>),
    /// `ANALYSIS__KEY_FILE`: a file that holds nothing else.
    File(PathBuf),
}

impl AnalysisKey {
    /// The key; only who is about to ask the model needs it, so that other commands run without.
    pub fn read(&self) -> anyhow::Result<Option<Secret<String>>> {
        match self {
            Self::None => Ok(None),
            Self::Variable(_, Some(key)) => Ok(Some(key.clone())),
            Self::Variable(name, None) => bail!("the environment variable {name} is not set"),
            Self::File(path) => {
                let unreadable = || format!("the key file {} cannot be read", path.display());
                let text = std::fs::read_to_string(path).with_context(unreadable)?;
                let key = text.trim();
                if key.is_empty() || key.contains(char::is_control) {
                    bail!("the key file {} does not hold one line with a key", path.display());
                }
                Ok(Some(Secret::new(key.to_owned())))
            }
        }
    }
}

/// Where a model is asked when nobody says where.
const USUAL_ENDPOINT: &str = "https://api.openai.com/v1";

fn value_of(environment: &Environment, name: &str) -> Option<Secret<String>> {
    let value = environment.get(name).map(str::trim).filter(|value| !value.is_empty());
    value.map(|value| Secret::new(value.to_owned()))
}

impl Reader<'_> {
    pub(super) fn engines(&mut self, environment: &Environment) -> Engines {
        let variables = self.many("engines.key_variables", &check::VARIABLE);
        Engines {
            allowed_networks: self.many("engines.allowed_networks", &check::NETWORK),
            key_variables: variables
                .into_iter()
                .map(|name| {
                    let value = value_of(environment, &name);
                    (name, value)
                })
                .collect(),
            authorities: self.one_or_none("engines.tls.authorities", &check::FILE),
        }
    }

    /// Whatever is set here needs a model; a model needs nothing else.
    pub(super) fn analysis(&mut self, engines: &Engines, environment: &Environment) -> Option<Analysis> {
        let (endpoint, variable, file) = ("analysis.endpoint", "analysis.key_variable", "analysis.key_file");
        let model = self.one_or_none("analysis.model", &check::WORD);
        let text = self.one_or_none(endpoint, &check::WORD);
        let key_variable = self.one_or_none(variable, &check::VARIABLE);
        let key_file = self.one_or_none(file, &check::FILE);
        let key = match (key_variable, key_file) {
            (Some(_), Some(_)) => {
                self.refuse_path(file, "goes without CALLWRIGHT__ANALYSIS__KEY_VARIABLE".to_owned());
                return None;
            }
            (Some(name), None) => {
                let value = value_of(environment, &name);
                AnalysisKey::Variable(name, value)
            }
            (None, Some(path)) => AnalysisKey::File(path),
            (None, None) => AnalysisKey::None,
        };
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
                [endpoint, variable, file].into_iter().filter(|path| self.is_set(path)).collect::<Vec<_>>()
            {
                self.refuse_path(path, "needs CALLWRIGHT__ANALYSIS__MODEL beside it".to_owned());
            }
        }
        Some(Analysis { endpoint: judged?, model: model?, key })
    }
}
