//! Assistants as the operator keeps them.

use diesel_async::{AsyncConnection, AsyncPgConnection};
use domain::assistant::{Assistant, ProviderKey, ProviderRole};
use domain::ids::{AssistantId, OrganizationId, TenantId};
use domain::ports::{ProvisioningError, StoreUnavailable};

use crate::failure::Failure;
use crate::provisioning::{Found, new_id};
use crate::rows::{AssistantRow, assistant_columns, bind_assistant};
use crate::statement::{Statement, statement};
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
    " FROM assistants a LEFT JOIN teams m ON m.id = a.team_id WHERE a.id = $1"
);

const OF_ORGANIZATION: &str = concat!(
    "SELECT ",
    assistant_columns!(),
    " FROM assistants a LEFT JOIN teams m ON m.id = a.team_id WHERE a.organization_id = $1 \
      ORDER BY a.name COLLATE \"C\", a.id"
);

const ORGANIZATION: &str = "SELECT id, tenant_id FROM organizations WHERE id = $1";

const LOCK: &str = concat!(
    "SELECT ",
    assistant_columns!(),
    " FROM assistants a \
      JOIN organizations o ON o.id = a.organization_id AND o.deleted_at IS NULL \
      LEFT JOIN teams m ON m.id = a.team_id \
      WHERE a.id = $1 FOR NO KEY UPDATE OF a FOR KEY SHARE OF o"
);

const REVISE: &str = "
UPDATE assistants SET name = $3, engine = $4, script = $5, agent = $6, language = $7, max_duration_ms = $8,
    silence_ms = $9, reprompt_ms = $10, conduct = $11, variables = $12, realtime_key = $13, chat_key = $14,
    transcription_key = $15, speech_key = $16,
    team_id = (SELECT id FROM teams WHERE organization_id = $2 AND name = $17)
WHERE id = $1";

/// The statements that add an assistant, and its team when it is the first of it.
pub(crate) fn adding(
    store: &Store,
    assistant: &Assistant,
    tenant: TenantId,
) -> Result<Vec<Statement>, Failure> {
    let add = statement(ADD)
        .bind(assistant.id.uuid())
        .bind(assistant.organization.uuid())
        .bind(tenant.uuid())
        .bind(assistant.created_at);
    let mut statements: Vec<_> = team(assistant, tenant)?.into_iter().collect();
    statements.push(bind_assistant(add, assistant, store.key())?);
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

pub(crate) fn has_stored_key(assistant: &Assistant) -> bool {
    assistant.providers().iter().any(|(_, provider)| matches!(provider.key, ProviderKey::Stored(_)))
}

pub(crate) async fn read(store: &Store, id: AssistantId) -> Result<Option<Assistant>, StoreUnavailable> {
    let rows = store.read::<AssistantRow>(|| statement(READ).bind(id.uuid())).await?;
    let found = rows.into_iter().next().map(|row| row.into_assistant(store.key()));
    Ok(found.transpose()?)
}

pub(crate) async fn of_organization(
    store: &Store,
    organization: OrganizationId,
) -> Result<Vec<Assistant>, ProvisioningError> {
    let id = organization.uuid();
    let rows = store.list::<AssistantRow>(statement(OF_ORGANIZATION).bind(id)).await;
    let rows = rows.map_err(StoreUnavailable::from)?;
    if rows.is_empty() {
        let known = store.read::<Found>(|| statement(ORGANIZATION).bind(id)).await;
        if known.map_err(StoreUnavailable::from)?.is_empty() {
            return Err(ProvisioningError::Unknown("organization"));
        }
    }
    let assistants = rows.into_iter().map(|row| row.into_assistant(store.key()));
    Ok(assistants.collect::<Result<_, _>>().map_err(StoreUnavailable::from)?)
}

pub(crate) async fn revise(store: &Store, mut revised: Assistant) -> Result<Assistant, ProvisioningError> {
    if has_stored_key(&revised) {
        store.may_seal().await.map_err(StoreUnavailable::from)?;
    }
    let id = revised.id;
    change(store, id, |earlier| {
        revised.succeed(&earlier);
        Ok(revised)
    })
    .await
}

pub(crate) async fn set_provider_key(
    store: &Store,
    id: AssistantId,
    role: Option<ProviderRole>,
    key: ProviderKey,
) -> Result<Assistant, ProvisioningError> {
    if matches!(key, ProviderKey::Stored(_)) {
        store.may_seal().await.map_err(StoreUnavailable::from)?;
    }
    change(store, id, |mut assistant| {
        let found = assistant.set_provider_key(role, &key);
        found.then_some(assistant).ok_or(ProvisioningError::Unknown("provider"))
    })
    .await
}

/// Changes a live organization's assistant while nobody else does.
async fn change(
    store: &Store,
    id: AssistantId,
    decide: impl FnOnce(Assistant) -> Result<Assistant, ProvisioningError> + Send,
) -> Result<Assistant, ProvisioningError> {
    let changed = store
        .with(async |connection| {
            connection
                .transaction::<_, Failure, _>(async |connection| {
                    let rows = statement(LOCK).bind(id.uuid()).rows::<AssistantRow>(connection).await?;
                    let Some(row) = rows.into_iter().next() else {
                        return Ok(Err(ProvisioningError::Unknown("assistant")));
                    };
                    match decide(row.into_assistant(store.key())?) {
                        Ok(changed) => write(store, connection, &changed).await.map(|()| Ok(changed)),
                        refused => Ok(refused),
                    }
                })
                .await
        })
        .await;
    changed.map_err(StoreUnavailable::from)?
}

async fn write(store: &Store, connection: &AsyncPgConnection, changed: &Assistant) -> Result<(), Failure> {
    if let Some(team) = team(changed, changed.tenant)? {
        team.run(connection).await?;
    }
    let revise = statement(REVISE).bind(changed.id.uuid()).bind(changed.organization.uuid());
    bind_assistant(revise, changed, store.key())?.run(connection).await
}
