//! The operator's hand in a world: what is set up before a contract begins.

use time::OffsetDateTime;

use super::World;
use super::fixtures::{deed, moment};
use crate::assistant::Assistant;
use crate::ids::OrganizationId;
use crate::organization::Tenant;
use crate::ports::{Added, SetupError, StoreUnavailable};
use crate::scope::Reach;
use crate::trunk::{Number, Trunk};

impl World {
    /// Adds a tenant.
    pub async fn add_tenant(&self, tenant: Tenant) -> Result<(), StoreUnavailable> {
        self.tenants.add_tenant(tenant, deed(moment(0))).await
    }

    /// Adds a trunk.
    pub async fn add_trunk(&self, trunk: Trunk) -> Result<Added, SetupError> {
        self.trunks.add_trunk(Reach::Everything, trunk, deed(moment(0))).await
    }

    /// Adds a number.
    pub async fn add_number(&self, number: Number) -> Result<Added, SetupError> {
        self.numbers.add_number(Reach::Everything, number, deed(moment(0))).await
    }

    /// Adds an assistant.
    pub async fn add_assistant(&self, assistant: Assistant) -> Result<Added, SetupError> {
        self.assistants.add_assistant(Reach::Everything, assistant, deed(moment(0))).await
    }

    /// Deletes an organization; `false` when there is no live one.
    pub async fn delete_organization(
        &self,
        id: OrganizationId,
        at: OffsetDateTime,
    ) -> Result<bool, StoreUnavailable> {
        self.organizations.remove(Reach::Everything, id, deed(at)).await
    }
}
