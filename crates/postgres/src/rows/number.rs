//! Telephone numbers of the service.

use domain::ids::{NumberId, OrganizationId, TenantId, TrunkId};
use domain::number::E164;
use domain::scope::Scope;
use domain::trunk::Number;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::failure::Failure;
use crate::statement::row;

row! {
    NumberRow {
        number_id: Uuid,
        number_tenant_id: Uuid,
        number_organization_id: Uuid,
        number_trunk_id: Uuid,
        number: String,
        number_created_at: OffsetDateTime,
    }
}

impl NumberRow {
    /// What it belongs to.
    pub(crate) fn scope(&self) -> Scope {
        let organization = OrganizationId::from_uuid(self.number_organization_id);
        Scope::Organization(TenantId::from_uuid(self.number_tenant_id), organization)
    }

    pub(crate) fn into_number(self) -> Result<Number, Failure> {
        let number = E164::parse(&self.number)
            .ok_or_else(|| Failure::impossible("numbers", self.number_id, "the number is not E.164"))?;
        Ok(Number {
            id: NumberId::from_uuid(self.number_id),
            tenant: TenantId::from_uuid(self.number_tenant_id),
            organization: OrganizationId::from_uuid(self.number_organization_id),
            trunk: TrunkId::from_uuid(self.number_trunk_id),
            number,
            created_at: self.number_created_at,
        })
    }
}
