//! API keys in memory.

use async_trait::async_trait;
use time::{Duration, OffsetDateTime};

use super::InMemory;
use crate::access::{ApiKey, KEYS_SHOWN, KeyDigest, ORGANIZATION_KEYS_MAX, Principal};
use crate::audit::{Action, Deed};
use crate::ids::{KeyId, TenantId};
use crate::ports::{Access, IssueError, StoreUnavailable};
use crate::scope::{Reach, Scope};

/// What a key belongs to.
fn within(key: &ApiKey) -> Scope {
    match key.organization {
        Some(organization) => Scope::Organization(key.tenant, organization),
        None => Scope::Tenant(key.tenant),
    }
}

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
        Ok(Some(Principal { key: key.id, scope: within(key), permissions: key.permissions.clone() }))
    }

    async fn issue(&self, key: ApiKey, digest: KeyDigest, deed: Deed) -> Result<(), IssueError> {
        let mut state = self.reach()?;
        if !state.tenants.contains_key(&key.tenant) {
            return Err(IssueError::UnknownOwner);
        }
        if state.keys.contains_key(&key.id) {
            return Err(IssueError::Repeated);
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
        if state.keys.values().any(|(_, own)| *own == digest) {
            return Err(StoreUnavailable::because("the key is known already").into());
        }
        state.note(&deed, within(&key), Action::KeyCreate, key.id, Some(&key.name));
        state.keys.insert(key.id, (key, digest));
        Ok(())
    }

    async fn revoke(&self, reach: Reach, key: KeyId, deed: Deed) -> Result<bool, StoreUnavailable> {
        let mut state = self.reach()?;
        let reached = |key: &ApiKey| match key.organization {
            Some(organization) => reach.covers(key.tenant, organization),
            None => reach.covers_tenant(key.tenant),
        };
        let found = state.keys.get_mut(&key).map(|(key, _)| key);
        let Some(key) = found.filter(|key| key.revoked_at.is_none() && reached(key)) else {
            return Ok(false);
        };
        key.revoked_at = Some(deed.at);
        let key = key.clone();
        state.note(&deed, within(&key), Action::KeyRevoke, key.id, Some(&key.name));
        Ok(true)
    }

    async fn live_keys(&self, scope: Scope, before: Option<KeyId>) -> Result<Vec<ApiKey>, StoreUnavailable> {
        let mut keys = self.keys(scope.tenant()).await?;
        keys.retain(|key| within(key) == scope);
        if let Some(before) = before {
            let place = keys.iter().position(|key| key.id == before);
            keys.drain(..place.map_or(keys.len(), |place| place + 1));
        }
        keys.retain(|key| key.revoked_at.is_none());
        keys.truncate(KEYS_SHOWN);
        Ok(keys)
    }

    async fn live_key(&self, scope: Scope, key: KeyId) -> Result<Option<ApiKey>, StoreUnavailable> {
        let state = self.reach()?;
        let live = |key: &&ApiKey| key.revoked_at.is_none() && within(key) == scope;
        Ok(state.keys.get(&key).map(|(key, _)| key).filter(live).cloned())
    }

    async fn keys(&self, tenant: TenantId) -> Result<Vec<ApiKey>, StoreUnavailable> {
        let state = self.reach()?;
        let own = state.keys.values().map(|(key, _)| key).filter(|key| key.tenant == tenant);
        let mut keys: Vec<_> = own.cloned().collect();
        keys.sort_by_key(|key| std::cmp::Reverse((key.created_at, key.id)));
        Ok(keys)
    }
}
