//! How assistants are shown: everything but the keys of their providers.

use domain::assistant::{
    Agent, Assistant, Awaited, Brain, Engine, OnVoicemail, Provider, ProviderKey, ProviderRole, Script, Step,
};
use domain::timestamp::rfc3339;
use serde_json::{Map, Value, json};

use crate::cli::output::Fields;

/// One line of a list.
pub(super) fn row(assistant: &Assistant) -> Fields {
    vec![
        ("id", json!(assistant.id.to_string())),
        ("name", json!(assistant.name)),
        ("team", json!(assistant.team)),
        ("engine", json!(engine(assistant))),
        ("language", json!(assistant.language.as_str())),
        ("createdAt", json!(rfc3339(assistant.created_at))),
    ]
}

/// What a change tells: which assistant it is now, and which keys are stored.
pub(super) fn summary(assistant: &Assistant) -> Fields {
    let keys = assistant.providers().into_iter();
    let keys: Map<String, Value> =
        keys.map(|(role, provider)| (role.as_str().to_owned(), way_in(&provider.key))).collect();
    let mut fields = row(assistant);
    fields.insert(1, ("organizationId", json!(assistant.organization.to_string())));
    if !keys.is_empty() {
        fields.push(("keys", Value::Object(keys)));
    }
    fields
}

/// The same after an update: also which providers lost their keys.
pub(super) fn update(assistant: &Assistant, lost: &[ProviderRole]) -> Fields {
    let mut fields = summary(assistant);
    if !lost.is_empty() {
        let roles: Vec<_> = lost.iter().map(|role| role.as_str()).collect();
        let notice = "an endpoint moved to another origin, so its stored key was removed; store a new one \
                      with `callwright assistant key set`";
        fields.extend([("removedKeys", json!(roles)), ("notice", json!(notice))]);
    }
    fields
}

/// All of it.
pub(super) fn whole(assistant: &Assistant) -> Fields {
    let mut fields = row(assistant);
    fields.insert(1, ("organizationId", json!(assistant.organization.to_string())));
    fields.insert(1, ("tenantId", json!(assistant.tenant.to_string())));
    match &assistant.engine {
        Engine::Builtin(script) => fields.extend(script_fields(script)),
        Engine::Agent(agent) => fields.extend(agent_fields(agent)),
    }
    let voicemail = assistant.conduct.voicemail.as_ref().map(|action| match action {
        OnVoicemail::HangUp => json!({"action": "hang-up"}),
        OnVoicemail::LeaveMessage(message) => json!({"action": "leave-message", "message": message}),
    });
    let limits = assistant.limits;
    fields.extend([
        ("record", json!(assistant.conduct.records)),
        ("recordingNotice", json!(assistant.conduct.recording_notice)),
        ("voicemail", json!(voicemail)),
        ("outcomes", json!(assistant.conduct.outcomes)),
        ("variables", json!(assistant.variables)),
        (
            "limits",
            json!({
                "maxDurationSeconds": limits.max_duration.as_secs(),
                "silenceSeconds": limits.silence.as_secs(),
                "repromptSeconds": limits.reprompt.as_secs(),
            }),
        ),
    ]);
    fields
}

fn engine(assistant: &Assistant) -> &'static str {
    match &assistant.engine {
        Engine::Builtin(_) => "builtin",
        Engine::Agent(agent) => match &agent.brain {
            Brain::Realtime(_) => "realtime",
            Brain::Cascade(_) => "cascade",
        },
    }
}

fn script_fields(script: &Script) -> Fields {
    vec![
        ("firstMessage", json!(script.first_message)),
        ("steps", script.steps.iter().map(step).collect()),
        ("closingLine", json!(script.closing_line)),
        ("reprompt", json!(script.reprompt)),
    ]
}

fn step(step: &Step) -> Value {
    let (awaited, digits) = match step.wait_for {
        Awaited::Speech => ("speech", None),
        Awaited::Digits(digits) => ("digits", Some(digits)),
        Awaited::SpeechOrDigit => ("speech-or-digit", None),
    };
    json!({"waitFor": awaited, "digits": digits, "replies": step.replies, "say": step.say})
}

fn agent_fields(agent: &Agent) -> Fields {
    let persona = &agent.persona;
    let tools = persona.tools.iter().map(|tool| json!(tool.as_str())).collect();
    let targets = persona.transfer_targets.iter();
    let targets = targets.map(|target| json!({"name": target.name, "number": target.number.as_str()}));
    let brain = match &agent.brain {
        Brain::Realtime(realtime) => {
            let mut shown = provider(&realtime.provider);
            shown.insert("dialect".to_owned(), json!(realtime.dialect.as_str()));
            shown.insert("voice".to_owned(), json!(realtime.voice));
            shown.insert("transcriptionModel".to_owned(), json!(realtime.transcription_model));
            ("realtime", Value::Object(shown))
        }
        Brain::Cascade(cascade) => {
            let services = json!({
                "chat": provider(&cascade.chat),
                "transcription": provider(&cascade.transcription),
                "speech": provider(&cascade.speech),
                "voice": cascade.voice,
            });
            ("cascade", services)
        }
    };
    vec![
        ("instructions", json!(persona.instructions)),
        ("firstMessage", json!(persona.first_message)),
        ("fallbackLine", json!(persona.fallback_line)),
        ("tools", tools),
        ("transferTargets", targets.collect()),
        brain,
    ]
}

fn provider(provider: &Provider) -> Map<String, Value> {
    let fields = [
        ("endpoint", json!(provider.endpoint.as_str())),
        ("model", json!(provider.model)),
        ("key", way_in(&provider.key)),
    ];
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Where the key is, and never the key.
fn way_in(key: &ProviderKey) -> Value {
    match key {
        ProviderKey::None => json!("none"),
        ProviderKey::Stored(_) => json!("stored"),
        ProviderKey::Credential(name) => json!(format!("credential {name}")),
        ProviderKey::Variable(name) => json!(format!("variable {name}")),
    }
}
