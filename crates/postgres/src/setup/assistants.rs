//! Assistants of organizations.

use async_trait::async_trait;
use diesel_async::{AsyncConnection, AsyncPgConnection};
use domain::assistant::{Assistant, ProviderKey, ProviderRole};
use domain::at_rest::AtRestKeys;
use domain::audit::{Action, Deed};
use domain::ids::{AssistantId, OrganizationId, TenantId};
use domain::page::PageRequest;
use domain::ports::{Added, Assistants, ReviseError, Seen, SetupError, StoreUnavailable};
use domain::scope::{Reach, Scope};
use domain::secret::Secret;
use uuid::Uuid;

use super::{Found, LIVE_ORGANIZATION, added, knows, new_id, paged};
use crate::audit::entry;
use crate::failure::Failure;
use crate::rows::{AssistantRow, assistant_columns, bind_assistant};
use crate::statement::{Statement, reached, row, statement};
use crate::store::Store;

const ADD_TEAM: &str = "
INSERT INTO teams (id, tenant_id, organization_id, name, created_at) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (organization_id, name) DO NOTHING";

const ADD: &str = "
INSERT INTO assistants (id, organization_id, tenant_id, created_at, name, engine, script, agent, language,
    max_duration_ms, silence_ms, reprompt_ms, conduct, variables, realtime_key, chat_key, transcription_key,
    speech_key, team_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
    (SELECT id FROM teams WHERE organization_id = $2 AND name = $19))";

const READ: &str = concat!(
    "SELECT ",
    assistant_columns!(),
    " FROM assistants a LEFT JOIN teams m ON m.id = a.team_id WHERE a.id = $1 AND a.retired_at IS NULL \
        AND ($2 IS NULL OR a.tenant_id = $2) AND ($3 IS NULL OR a.organization_id = $3)"
);

const OF_ORGANIZATION: &str = concat!(
    "SELECT ",
    assistant_columns!(),
    " FROM assistants a LEFT JOIN teams m ON m.id = a.team_id WHERE a.organization_id = $1 \
        AND a.retired_at IS NULL ORDER BY a.name COLLATE \"C\", a.id LIMIT $2 OFFSET $3"
);

const LOCK: &str = concat!(
    "SELECT ",
    assistant_columns!(),
    " FROM assistants a \
      JOIN organizations o ON o.id = a.organization_id AND o.deleted_at IS NULL \
      LEFT JOIN teams m ON m.id = a.team_id \
      WHERE a.id = $1 AND a.retired_at IS NULL \
        AND ($2 IS NULL OR a.tenant_id = $2) AND ($3 IS NULL OR a.organization_id = $3) \
      FOR NO KEY UPDATE OF a FOR KEY SHARE OF o"
);

const REVISE: &str = "
UPDATE assistants SET name = $3, engine = $4, script = $5, agent = $6, language = $7, max_duration_ms = $8,
    silence_ms = $9, reprompt_ms = $10, conduct = $11, variables = $12, realtime_key = $13, chat_key = $14,
    transcription_key = $15, speech_key = $16,
    team_id = (SELECT id FROM teams WHERE organization_id = $2 AND name = $17)
WHERE id = $1";

const RETIRE: &str = "
UPDATE assistants SET retired_at = $4 WHERE id = $1 AND retired_at IS NULL
    AND ($2 IS NULL OR tenant_id = $2) AND ($3 IS NULL OR organization_id = $3)
RETURNING tenant_id, organization_id, name";

row! {
    RetiredRow { tenant_id: Uuid, organization_id: Uuid, name: String }
}

#[async_trait]
impl Assistants for Store {
    async fn add_assistant(
        &self,
        reach: Reach,
        assistant: Assistant,
        deed: Deed,
    ) -> Result<Added, SetupError> {
        let keys = self.writing_keys(brings_keys(&assistant)).await?;
        let looking = reached(statement(LIVE_ORGANIZATION).bind(assistant.organization.uuid()), reach);
        let done = self
            .with(async |connection| {
                connection
                    .transaction::<_, Failure, _>(async |connection| {
                        let found = looking.rows::<Found>(connection).await?.into_iter().next();
                        let Some(owner) = found else { return Ok(false) };
                        for statement in adding(&keys, &assistant, &owner, &deed)? {
                            statement.run(connection).await?;
                        }
                        Ok(true)
                    })
                    .await
            })
            .await;
        added(done, "organization")
    }

    async fn assistant(&self, reach: Reach, id: AssistantId) -> Result<Option<Assistant>, StoreUnavailable> {
        let rows = self.read::<AssistantRow>(|| reached(statement(READ).bind(id.uuid()), reach)).await?;
        Ok(rows.into_iter().next().map(|row| row.into_assistant(self.key())).transpose()?)
    }

    async fn assistants_of(
        &self,
        reach: Reach,
        organization: OrganizationId,
        page: PageRequest,
    ) -> Result<Vec<Assistant>, SetupError> {
        knows(self, reach, organization).await?;
        let asking = paged(statement(OF_ORGANIZATION).bind(organization.uuid()), page);
        let rows = self.list::<AssistantRow>(asking).await.map_err(StoreUnavailable::from)?;
        let assistants = rows.into_iter().map(|row| row.into_assistant(self.key()));
        Ok(assistants.collect::<Result<_, _>>().map_err(StoreUnavailable::from)?)
    }

