//! The TOML file that describes an assistant: the command line takes it, and the dashboard shows and
//! takes the same text.

mod agent;
mod checks;
mod conduct;
mod form;
mod misread;
mod script;
mod written;

use domain::assistant::{Assistant, CallLimits, Conduct, Credentials, Engine, Language};
use domain::ids::{AssistantId, OrganizationId, TenantId};
use domain::network::AddressPolicy;
use domain::variables::Variables;
use time::OffsetDateTime;

use crate::rules::Rule;
use form::{EngineName, File};
pub use misread::{Misread, Wanted, Wrong};
pub use written::write;

/// What the file says, ready to be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    name: String,
    team: Option<String>,
    engine: Engine,
    language: Language,
    limits: CallLimits,
    conduct: Conduct,
    variables: Variables,
}

/// What the operator lets assistants do.
#[derive(Clone, Debug, Default)]
pub struct Allowed {
    /// Where their providers may be.
    pub addresses: AddressPolicy,
    /// The credentials that they may name.
    pub credentials: Credentials,
}

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
pub enum BadFile {
    /// Not TOML, an unknown key, or a value of the wrong kind. The line itself is not repeated:
    /// somebody may have written a provider's key there.
    #[error("line {line}: {misread}")]
    Form {
        /// Where, from 1 on.
        line: usize,
        /// What is wrong.
        misread: Misread,
    },
    /// A value out of bounds, or one that does not fit the others.
    #[error("{key}: {rule}")]
    Value {
        /// The key, with its step.
        key: String,
        /// What is allowed.
        rule: Rule,
    },
}

/// Reads a file's text.
pub fn parse(text: &str, allowed: &Allowed) -> Result<Draft, BadFile> {
    let file: File = misread::read(text)?;
    file.refuse_misfits()?;
    Ok(Draft {
        name: checks::name("name", &file.name)?,
        team: file.team.as_deref().map(|team| checks::name("team", team)).transpose()?,
        language: checks::language(file.language.as_deref())?,
        limits: file.limits.check()?,
        conduct: file.conduct.check()?,
        variables: conduct::variables(file.variables)?,
        engine: match file.engine {
            EngineName::Builtin => Engine::Builtin(file.script.check(file.first_message)?),
            EngineName::Realtime | EngineName::Cascade => {
                Engine::Agent(Box::new(file.agent.check(file.first_message, allowed)?))
            }
        },
    })
}

impl Draft {
    /// Judges the keys that it names: whether `tenant` may use them, and whether they may be sent to
    /// the endpoints.
    pub fn of_tenant(self, tenant: TenantId, credentials: &Credentials) -> Result<OwnedDraft, BadFile> {
        if let Engine::Agent(agent) = &self.engine {
            agent::judge_keys(&agent.brain, tenant, credentials)?;
        }
        Ok(OwnedDraft { draft: self, tenant })
    }
}

/// What the file says, and the tenant that may store it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedDraft {
    draft: Draft,
    tenant: TenantId,
}

impl OwnedDraft {
    /// The assistant that the file describes, with what no file says.
    pub fn into_assistant(
        self,
        id: AssistantId,
        organization: OrganizationId,
        created_at: OffsetDateTime,
    ) -> Assistant {
        let Self { draft, tenant } = self;
        Assistant {
            id,
            tenant,
            organization,
            name: draft.name,
            team: draft.team,
            engine: draft.engine,
            language: draft.language,
            limits: draft.limits,
            conduct: draft.conduct,
            variables: draft.variables,
            created_at,
        }
    }
}

#[cfg(test)]
mod tests;
