//! The numbers that organizations call from.

use async_trait::async_trait;

use super::{Added, SetupError};
use crate::audit::Deed;
use crate::ids::{NumberId, OrganizationId, TrunkId};
use crate::page::PageRequest;
use crate::ports::StoreUnavailable;
use crate::scope::Reach;
use crate::trunk::Number;

/// A number beside what carries its calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CarriedNumber {
    /// The number.
    pub number: Number,
    /// What its trunk is called.
    pub trunk_name: String,
    /// Whether the trunk is in use; without one no call is placed from the number.
    pub carried: bool,
}

/// The numbers. One that is retired places no more calls, and is no longer listed.
#[async_trait]
pub trait Numbers: Send + Sync {
    /// Adds a number to a live organization; its trunk must be in use and belong to the same tenant.
    /// The tenant is taken from the organization, whatever `number.tenant` says.
    async fn add_number(&self, reach: Reach, number: Number, deed: Deed) -> Result<Added, SetupError>;

    /// A page of an organization's numbers, also of a deleted one's, oldest first.
    async fn numbers_of(
        &self,
        reach: Reach,
        organization: OrganizationId,
        page: PageRequest,
    ) -> Result<Vec<CarriedNumber>, SetupError>;

    /// A number.
    async fn number(&self, reach: Reach, id: NumberId) -> Result<Option<CarriedNumber>, StoreUnavailable>;

    /// Lets another trunk carry a number's calls, from the next one on: calls that are under way keep
    /// theirs. The trunk must be in use and belong to the same tenant; where it is the number's own
    /// already, nothing changes and nothing is noted.
    async fn move_number(
        &self,
        reach: Reach,
        id: NumberId,
        trunk: TrunkId,
        deed: Deed,
    ) -> Result<CarriedNumber, SetupError>;

    /// Takes a number out of use; `false` when there is none.
    async fn retire_number(&self, reach: Reach, id: NumberId, deed: Deed) -> Result<bool, StoreUnavailable>;
}
