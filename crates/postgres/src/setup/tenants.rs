//! Tenants.

use async_trait::async_trait;
use domain::audit::{Action, Deed};
use domain::organization::Tenant;
use domain::ports::{StoreUnavailable, Tenants};
use domain::scope::Scope;

use crate::audit::entry;
use crate::statement::{Statement, row, statement};
use crate::store::Store;

const ADD: &str =
    "INSERT INTO tenants (id, name, created_at) VALUES ($1, $2, $3) RETURNING name AS added_name";

row! {
    /// What was just added.
    Added { added_name: String }
}

#[async_trait]
impl Tenants for Store {
    async fn add_tenant(&self, tenant: Tenant, deed: Deed) -> Result<(), StoreUnavailable> {
        let id = tenant.id;
        let note =
            |row: &Added| entry(&deed, Scope::Tenant(id), Action::TenantCreate, id, Some(&row.added_name));
        self.audited(adding(&tenant), note).await?;
        Ok(())
    }
}

/// Adds a tenant: for a transaction of more than that.
pub(crate) fn adding(tenant: &Tenant) -> Statement {
    statement(ADD).bind(tenant.id.uuid()).bind(tenant.name.clone()).bind(tenant.created_at)
}
