//! What the operator sets up.

use async_trait::async_trait;
use diesel_async::AsyncConnection;
use domain::assistant::{Assistant, ProviderKey, ProviderRole};
use domain::callback::SigningSecrets;
use domain::ids::{AssistantId, NewId, OrganizationId, TenantId};
use domain::organization::Tenant;
use domain::ports::{Provisioning, ProvisioningError, StoreUnavailable};
use domain::secret::Secret;
use domain::trunk::{Number, Trunk};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::assistants;
use crate::failure::Failure;
use crate::rows::password_place;
use crate::signing_secrets;
use crate::statement::{Statement, row, statement};
use crate::store::Store;

pub(crate) const ADD_TENANT: &str = "INSERT INTO tenants (id, name, created_at) VALUES ($1, $2, $3)";

const DELETE_ORGANIZATION: &str = "
UPDATE organizations SET deleted_at = $2, updated_at = $2 WHERE id = $1 AND deleted_at IS NULL
RETURNING id, tenant_id";

const ADD_TRUNK: &str = "
INSERT INTO trunks (id, tenant_id, name, host, port, transport, username, password, register,
    from_domain, default_country, wideband, srtp, guarded, max_calls, calls_per_second, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16,
    $17)";

const ADD_LINES: &str =
    "INSERT INTO trunk_lines (trunk_id, line) SELECT $1, line FROM generate_series(1, $2) AS line";

const LIVE_ORGANIZATION: &str =
    "SELECT id, tenant_id FROM organizations WHERE id = $1 AND deleted_at IS NULL FOR KEY SHARE";

const ADD_NUMBER: &str = "
INSERT INTO numbers (id, tenant_id, organization_id, trunk_id, number, created_at)
VALUES ($1, $2, $3, $4, $5, $6)";

row! {
    /// An organization that was looked for.
    Found { id: Uuid, tenant_id: Uuid }
}

#[async_trait]
impl Provisioning for Store {
    async fn add_tenant(&self, tenant: Tenant) -> Result<(), ProvisioningError> {
        let query = statement(ADD_TENANT).bind(tenant.id.uuid()).bind(tenant.name).bind(tenant.created_at);
        self.all_or_nothing(vec![query], "tenant").await
    }

    async fn delete_organization(
        &self,
        id: OrganizationId,
        at: OffsetDateTime,
    ) -> Result<(), ProvisioningError> {
        let found = self.write::<Found>(statement(DELETE_ORGANIZATION).bind(id.uuid()).bind(at)).await;
        or_unknown(found.map(|rows| !rows.is_empty()), "organization")
    }

    async fn add_trunk(&self, trunk: Trunk) -> Result<(), ProvisioningError> {
        if trunk.credentials.is_some() {
            self.may_seal().await.map_err(StoreUnavailable::from)?;
        }
        let lines = statement(ADD_LINES).bind(trunk.id.uuid()).bind(i64::from(trunk.max_calls.unwrap_or(0)));
        let adding = trunk_statement(self, trunk).map_err(StoreUnavailable::from)?;
        self.all_or_nothing(vec![adding, lines], "tenant").await
    }

    async fn add_number(&self, number: Number) -> Result<(), ProvisioningError> {
        let organization = number.organization;
        let make = |tenant: TenantId| {
            Ok(vec![
                statement(ADD_NUMBER)
                    .bind(number.id.uuid())
                    .bind(tenant.uuid())
                    .bind(organization.uuid())
                    .bind(number.trunk.uuid())
                    .bind(number.number.as_str().to_owned())
                    .bind(number.created_at),
            ])
        };
        self.within_organization(organization, make, "trunk").await
    }

    async fn add_assistant(&self, assistant: Assistant) -> Result<(), ProvisioningError> {
        if assistants::has_stored_key(&assistant) {
            self.may_seal().await.map_err(StoreUnavailable::from)?;
        }
        let organization = assistant.organization;
        let make = |tenant: TenantId| assistants::adding(self, &assistant, tenant);
        self.within_organization(organization, make, "team").await
    }

    async fn assistant(&self, id: AssistantId) -> Result<Option<Assistant>, StoreUnavailable> {
        assistants::read(self, id).await
    }

    async fn assistants_of(&self, organization: OrganizationId) -> Result<Vec<Assistant>, ProvisioningError> {
        assistants::of_organization(self, organization).await
    }

    async fn revise_assistant(&self, revised: Assistant) -> Result<Assistant, ProvisioningError> {
        assistants::revise(self, revised).await
    }

