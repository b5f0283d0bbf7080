//! The line to the built-in phone.

use async_trait::async_trait;

use super::SetupError;
use crate::audit::Deed;
use crate::ids::{NumberId, OrganizationId, TrunkId};
use crate::scope::Reach;

/// The ids of what is made where nothing is there yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FreshTestLine {
    /// Of the tenant's trunk.
    pub trunk: TrunkId,
    /// Of the organization's number.
    pub number: NumberId,
}

/// The lines to the built-in phone: one trunk for each tenant, one number for each organization.
#[async_trait]
pub trait TestLines: Send + Sync {
    /// The number in use from which a live organization calls the built-in phone. Where it has none,
    /// one is made, with the tenant's trunk where that is missing too; of however many at once, one
    /// makes them. Whoever reaches one organization may have its tenant's trunk made.
    async fn set_up_test_line(
        &self,
        reach: Reach,
        organization: OrganizationId,
        fresh: FreshTestLine,
        deed: Deed,
    ) -> Result<NumberId, SetupError>;
}
