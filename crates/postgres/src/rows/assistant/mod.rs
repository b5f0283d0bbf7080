//! Assistants; what is only ever read as a whole is one JSON value.

mod agent;
mod conduct;
mod keys;
mod script;
mod text;

use std::time::Duration;

use domain::assistant::{Assistant, Brain, CallLimits, Engine, Language, ProviderRole};
use domain::at_rest::AtRestKeys;
use domain::ids::{AssistantId, OrganizationId, TenantId};
use serde_json::{Value, json};
use time::OffsetDateTime;
use uuid::Uuid;

pub(crate) use text::texts;

use crate::failure::Failure;
use crate::sealing::SealingKey;
use crate::statement::{Statement, row};

row! {
    AssistantRow {
        assistant_id: Uuid,
        assistant_tenant_id: Uuid,
        assistant_organization_id: Uuid,
        assistant_name: String,
        team_name: Option<String>,
        engine: String,
        script: Option<Value>,
        agent: Option<Value>,
        language: String,
        max_duration_ms: i64,
        silence_ms: i64,
        reprompt_ms: i64,
        conduct: Value,
        assistant_variables: Value,
        realtime_key: Option<Vec<u8>>,
        chat_key: Option<Vec<u8>>,
        transcription_key: Option<Vec<u8>>,
        speech_key: Option<Vec<u8>>,
        assistant_created_at: OffsetDateTime,
    }
}

/// The columns of a joined assistant (`a`, its team `m`), as [`AssistantRow`] reads them.
macro_rules! assistant_columns {
    () => {
        "a.id AS assistant_id, a.tenant_id AS assistant_tenant_id, \
         a.organization_id AS assistant_organization_id, a.name AS assistant_name, \
         m.name AS team_name, a.engine, a.script, a.agent, a.language, a.max_duration_ms, \
         a.silence_ms, a.reprompt_ms, a.conduct, a.variables AS assistant_variables, \
         a.realtime_key, a.chat_key, a.transcription_key, a.speech_key, \
         a.created_at AS assistant_created_at"
    };
}
pub(crate) use assistant_columns;

impl AssistantRow {
    pub(crate) fn into_assistant(self, key: &SealingKey) -> Result<Assistant, Failure> {
        let broken = |why| Failure::impossible("assistants", self.assistant_id, why);
        let engine = self.engine(key)?;
        let length =
            |ms: i64| u64::try_from(ms).map(Duration::from_millis).map_err(|_| broken("a limit is negative"));
        Ok(Assistant {
            id: AssistantId::from_uuid(self.assistant_id),
            tenant: TenantId::from_uuid(self.assistant_tenant_id),
            organization: OrganizationId::from_uuid(self.assistant_organization_id),
            language: Language::parse(&self.language).ok_or_else(|| broken("the language is unknown"))?,
            limits: CallLimits {
                max_duration: length(self.max_duration_ms)?,
                silence: length(self.silence_ms)?,
                reprompt: length(self.reprompt_ms)?,
            },
            engine,
            conduct: conduct::conduct_from(&self.conduct)
                .ok_or_else(|| broken("the conduct cannot be read"))?,
            variables: text::texts_by_name(&self.assistant_variables)
                .ok_or_else(|| broken("the variables cannot be read"))?,
            name: self.assistant_name,
            team: self.team_name,
            created_at: self.assistant_created_at,
        })
    }

    fn engine(&self, key: &SealingKey) -> Result<Engine, Failure> {
        let broken = |why| Failure::impossible("assistants", self.assistant_id, why);
        let read = match (self.engine.as_str(), &self.script, &self.agent) {
            ("builtin", Some(stored), None) => script::script_from(stored).map(Engine::Builtin),
            ("realtime", None, Some(stored)) => {
                agent::realtime_from(stored, self.keys(key)?).map(|agent| Engine::Agent(Box::new(agent)))
            }
            ("cascade", None, Some(stored)) => {
                agent::cascade_from(stored, self.keys(key)?).map(|agent| Engine::Agent(Box::new(agent)))
            }
            _ => return Err(broken("the engine is unknown, or is not what is stored for it")),
        };
        read.ok_or_else(|| broken("the script or agent cannot be read"))
    }

    fn keys(&self, key: &SealingKey) -> Result<keys::Opened, Failure> {
        let open =
            |sealed: &Option<Vec<u8>>, role| keys::open(sealed.as_deref(), role, self.assistant_id, key);
        Ok(keys::Opened {
            realtime: open(&self.realtime_key, ProviderRole::Realtime)?,
            chat: open(&self.chat_key, ProviderRole::Chat)?,
            transcription: open(&self.transcription_key, ProviderRole::Transcription)?,
            speech: open(&self.speech_key, ProviderRole::Speech)?,
        })
    }
}

/// Binds what of an assistant can change, in this order: name, engine, script, agent, language,
/// limits, conduct, variables, sealed keys, team.
pub(crate) fn bind_assistant(
    statement: Statement,
    assistant: &Assistant,
    held: &AtRestKeys,
) -> Result<Statement, Failure> {
    let (engine, script, agent) = match &assistant.engine {
        Engine::Builtin(script) => ("builtin", Some(script::script_json(script)), None),
        Engine::Agent(agent) => {
            let engine = match &agent.brain {
                Brain::Realtime(_) => "realtime",
                Brain::Cascade(_) => "cascade",
            };
            (engine, None, Some(agent::agent_json(agent)))
        }
    };
    let sealed = |role| keys::sealed(assistant, role, held);
    Ok(statement
        .bind(assistant.name.clone())
        .bind(engine)
        .bind(script)
        .bind(agent)
        .bind(assistant.language.as_str())
        .bind(millis(assistant.limits.max_duration))
        .bind(millis(assistant.limits.silence))
        .bind(millis(assistant.limits.reprompt))
        .bind(conduct::conduct_json(&assistant.conduct))
        .bind(json!(assistant.variables))
        .bind(sealed(ProviderRole::Realtime)?)
        .bind(sealed(ProviderRole::Chat)?)
        .bind(sealed(ProviderRole::Transcription)?)
        .bind(sealed(ProviderRole::Speech)?)
        .bind(assistant.team.clone()))
}

fn millis(length: Duration) -> i64 {
    i64::try_from(length.as_millis()).unwrap_or(i64::MAX)
}