    async fn set_provider_key(
        &self,
        id: AssistantId,
        role: Option<ProviderRole>,
        key: ProviderKey,
    ) -> Result<Assistant, ProvisioningError> {
        assistants::set_provider_key(self, id, role, key).await
    }

    async fn signing_secrets(
        &self,
        id: OrganizationId,
        now: OffsetDateTime,
    ) -> Result<SigningSecrets, ProvisioningError> {
        signing_secrets::read(self, id, now).await
    }

    async fn rotate_signing_secret(
        &self,
        id: OrganizationId,
        fresh: Secret<Vec<u8>>,
        overlap_until: OffsetDateTime,
    ) -> Result<(), ProvisioningError> {
        signing_secrets::rotate(self, id, fresh, overlap_until).await
    }
}

impl Store {
    /// Runs statements together; a reference to nothing is a missing `owner`.
    async fn all_or_nothing(
        &self,
        statements: Vec<Statement>,
        owner: &'static str,
    ) -> Result<(), ProvisioningError> {
        let done = self
            .with(async |connection| {
                connection
                    .transaction::<_, Failure, _>(async |connection| {
                        for statement in statements {
                            statement.run(connection).await?;
                        }
                        Ok(true)
                    })
                    .await
            })
            .await;
        or_unknown(done, owner)
    }

    /// Runs statements within a live organization, whose tenant they are told.
    async fn within_organization(
        &self,
        organization: OrganizationId,
        make: impl FnOnce(TenantId) -> Result<Vec<Statement>, Failure> + Send,
        reference: &'static str,
    ) -> Result<(), ProvisioningError> {
        let done = self
            .with(async |connection| {
                connection
                    .transaction::<_, Failure, _>(async |connection| {
                        let query = statement(LIVE_ORGANIZATION).bind(organization.uuid());
                        let found = query.rows::<Found>(connection).await?.into_iter().next();
                        let Some(found) = found else { return Ok(false) };
                        for statement in make(TenantId::from_uuid(found.tenant_id))? {
                            statement.run(connection).await?;
                        }
                        Ok(true)
                    })
                    .await
            })
            .await;
        match done {
            Err(failure) if failure.is_foreign_key() => Err(ProvisioningError::Unknown(reference)),
            other => or_unknown(other, "organization"),
        }
    }
}

/// Tells a missing thing from a failing store.
pub(crate) fn or_unknown(found: Result<bool, Failure>, what: &'static str) -> Result<(), ProvisioningError> {
    match found {
        Ok(true) => Ok(()),
        Ok(false) => Err(ProvisioningError::Unknown(what)),
        Err(failure) if failure.is_foreign_key() => Err(ProvisioningError::Unknown(what)),
        Err(failure) => Err(StoreUnavailable::from(failure).into()),
    }
}

/// A `UUIDv7` for a row that the domain has no name for.
pub(crate) fn new_id(now: OffsetDateTime) -> Result<Uuid, Failure> {
    let mut random = [0; 10];
    getrandom::fill(&mut random).map_err(|_| Failure::Refused("no random bytes"))?;
    Ok(OrganizationId::from(NewId::at(now, random)).uuid())
}

fn trunk_statement(store: &Store, trunk: Trunk) -> Result<Statement, Failure> {
    let id = trunk.id.uuid();
    let (username, password) = match trunk.credentials {
        Some(credentials) => {
            let sealed = store
                .key()
                .seal(password_place(id), credentials.password.reveal().as_bytes())
                .map_err(|_| Failure::Refused("the password could not be encrypted"))?;
            (Some(credentials.username), Some(sealed))
        }
        None => (None, None),
    };
    Ok(statement(ADD_TRUNK)
        .bind(id)
        .bind(trunk.tenant.uuid())
        .bind(trunk.name)
        .bind(trunk.address.host)
        .bind(trunk.address.port.map(i32::from))
        .bind(trunk.transport.as_str())
        .bind(username)
        .bind(password)
        .bind(trunk.register)
        .bind(trunk.from_domain)
        .bind(trunk.default_country.map(|code| code.as_str().to_owned()))
        .bind(trunk.wideband)
        .bind(trunk.srtp.as_str())
        .bind(trunk.guarded)
        .bind(trunk.max_calls.map(i64::from))
        .bind(trunk.calls_per_second.map(i64::from))
        .bind(trunk.created_at))
}
