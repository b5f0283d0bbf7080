//! The trunks of tenants.

use async_trait::async_trait;

use super::{Added, SetupError};
use crate::audit::Deed;
use crate::ids::{TenantId, TrunkId};
use crate::page::PageRequest;
use crate::ports::{Seen, StoreUnavailable};
use crate::scope::Reach;
use crate::trunk::{Trunk, TrunkRevision, TrunkRevisionError};

/// Why a trunk was not changed.
#[derive(Debug, thiserror::Error)]
pub enum ReviseTrunkError {
    /// There is none with this id.
    #[error("no such trunk")]
    Unknown,
    /// See [`ReviseError::Overtaken`](crate::ports::ReviseError::Overtaken).
    #[error("somebody changed it meanwhile")]
    Overtaken,
    /// See [`TrunkRevisionError`].
    #[error(transparent)]
    Refused(#[from] TrunkRevisionError),
    /// See [`StoreUnavailable`].
    #[error(transparent)]
    Store(#[from] StoreUnavailable),
}

/// The trunks. They belong to the whole tenant: whoever has one organization of it can see them, but
/// not change them. One that is retired takes no new calls, and is no longer found here, pinged or
/// registered with.
#[async_trait]
pub trait Trunks: Send + Sync {
    /// Adds a trunk with its lines.
    async fn add_trunk(&self, reach: Reach, trunk: Trunk, deed: Deed) -> Result<Added, SetupError>;

    /// A page of a tenant's trunks, oldest first; none of an unknown tenant.
    async fn trunks_of(
        &self,
        reach: Reach,
        tenant: TenantId,
        page: PageRequest,
    ) -> Result<Vec<Trunk>, StoreUnavailable>;

    /// A trunk.
    async fn trunk(&self, reach: Reach, id: TrunkId) -> Result<Option<Trunk>, StoreUnavailable>;

    /// Changes a trunk by [`Trunk::revised`], if it is still what was `seen`, if anything was; answers
    /// what it is now. Calls that go on keep what they began with.
    async fn revise_trunk(
        &self,
        reach: Reach,
        id: TrunkId,
        revision: TrunkRevision,
        seen: Option<Seen<Trunk>>,
        deed: Deed,
    ) -> Result<Trunk, ReviseTrunkError>;

    /// Takes a trunk out of use; `false` when there is none. Calls that go on are not touched.
    async fn retire_trunk(&self, reach: Reach, id: TrunkId, deed: Deed) -> Result<bool, StoreUnavailable>;
}
