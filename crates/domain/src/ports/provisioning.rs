//! What the operator sets up. The one port without a scope: no HTTP endpoint reaches it.

use async_trait::async_trait;
use time::OffsetDateTime;

use super::StoreUnavailable;
use crate::assistant::{Assistant, ProviderKey, ProviderRole};
use crate::callback::SigningSecrets;
use crate::ids::{AssistantId, OrganizationId};
use crate::organization::Tenant;
use crate::secret::Secret;
use crate::trunk::{Number, Trunk};

/// Why something could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum ProvisioningError {
    /// What it belongs to does not exist, or not there.
    #[error("no such {0}")]
    Unknown(&'static str),
    /// See [`StoreUnavailable`].
    #[error(transparent)]
    Store(#[from] StoreUnavailable),
}

/// The operator's side of the store.
#[async_trait]
pub trait Provisioning: Send + Sync {
    /// Adds a tenant.
    async fn add_tenant(&self, tenant: Tenant) -> Result<(), ProvisioningError>;

    /// Soft-deletes a live organization.
    async fn delete_organization(
        &self,
        id: OrganizationId,
        at: OffsetDateTime,
    ) -> Result<(), ProvisioningError>;

    /// Adds a trunk with its lines.
    async fn add_trunk(&self, trunk: Trunk) -> Result<(), ProvisioningError>;

    /// Adds a number to an organization; its trunk must belong to the same tenant. The tenant is
    /// taken from the organization, whatever `number.tenant` says.
    async fn add_number(&self, number: Number) -> Result<(), ProvisioningError>;

    /// Adds an assistant to an organization; the tenant is taken from the organization.
    async fn add_assistant(&self, assistant: Assistant) -> Result<(), ProvisioningError>;

    /// An assistant, also of a deleted organization.
    async fn assistant(&self, id: AssistantId) -> Result<Option<Assistant>, StoreUnavailable>;

    /// The assistants of an organization, also of a deleted one, by name.
    async fn assistants_of(&self, organization: OrganizationId) -> Result<Vec<Assistant>, ProvisioningError>;

    /// Puts `revised` in the place of the assistant with its id, by [`Assistant::succeed`], if the
    /// organization is live; answers what stands there now. Calls that go on keep what they began with.
    async fn revise_assistant(&self, revised: Assistant) -> Result<Assistant, ProvisioningError>;

    /// Gives one provider of an assistant, or all of them, this key, if the organization is live.
    async fn set_provider_key(
        &self,
        id: AssistantId,
        role: Option<ProviderRole>,
        key: ProviderKey,
    ) -> Result<Assistant, ProvisioningError>;

    /// The signing secrets in force at `now`.
    async fn signing_secrets(
        &self,
        id: OrganizationId,
        now: OffsetDateTime,
    ) -> Result<SigningSecrets, ProvisioningError>;

    /// Puts a new signing secret in force; the old one signs beside it until `overlap_until`.
    async fn rotate_signing_secret(
        &self,
        id: OrganizationId,
        fresh: Secret<Vec<u8>>,
        overlap_until: OffsetDateTime,
    ) -> Result<(), ProvisioningError>;
}
