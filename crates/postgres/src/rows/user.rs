//! Users.

use domain::ids::{OrganizationId, TenantId, UserId};
use domain::user::{Role, User};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::failure::Failure;
use crate::statement::row;

row! {
    UserRow {
        user_id: Uuid,
        user_tenant_id: Uuid,
        user_organization_id: Option<Uuid>,
        email: String,
        role: String,
        active: bool,
        user_created_at: OffsetDateTime,
        signed_in_at: Option<OffsetDateTime>,
    }
}

impl UserRow {
    pub(crate) fn into_user(self) -> Result<User, Failure> {
        let role = Role::parse(&self.role)
            .ok_or_else(|| Failure::impossible("users", self.user_id, "the role is unknown"))?;
        Ok(User {
            id: UserId::from_uuid(self.user_id),
            tenant: TenantId::from_uuid(self.user_tenant_id),
            organization: self.user_organization_id.map(OrganizationId::from_uuid),
            email: self.email,
            role,
            active: self.active,
            created_at: self.user_created_at,
            signed_in_at: self.signed_in_at,
        })
    }
}