    async fn revise_assistant(
        &self,
        reach: Reach,
        mut revised: Assistant,
        seen: Option<Seen<Assistant>>,
        deed: Deed,
    ) -> Result<Assistant, ReviseError> {
        let keys = self.writing_keys(brings_keys(&revised)).await?;
        let id = revised.id;
        let succeed = |earlier: Option<Assistant>| {
            let earlier = earlier.ok_or(ReviseError::Unknown("assistant"))?;
            revised.succeed(&earlier);
            if seen.is_some_and(|seen| seen.misses(&earlier, Some(&revised))) {
                return Err(ReviseError::Overtaken);
            }
            Ok(revised)
        };
        change(self, &keys, reach, id, (Action::AssistantUpdate, &deed), succeed).await
    }

    async fn set_provider_key(
        &self,
        reach: Reach,
        id: AssistantId,
        role: Option<ProviderRole>,
        key: Option<Secret<String>>,
        deed: Deed,
    ) -> Result<Assistant, SetupError> {
        let keys = self.writing_keys(key.is_some()).await?;
        let give = |assistant: Option<Assistant>| {
            let mut assistant = assistant.ok_or(SetupError::Unknown("assistant"))?;
            let found = assistant.set_provider_key(role, key.as_ref());
            found.then_some(assistant).ok_or(SetupError::Unknown("provider"))
        };
        change(self, &keys, reach, id, (Action::ProviderKeySet, &deed), give).await
    }

    async fn retire_assistant(
        &self,
        reach: Reach,
        id: AssistantId,
        deed: Deed,
    ) -> Result<bool, StoreUnavailable> {
        let retiring = reached(statement(RETIRE).bind(id.uuid()), reach).bind(deed.at);
        let note = |row: &RetiredRow| {
            let organization = OrganizationId::from_uuid(row.organization_id);
            let within = Scope::Organization(TenantId::from_uuid(row.tenant_id), organization);
            entry(&deed, within, Action::AssistantDelete, id, Some(&row.name))
        };
        Ok(self.audited(retiring, note).await?.is_some())
    }
}

/// The statements that add an assistant, and its team when it is the first of it.
fn adding(
    keys: &AtRestKeys,
    assistant: &Assistant,
    owner: &Found,
    deed: &Deed,
) -> Result<Vec<Statement>, Failure> {
    let tenant = TenantId::from_uuid(owner.tenant_id);
    let add = statement(ADD)
        .bind(assistant.id.uuid())
        .bind(assistant.organization.uuid())
        .bind(tenant.uuid())
        .bind(assistant.created_at);
    let mut statements: Vec<_> = team(assistant, tenant)?.into_iter().collect();
    statements.push(bind_assistant(add, assistant, keys)?);
    let name = Some(assistant.name.as_str());
    statements.push(entry(deed, owner.scope(), Action::AssistantCreate, assistant.id, name)?);
    Ok(statements)
}

fn team(assistant: &Assistant, tenant: TenantId) -> Result<Option<Statement>, Failure> {
    let Some(team) = &assistant.team else { return Ok(None) };
    Ok(Some(
        statement(ADD_TEAM)
            .bind(new_id(assistant.created_at)?)
            .bind(tenant.uuid())
            .bind(assistant.organization.uuid())
            .bind(team.clone())
            .bind(assistant.created_at),
    ))
}

fn brings_keys(assistant: &Assistant) -> bool {
    assistant.providers().iter().any(|(_, provider)| matches!(provider.key, ProviderKey::Stored(_)))
}

/// Changes a live organization's assistant, if there is one, while nobody else does.
async fn change<E: From<StoreUnavailable> + Send>(
    store: &Store,
    keys: &AtRestKeys,
    reach: Reach,
    id: AssistantId,
    (action, deed): (Action, &Deed),
    decide: impl FnOnce(Option<Assistant>) -> Result<Assistant, E> + Send,
) -> Result<Assistant, E> {
    let changed = store
        .with(async |connection| {
            connection
                .transaction::<_, Failure, _>(async |connection| {
                    let looking = reached(statement(LOCK).bind(id.uuid()), reach);
                    let rows = looking.rows::<AssistantRow>(connection).await?;
                    let found = rows.into_iter().next().map(|row| row.into_assistant(store.key()));
                    match decide(found.transpose()?) {
                        Ok(changed) => {
                            write(keys, connection, &changed).await?;
                            let within = Scope::Organization(changed.tenant, changed.organization);
                            entry(deed, within, action, id, Some(&changed.name))?.run(connection).await?;
                            Ok(Ok(changed))
                        }
                        refused => Ok(refused),
                    }
                })
                .await
        })
        .await;
    changed.map_err(StoreUnavailable::from)?
}

async fn write(
    keys: &AtRestKeys,
    connection: &AsyncPgConnection,
    changed: &Assistant,
) -> Result<(), Failure> {
    if let Some(team) = team(changed, changed.tenant)? {
        team.run(connection).await?;
    }
    let revise = statement(REVISE).bind(changed.id.uuid()).bind(changed.organization.uuid());
    bind_assistant(revise, changed, keys)?.run(connection).await
}
