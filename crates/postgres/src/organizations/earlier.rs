//! What is kept of a creation, for the request that comes again.

use domain::idempotency::{Earlier, Once};
use domain::ids::OrganizationId;
use domain::organization::{Organization, Profile, Timezone};
use serde_json::{Value, json};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::failure::Failure;
use crate::statement::row;

row! {
    EarlierRow { resource_id: Uuid, fingerprint: Vec<u8>, answer: Value, created_at: OffsetDateTime }
}

/// A new organization as it is created: later changes do not reach it.
pub(super) fn frozen(organization: &Organization) -> Value {
    let profile = &organization.profile;
    json!({
        "name": profile.name,
        "email": profile.email,
        "image": profile.image,
        "address": profile.address,
        "city": profile.city,
        "stateProvince": profile.state_province,
        "postalCode": profile.postal_code,
        "country": profile.country,
        "phoneNumber": profile.phone_number,
        "timezone": profile.timezone.as_str(),
        "externalId": profile.external_id,
        "ownerId": organization.owner_id,
        "createdBy": organization.created_by,
    })
}

impl EarlierRow {
    /// What the request that has the key now left for this one.
    pub(super) fn judge(self, once: &Once) -> Result<Earlier<Box<Organization>>, Failure> {
        if self.fingerprint != once.fingerprint {
            return Ok(Earlier::Different);
        }
        let organization = self.thawed(once).ok_or_else(|| {
            Failure::impossible("idempotency_keys", self.resource_id, "the answer is no organization")
        })?;
        Ok(Earlier::Same(Box::new(organization)))
    }

    fn thawed(&self, once: &Once) -> Option<Organization> {
        let maybe = |name: &str| self.answer.get(name)?.as_str().map(str::to_owned);
        Some(Organization {
            id: OrganizationId::from_uuid(self.resource_id),
            tenant: once.scope.tenant(),
            profile: Profile {
                name: maybe("name")?,
                email: maybe("email")?,
                image: maybe("image"),
                address: maybe("address")?,
                city: maybe("city")?,
                state_province: maybe("stateProvince")?,
                postal_code: maybe("postalCode")?,
                country: maybe("country")?,
                phone_number: maybe("phoneNumber")?,
                timezone: Timezone::parse(&maybe("timezone")?)?,
                external_id: maybe("externalId"),
            },
            owner_id: maybe("ownerId")?,
            created_by: maybe("createdBy")?,
            last_modified_by: None,
            created_at: self.created_at,
            updated_at: self.created_at,
            deleted_at: None,
        })
    }
}
