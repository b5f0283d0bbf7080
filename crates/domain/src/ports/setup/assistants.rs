//! The assistants of organizations.

use async_trait::async_trait;

use super::{Added, SetupError};
use crate::assistant::{Assistant, ProviderRole};
use crate::audit::Deed;
use crate::ids::{AssistantId, OrganizationId};
use crate::page::PageRequest;
use crate::ports::{ReviseError, Seen, StoreUnavailable};
use crate::scope::Reach;
use crate::secret::Secret;

/// The assistants. One that is retired is no longer found here, and places no more calls; the calls
/// that it has had keep naming it.
#[async_trait]
pub trait Assistants: Send + Sync {
    /// Adds an assistant to a live organization; the tenant is taken from the organization.
    async fn add_assistant(
        &self,
        reach: Reach,
        assistant: Assistant,
        deed: Deed,
    ) -> Result<Added, SetupError>;

    /// An assistant, also of a deleted organization.
    async fn assistant(&self, reach: Reach, id: AssistantId) -> Result<Option<Assistant>, StoreUnavailable>;

    /// A page of an organization's assistants, also of a deleted one's, by name and then by id.
    async fn assistants_of(
        &self,
        reach: Reach,
        organization: OrganizationId,
        page: PageRequest,
    ) -> Result<Vec<Assistant>, SetupError>;

    /// Puts `revised` in the place of the assistant with its id, by [`Assistant::succeed`], if the
    /// organization is live and it is still what was `seen`, if anything was; answers what stands there
    /// now. Calls that go on keep what they began with.
    async fn revise_assistant(
        &self,
        reach: Reach,
        revised: Assistant,
        seen: Option<Seen<Assistant>>,
        deed: Deed,
    ) -> Result<Assistant, ReviseError>;

    /// Stores a key for one provider of an assistant, or for all of them, by
    /// [`Assistant::set_provider_key`], if the organization is live; `None` forgets it.
    async fn set_provider_key(
        &self,
        reach: Reach,
        id: AssistantId,
        role: Option<ProviderRole>,
        key: Option<Secret<String>>,
        deed: Deed,
    ) -> Result<Assistant, SetupError>;

    /// Takes an assistant out of use; `false` when there is none. Calls that go on are not touched.
    async fn retire_assistant(
        &self,
        reach: Reach,
        id: AssistantId,
        deed: Deed,
    ) -> Result<bool, StoreUnavailable>;
}
