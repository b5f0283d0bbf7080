//! Assistants that are an AI: who they play, and which providers they are made of.

use std::collections::BTreeSet;

use domain::assistant::tool::Tool;
use domain::assistant::{
    Agent, Brain, Cascade, CredentialName, CredentialRefused, Credentials, Dialect, Persona, Provider,
    ProviderKey, ProviderRole, Realtime, TransferTarget,
};
use domain::ids::TenantId;
use domain::network::{Origin, WebProtocol};
use domain::number::E164;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::checks::{bad, name, optional_line, optional_name, text};
use super::{Allowed, BadFile};
use crate::rules::Rule;

/// The longest instructions, in characters.
const INSTRUCTIONS_MAX: usize = 32_000;
/// The most people that a call may be handed to.
const TARGETS_MAX: usize = 20;
/// The longest name of one, in characters.
const TARGET_NAME_MAX: usize = 50;

/// Where the `openai` dialect is spoken when nobody says where.
const USUAL_REALTIME: &str = "wss://api.openai.com/v1/realtime";
/// The base of the three services when nobody says where they are.
const USUAL_CASCADE: &str = "https://api.openai.com/v1";

pub(super) struct FileAgent {
    pub(super) instructions: Option<String>,
    pub(super) fallback_line: Option<String>,
    pub(super) tools: Option<Vec<String>>,
    pub(super) transfer_targets: Option<Vec<FileTarget>>,
    pub(super) realtime: Option<FileRealtime>,
    pub(super) cascade: Option<FileCascade>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileTarget {
    name: String,
    number: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileRealtime {
    dialect: Option<String>,
    voice: Option<String>,
    transcription_model: Option<String>,
    endpoint: Option<String>,
    model: String,
    credential: Option<String>,
    key_variable: Option<String>,
    key: Option<IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileCascade {
    chat: FileProvider,
    transcription: FileProvider,
    speech: FileProvider,
    voice: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileProvider {
    endpoint: Option<String>,
    model: String,
    credential: Option<String>,
    key_variable: Option<String>,
    key: Option<IgnoredAny>,
}

impl FileAgent {
    /// The keys that only an AI has, and whether they are there.
    pub(super) fn written(&self) -> [(&'static str, bool); 6] {
        [
            ("instructions", self.instructions.is_some()),
            ("fallback_line", self.fallback_line.is_some()),
            ("tools", self.tools.is_some()),
            ("transfer_targets", self.transfer_targets.is_some()),
            ("realtime", self.realtime.is_some()),
            ("cascade", self.cascade.is_some()),
        ]
    }

    pub(super) fn check(self, first_message: Option<String>, allowed: &Allowed) -> Result<Agent, BadFile> {
        let instructions = self.instructions.ok_or_else(|| bad("instructions", Rule::Instructions))?;
        let tools = tools(self.tools)?;
        let transfer_targets = targets(self.transfer_targets.unwrap_or_default())?;
        match (tools.contains(&Tool::TransferCall), transfer_targets.is_empty()) {
            (true, true) => return Err(bad("tools", Rule::TransferTargets)),
            (false, false) => return Err(bad("transfer_targets", Rule::TransferCall)),
            _ => {}
        }
        let persona = Persona {
            instructions: text("instructions", instructions, INSTRUCTIONS_MAX)?,
            first_message: optional_line("first_message", first_message)?,
            fallback_line: optional_line("fallback_line", self.fallback_line)?,
            tools,
            transfer_targets,
        };
        let brain = match (self.realtime, self.cascade) {
            (Some(realtime), None) => Brain::Realtime(realtime.check(allowed)?),
            (None, Some(cascade)) => Brain::Cascade(cascade.check(allowed)?),
            _ => return Err(bad("engine", Rule::RealtimeOrCascade)),
        };
        Ok(Agent { persona, brain })
    }
}

/// Nobody says what it may do: then it may hang up.
fn tools(named: Option<Vec<String>>) -> Result<BTreeSet<Tool>, BadFile> {
    let Some(named) = named else { return Ok(BTreeSet::from([Tool::EndCall])) };
    let all = || Tool::ALL.map(Tool::as_str).to_vec();
    let read = |name: &String| Tool::parse(name).ok_or_else(|| bad("tools", Rule::AnyOf(all())));
    named.iter().map(read).collect()
}

fn targets(listed: Vec<FileTarget>) -> Result<Vec<TransferTarget>, BadFile> {
    if listed.len() > TARGETS_MAX {
        return Err(bad("transfer_targets", Rule::AtMost(TARGETS_MAX)));
    }
    let mut names = BTreeSet::new();
    let read = |(index, target): (usize, FileTarget)| {
        let key = |part: &str| format!("transfer_targets[{}].{part}", index + 1);
        let name = name(&key("name"), &target.name)?;
        if name.chars().count() > TARGET_NAME_MAX {
            return Err(bad(&key("name"), Rule::ShortName(TARGET_NAME_MAX)));
        }
        // A model's spelling of a name is not trusted to keep its capitals.
        if !names.insert(name.to_lowercase()) {
            return Err(bad(&key("name"), Rule::Twice(name)));
        }
        let number = E164::parse(&target.number).ok_or_else(|| bad(&key("number"), Rule::E164))?;
        Ok(TransferTarget { name, number })
    };
    listed.into_iter().enumerate().map(read).collect()
}

impl FileRealtime {
    fn check(self, allowed: &Allowed) -> Result<Realtime, BadFile> {
        let dialect = match self.dialect.as_deref() {
            None => Dialect::OpenAi,
            Some(name) => Dialect::parse(name).ok_or_else(|| {
                let all = Dialect::ALL.map(Dialect::as_str).to_vec();
                bad("realtime.dialect", Rule::OneOf(all))
            })?,
        };
        let usual = (dialect == Dialect::OpenAi).then_some(USUAL_REALTIME);
        let voice = optional_name("realtime.voice", self.voice.as_deref())?;
        let transcriber = self.transcription_model.as_deref();
        let provider = FileProvider {
            endpoint: self.endpoint,
            model: self.model,
            credential: self.credential,
            key_variable: self.key_variable,
            key: self.key,
        };
        Ok(Realtime {
            provider: provider.check("realtime", usual, WebProtocol::WebSocket, allowed)?,
            dialect,
            voice,
            transcription_model: optional_name("realtime.transcription_model", transcriber)?,
        })
    }
}

impl FileCascade {
    fn check(self, allowed: &Allowed) -> Result<Cascade, BadFile> {
        let provider = |table: &str, provider: FileProvider| {
            let table = format!("cascade.{table}");
            provider.check(&table, Some(USUAL_CASCADE), WebProtocol::Http, allowed)
        };
        Ok(Cascade {
            chat: provider("chat", self.chat)?,
            transcription: provider("transcription", self.transcription)?,
            speech: provider("speech", self.speech)?,
            voice: name("cascade.voice", &self.voice)?,
        })
    }
}

impl FileProvider {
    fn check(
        self,
        table: &str,
        usual: Option<&str>,
        protocol: WebProtocol,
        allowed: &Allowed,
    ) -> Result<Provider, BadFile> {
        let key = |part: &str| format!("{table}.{part}");
        if self.key.is_some() {
            return Err(bad(&key("key"), Rule::NoKeysHere));
        }
        let endpoint = self.endpoint.as_deref().or(usual);
        let endpoint = endpoint.ok_or_else(|| bad(&key("endpoint"), Rule::EndpointNeeded))?;
        if carries_a_key(endpoint) {
            return Err(bad(&key("endpoint"), Rule::NoKeysHere));
        }
        let judged = allowed.addresses.judge_endpoint(endpoint, protocol);
        let endpoint = judged.map_err(|refused| bad(&key("endpoint"), Rule::Endpoint(refused)))?;
        // Whether the tenant may use it there is judged once the tenant is known.
        let named = match (self.credential, self.key_variable) {
            (None, None) => ProviderKey::None,
            (Some(name), None) => {
                let name = CredentialName::parse(&name);
                ProviderKey::Credential(name.ok_or_else(|| bad(&key("credential"), Rule::Credential))?)
            }
            (None, Some(name)) => ProviderKey::Variable(name),
            (Some(_), Some(_)) => return Err(bad(&key("credential"), Rule::OneKey)),
        };
        Ok(Provider { endpoint, model: name(&key("model"), &self.model)?, key: named })
    }
}

/// Refuses a key that may not be sent to its endpoint by an assistant of this tenant.
pub(super) fn judge_keys(brain: &Brain, tenant: TenantId, credentials: &Credentials) -> Result<(), BadFile> {
    for (role, provider) in brain.providers() {
        let Err(refused) = credentials.judge(tenant, provider) else { continue };
        let table = match role {
            ProviderRole::Realtime => "realtime",
            ProviderRole::Chat => "cascade.chat",
            ProviderRole::Transcription => "cascade.transcription",
            ProviderRole::Speech => "cascade.speech",
        };
        let named = match provider.key {
            ProviderKey::Variable(_) => "key_variable",
            _ => "credential",
        };
        let (part, rule) = match refused {
            // A tenant does not learn of credentials that are not for it.
            CredentialRefused::Unknown | CredentialRefused::Tenant => (named, Rule::Credential),
            CredentialRefused::Origin(origins) => {
                ("endpoint", Rule::KeyOrigins(origins.iter().map(Origin::to_string).collect()))
            }
            CredentialRefused::Stored(origin) => ("endpoint", Rule::KeyOrigins(vec![origin.to_string()])),
        };
        return Err(bad(&format!("{table}.{part}"), rule));
    }
    Ok(())
}

/// Whether the query of a URL holds what should be a stored key: some providers take theirs there.
fn carries_a_key(url: &str) -> bool {
    let query = url.split_once('?').map_or("", |(_, query)| query).to_ascii_lowercase();
    let mut names = query.split('&').map(|pair| pair.split('=').next().unwrap_or_default());
    names.any(|name| ["key", "token", "secret"].iter().any(|word| name.contains(word)))
}
