//! An organization on the wire: its full and its short record.

use domain::organization::{Organization, Profile};
use domain::timestamp::rfc3339;
use serde::Serialize;

/// What Create, Update and List show.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ShortRecord {
    id: String,
    name: String,
    email: String,
    address: String,
    city: String,
    state_province: String,
    postal_code: String,
    country: String,
    phone_number: String,
    tenant_id: String,
    timezone: &'static str,
    created_at: String,
    created_by: String,
}

/// What Get shows.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FullRecord {
    id: String,
    tenant_id: String,
    name: String,
    email: String,
    image: Option<String>,
    owner_id: String,
    address: String,
    city: String,
    state_province: String,
    postal_code: String,
    country: String,
    phone_number: String,
    timezone: &'static str,
    is_active: bool,
    created_by: String,
    last_modified_by: Option<String>,
    created_at: String,
    updated_at: String,
    deleted_at: Option<String>,
}

impl From<Organization> for ShortRecord {
    fn from(organization: Organization) -> Self {
        let Organization { id, tenant, profile, created_by, created_at, .. } = organization;
        let Profile {
            name, email, address, city, state_province, postal_code, country, phone_number, ..
        } = profile;
        Self {
            id: id.to_string(),
            name,
            email,
            address,
            city,
            state_province,
            postal_code,
            country,
            phone_number,
            tenant_id: tenant.to_string(),
            timezone: profile.timezone.as_str(),
            created_at: rfc3339(created_at),
            created_by,
        }
    }
}

impl From<Organization> for FullRecord {
    fn from(organization: Organization) -> Self {
        let is_active = organization.is_active();
        let profile = organization.profile;
        Self {
            id: organization.id.to_string(),
            tenant_id: organization.tenant.to_string(),
            name: profile.name,
            email: profile.email,
            image: profile.image,
            owner_id: organization.owner_id,
            address: profile.address,
            city: profile.city,
            state_province: profile.state_province,
            postal_code: profile.postal_code,
            country: profile.country,
            phone_number: profile.phone_number,
            timezone: profile.timezone.as_str(),
            is_active,
            created_by: organization.created_by,
            last_modified_by: organization.last_modified_by,
            created_at: rfc3339(organization.created_at),
            updated_at: rfc3339(organization.updated_at),
            deleted_at: organization.deleted_at.map(rfc3339),
        }
    }
}
