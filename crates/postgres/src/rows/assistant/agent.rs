//! The stored form of an AI assistant: one JSON value that never holds a key.

use std::collections::BTreeSet;

use domain::assistant::tool::Tool;
use domain::assistant::{
    Agent, Brain, Cascade, CredentialName, Dialect, Persona, Provider, ProviderKey, Realtime, TransferTarget,
};
use domain::number::E164;
use serde_json::{Value, json};
use url::Url;

use super::keys::{Opened, OpenedKey};
use super::text::{optional_text, text};

/// The stored form.
pub(super) fn agent_json(agent: &Agent) -> Value {
    let (engine, brain) = match &agent.brain {
        Brain::Realtime(realtime) => ("realtime", realtime_json(realtime)),
        Brain::Cascade(cascade) => ("cascade", cascade_json(cascade)),
    };
    let persona = &agent.persona;
    let targets = persona.transfer_targets.iter();
    let targets: Vec<_> =
        targets.map(|target| json!({"name": target.name, "number": target.number.as_str()})).collect();
    json!({
        "instructions": persona.instructions,
        "first_message": persona.first_message,
        "fallback_line": persona.fallback_line,
        "tools": persona.tools.iter().map(|tool| tool.as_str()).collect::<Vec<_>>(),
        "transfer_targets": targets,
        engine: brain,
    })
}

fn realtime_json(realtime: &Realtime) -> Value {
    json!({
        "provider": provider_json(&realtime.provider),
        "dialect": realtime.dialect.as_str(),
        "voice": realtime.voice,
        "transcription_model": realtime.transcription_model,
    })
}

fn cascade_json(cascade: &Cascade) -> Value {
    json!({
        "chat": provider_json(&cascade.chat),
        "transcription": provider_json(&cascade.transcription),
        "speech": provider_json(&cascade.speech),
        "voice": cascade.voice,
    })
}

fn provider_json(provider: &Provider) -> Value {
    let (credential, variable) = match &provider.key {
        ProviderKey::Credential(name) => (Some(name.as_str()), None),
        ProviderKey::Variable(name) => (None, Some(name)),
        ProviderKey::None | ProviderKey::Stored(_) => (None, None),
    };
    json!({
        "endpoint": provider.endpoint.as_str(),
        "model": provider.model,
        "credential": credential,
        "variable": variable,
    })
}

/// Reads the stored form of a speech-to-speech agent.
pub(super) fn realtime_from(stored: &Value, keys: Opened) -> Option<Agent> {
    let own = stored.get("realtime")?;
    let realtime = Realtime {
        provider: provider_from(own.get("provider")?, keys.realtime)?,
        dialect: Dialect::parse(own.get("dialect")?.as_str()?)?,
        voice: optional_text(own.get("voice")).ok()?,
        transcription_model: optional_text(own.get("transcription_model")).ok()?,
    };
    Some(Agent { persona: persona_from(stored)?, brain: Brain::Realtime(realtime) })
}

/// Reads the stored form of an agent of three services.
pub(super) fn cascade_from(stored: &Value, keys: Opened) -> Option<Agent> {
    let own = stored.get("cascade")?;
    let cascade = Cascade {
        chat: provider_from(own.get("chat")?, keys.chat)?,
        transcription: provider_from(own.get("transcription")?, keys.transcription)?,
        speech: provider_from(own.get("speech")?, keys.speech)?,
        voice: text(own.get("voice"))?,
    };
    Some(Agent { persona: persona_from(stored)?, brain: Brain::Cascade(cascade) })
}

fn persona_from(stored: &Value) -> Option<Persona> {
    let tools = stored.get("tools")?.as_array()?.iter();
    let targets = stored.get("transfer_targets")?.as_array()?.iter();
    Some(Persona {
        instructions: text(stored.get("instructions"))?,
        first_message: optional_text(stored.get("first_message")).ok()?,
        fallback_line: optional_text(stored.get("fallback_line")).ok()?,
        tools: tools.map(|tool| Tool::parse(tool.as_str()?)).collect::<Option<BTreeSet<_>>>()?,
        transfer_targets: targets.map(target_from).collect::<Option<_>>()?,
    })
}

fn target_from(stored: &Value) -> Option<TransferTarget> {
    Some(TransferTarget {
        name: text(stored.get("name"))?,
        number: E164::parse(stored.get("number")?.as_str()?)?,
    })
}

/// A provider has one key: the sealed one beside it, a credential, or a variable.
fn provider_from(stored: &Value, sealed: Option<OpenedKey>) -> Option<Provider> {
    let endpoint = Url::parse(stored.get("endpoint")?.as_str()?).ok()?;
    // Assistants of earlier releases have none.
    let credential = match stored.get("credential") {
        None => None,
        named => optional_text(named).ok()?,
    };
    let key = match (credential, optional_text(stored.get("variable")).ok()?, sealed) {
        (None, None, None) => ProviderKey::None,
        (None, None, Some(key)) => key.bound(&endpoint)?,
        (Some(name), None, None) => ProviderKey::Credential(CredentialName::parse(&name)?),
        (None, Some(name), None) => ProviderKey::Variable(name),
        _ => return None,
    };
    Some(Provider { endpoint, model: text(stored.get("model"))?, key })
}
