//! The operator's customers.

use async_trait::async_trait;

use crate::audit::Deed;
use crate::organization::Tenant;
use crate::ports::StoreUnavailable;

/// The tenants. Only the operator makes them.
#[async_trait]
pub trait Tenants: Send + Sync {
    /// Adds a tenant.
    async fn add_tenant(&self, tenant: Tenant, deed: Deed) -> Result<(), StoreUnavailable>;
}
