//! Looking up what a call is placed with.

use async_trait::async_trait;

use super::StoreUnavailable;
use crate::assistant::Assistant;
use crate::ids::{AssistantId, NumberId, OrganizationId, TenantId};
use crate::scope::Scope;
use crate::trunk::{Number, Trunk};

/// An assistant and a number of one organization, with the trunk that carries their calls.
#[derive(Clone, Debug)]
pub struct Placeable {
    /// The assistant.
    pub assistant: Assistant,
    /// The number.
    pub number: Number,
    /// The number's trunk.
    pub trunk: Trunk,
    /// Whether their organization may place calls.
    pub organization_active: bool,
}

/// The directory of assistants, numbers and trunks.
#[async_trait]
pub trait Directory: Send + Sync {
    /// Finds both within `scope`, in one statement; none when either is missing, or when they
    /// belong to different organizations.
    async fn placeable(
        &self,
        scope: Scope,
        assistant: AssistantId,
        number: NumberId,
    ) -> Result<Option<Placeable>, StoreUnavailable>;

    /// Every trunk of every tenant: a node pings and registers them all.
    async fn trunks(&self) -> Result<Vec<Trunk>, StoreUnavailable>;

    /// The tenant of an organization, deleted or not.
    async fn tenant_of(&self, organization: OrganizationId) -> Result<Option<TenantId>, StoreUnavailable>;

    /// The first `limit` AI assistants of all tenants whose ids come after `after`, by id; those that
    /// are retired or of a deleted organization are left out.
    async fn agents(
        &self,
        after: Option<AssistantId>,
        limit: u32,
    ) -> Result<Vec<Assistant>, StoreUnavailable>;
}
