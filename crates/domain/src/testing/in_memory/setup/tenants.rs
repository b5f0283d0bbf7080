//! Tenants in memory.

use async_trait::async_trait;

use super::known;
use crate::audit::{Action, Deed};
use crate::organization::Tenant;
use crate::ports::{StoreUnavailable, Tenants};
use crate::scope::Scope;
use crate::testing::InMemory;

#[async_trait]
impl Tenants for InMemory {
    async fn add_tenant(&self, tenant: Tenant, deed: Deed) -> Result<(), StoreUnavailable> {
        let mut state = self.reach()?;
        if state.tenants.contains_key(&tenant.id) {
            return Err(known());
        }
        state.note(&deed, Scope::Tenant(tenant.id), Action::TenantCreate, tenant.id, Some(&tenant.name));
        state.tenants.insert(tenant.id, tenant);
        Ok(())
    }
}
