//! API keys in the store.

use async_trait::async_trait;
use time::OffsetDateTime;

use super::StoreUnavailable;
use crate::access::{ApiKey, KeyDigest, Principal};
use crate::audit::Deed;
use crate::ids::{KeyId, TenantId};
use crate::scope::{Reach, Scope};

/// Why a key was not issued.
#[derive(Debug, thiserror::Error)]
pub enum IssueError {
    /// No such tenant, or no such live organization in it.
    #[error("no such tenant or organization")]
    UnknownOwner,
    /// The organization has its five keys already.
    #[error("the organization already has 5 keys")]
    TooMany,
    /// A key with this id was made before: the same wish came twice.
    #[error("a key with this id was made before")]
    Repeated,
    /// See [`StoreUnavailable`].
    #[error(transparent)]
    Store(#[from] StoreUnavailable),
}

/// The keys.
#[async_trait]
pub trait Access: Send + Sync {
    /// Who holds the live key with this digest; read from the primary each time, so that a revoked
    /// key is refused from the moment its revocation is answered. Notes the use, at most a minute
    /// late, without making the caller wait for a write.
    async fn authenticate(
        &self,
        digest: KeyDigest,
        now: OffsetDateTime,
    ) -> Result<Option<Principal>, StoreUnavailable>;

    /// Stores a new key, never more than five live ones for an organization.
    async fn issue(&self, key: ApiKey, digest: KeyDigest, deed: Deed) -> Result<(), IssueError>;

    /// Revokes a live key within reach; `false` when there is none.
    async fn revoke(&self, reach: Reach, key: KeyId, deed: Deed) -> Result<bool, StoreUnavailable>;

    /// The live keys whose own scope is just this one, the newest first, or those older than one of
    /// them; at most [`crate::access::KEYS_SHOWN`].
    async fn live_keys(&self, scope: Scope, before: Option<KeyId>) -> Result<Vec<ApiKey>, StoreUnavailable>;

    /// A live key whose own scope is just this one.
    async fn live_key(&self, scope: Scope, key: KeyId) -> Result<Option<ApiKey>, StoreUnavailable>;

    /// The keys of a tenant, newest first, revoked ones included.
    async fn keys(&self, tenant: TenantId) -> Result<Vec<ApiKey>, StoreUnavailable>;
}
