//! The organizations of a tenant, as its keys manage them.

use async_trait::async_trait;

use super::{ReviseError, Seen, StoreUnavailable};
use crate::audit::Deed;
use crate::idempotency::{Earlier, Once};
use crate::ids::OrganizationId;
use crate::organization::{Organization, OrganizationQuery, Profile, Revision};
use crate::page::Page;
use crate::scope::{Reach, Scope};
use crate::secret::Secret;

/// An organization with everything that is made together with it.
#[derive(Debug)]
pub struct NewOrganization {
    /// The organization.
    pub organization: Organization,
    /// Signs its callbacks from the first on.
    pub signing_secret: Secret<Vec<u8>>,
    /// Set when the request may come again.
    pub once: Option<Once>,
    /// Who makes it.
    pub deed: Deed,
}

/// What became of a creation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Created {
    /// It is there.
    Fresh,
    /// The request's idempotency key is taken; nothing was written. `Same` carries the organization
    /// as it was when it was created.
    Earlier(Earlier<Box<Organization>>),
}

/// Why an organization was not created.
#[derive(Debug, thiserror::Error)]
pub enum CreateOrganizationError {
    /// There is no such tenant.
    #[error("no such tenant")]
    UnknownTenant,
    /// See [`StoreUnavailable`].
    #[error(transparent)]
    Store(#[from] StoreUnavailable),
}

/// An organization beside all that the reader has access to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reachable {
    /// The organization that was asked for, deleted or not.
    pub current: Organization,
    /// Every live organization within the scope, oldest first.
    pub all: Vec<Organization>,
}

/// The organizations. Those of other tenants do not exist, and neither do others of the same tenant
/// for whoever is limited to one.
#[async_trait]
pub trait Organizations: Send + Sync {
    /// Records the organization, its signing secret and its metadata record (version 1, `{}`)
    /// together, or nothing. A twin of a request that is being recorded waits for it.
    async fn create(&self, new: NewOrganization) -> Result<Created, CreateOrganizationError>;

    /// A page of the live organizations. Equal sort values go by id, in the same direction.
    async fn page(
        &self,
        scope: Scope,
        query: &OrganizationQuery,
    ) -> Result<Page<Organization>, StoreUnavailable>;

    /// One organization, deleted or not, beside all live ones within the scope.
    async fn read(&self, scope: Scope, id: OrganizationId) -> Result<Option<Reachable>, StoreUnavailable>;

    /// One live organization that the scope covers.
    async fn find(&self, scope: Scope, id: OrganizationId) -> Result<Option<Organization>, StoreUnavailable>;

    /// Writes what the revision names into a live organization, if its profile is still what was
    /// `seen`, if anything was, and returns the result; whoever does it becomes its last modifier.
    async fn revise(
        &self,
        scope: Scope,
        id: OrganizationId,
        revision: Revision,
        seen: Option<Seen<Profile>>,
        deed: Deed,
    ) -> Result<Organization, ReviseError>;

    /// Soft-deletes a live organization; `false` when there is none. Of two at once, one is told
    /// `true`.
    async fn remove(&self, reach: Reach, id: OrganizationId, deed: Deed) -> Result<bool, StoreUnavailable>;
}
