//! Organizations.

use domain::ids::{OrganizationId, TenantId};
use domain::organization::{Organization, Profile, Timezone};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::failure::Failure;
use crate::statement::row;

row! {
    OrganizationRow {
        id: Uuid,
        tenant_id: Uuid,
        name: String,
        email: String,
        image: Option<String>,
        address: String,
        city: String,
        state_province: String,
        postal_code: String,
        country: String,
        phone_number: String,
        timezone: String,
        external_id: Option<String>,
        owner_id: String,
        created_by: String,
        last_modified_by: Option<String>,
        created_at: OffsetDateTime,
        updated_at: OffsetDateTime,
        deleted_at: Option<OffsetDateTime>,
    }
}

impl OrganizationRow {
    pub(crate) fn into_organization(self) -> Result<Organization, Failure> {
        let timezone = Timezone::parse(&self.timezone)
            .ok_or_else(|| Failure::impossible("organizations", self.id, "the time zone is unknown"))?;
        Ok(Organization {
            id: OrganizationId::from_uuid(self.id),
            tenant: TenantId::from_uuid(self.tenant_id),
            profile: Profile {
                name: self.name,
                email: self.email,
                image: self.image,
                address: self.address,
                city: self.city,
                state_province: self.state_province,
                postal_code: self.postal_code,
                country: self.country,
                phone_number: self.phone_number,
                timezone,
                external_id: self.external_id,
            },
            owner_id: self.owner_id,
            created_by: self.created_by,
            last_modified_by: self.last_modified_by,
            created_at: self.created_at,
            updated_at: self.updated_at,
            deleted_at: self.deleted_at,
        })
    }
}
