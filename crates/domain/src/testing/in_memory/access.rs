//! API keys in memory.

use async_trait::async_trait;
use time::{Duration, OffsetDateTime};

use super::InMemory;
use crate::access::{ApiKey, KeyDigest, ORGANIZATION_KEYS_MAX, Principal};
use crate::ids::{KeyId, TenantId};
use crate::ports::{Access, IssueError, StoreUnavailable};
use crate::scope::Scope;

#[async_trait]
impl Access for InMemory {
    async fn authenticate(
        &self,
        digest: KeyDigest,
        now: OffsetDateTime,
    ) -> Result<Option<Principal>, StoreUnavailable> {
        let mut state = self.reach()?;
        let live = |(key, own): &&mut (ApiKey, KeyDigest)| *own == digest && key.revoked_at.is_none();
        let Some((key, _)) = state.keys.values_mut().find(live) else { return Ok(None) };
        if key.last_used_at.is_none_or(|noted| noted <= now - Duration::MINUTE) {
            key.last_used_at = Some(now);
        }
        let scope = match key.organization {
            Some(organization) => Scope::Organization(key.tenant, organization),
            None => Scope::Tenant(key.tenant),
        };
        Ok(Some(Principal { key: key.id, scope, permissions: key.permissions.clone() }))
    }

    async fn issue(&self, key: ApiKey, digest: KeyDigest) -> Result<(), IssueError> {
        let mut state = self.reach()?;
        if !state.tenants.contains_key(&key.tenant) {
            return Err(IssueError::UnknownOwner);
        }
        if let Some(organization) = key.organization {
            let owner = state.live_organization(organization);
            if owner.is_none_or(|owner| owner.tenant != key.tenant) {
                return Err(IssueError::UnknownOwner);
            }
            let own = |(other, _): &&(ApiKey, KeyDigest)| {
                other.organization == Some(organization) && other.revoked_at.is_none()
            };
            if state.keys.values().filter(own).count() >= ORGANIZATION_KEYS_MAX {
                return Err(IssueError::TooMany);
            }
        }
        let known = |(other, own): &(ApiKey, KeyDigest)| other.id == key.id || *own == digest;
        if state.keys.values().any(known) {
            return Err(StoreUnavailable::because("the key is known already").into());
        }
        state.keys.insert(key.id, (key, digest));
        Ok(())
    }

    async fn revoke(&self, key: KeyId, now: OffsetDateTime) -> Result<bool, StoreUnavailable> {
        let mut state = self.reach()?;
        match state.keys.get_mut(&key) {
            Some((key, _)) if key.revoked_at.is_none() => {
                key.revoked_at = Some(now);
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    async fn keys(&self, tenant: TenantId) -> Result<Vec<ApiKey>, StoreUnavailable> {
        let state = self.reach()?;
        let own = state.keys.values().map(|(key, _)| key).filter(|key| key.tenant == tenant);
        let mut keys: Vec<_> = own.cloned().collect();
        keys.sort_by_key(|key| std::cmp::Reverse((key.created_at, key.id)));
        Ok(keys)
    }
}
