//! Reading the audit log; entries are written together with what they tell of.

use async_trait::async_trait;

use super::StoreUnavailable;
use crate::audit::AuditEntry;
use crate::ids::{AuditId, OrganizationId};
use crate::scope::Scope;

/// The audit log.
#[async_trait]
pub trait AuditLog: Send + Sync {
    /// At most `limit` entries within `scope` that are older than `before`, newest first; of one
    /// organization when it is named. A user of one organization sees no entries of the whole tenant.
    async fn entries(
        &self,
        scope: Scope,
        organization: Option<OrganizationId>,
        before: Option<AuditId>,
        limit: u32,
    ) -> Result<Vec<AuditEntry>, StoreUnavailable>;
}
