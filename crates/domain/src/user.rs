//! People who sign in to the dashboard, and what their roles let them do.

use time::OffsetDateTime;

use crate::ids::{OrganizationId, TenantId, UserId};
use crate::scope::Scope;

/// How much a user may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Sees calls and how things are set up.
    Viewer,
    /// Also places calls, sends callbacks again and writes assistants.
    Member,
    /// Everything within the user's scope.
    Admin,
}

impl Role {
    /// Every role, the mightiest first.
    pub const ALL: [Self; 3] = [Self::Admin, Self::Member, Self::Viewer];

    /// The role's written form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Admin => "admin",
            Self::Member => "member",
            Self::Viewer => "viewer",
        }
    }

    /// Reads the written form.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == text)
    }
}

/// What a page shows or an action does, as far as it is not for everybody.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Right {
    /// Read calls, their recordings and transcripts.
    SeeCalls,
    /// Read assistants, numbers, trunks, organizations and metadata, without any secret.
    SeeSetup,
    /// Place calls and hang up live ones.
    PlaceCalls,
    /// Read callback deliveries, and send callbacks again.
    Redeliver,
    /// Write assistants, and metadata of organizations.
    WriteAssistants,
    /// Make and take away API keys, see and rotate callback secrets, manage users, read the audit log.
    ManageAccess,
    /// Change organizations, numbers, provider keys and schemas.
    ManageSetup,
    /// Make and delete organizations; trunks; whatever belongs to the whole tenant.
    ManageTenant,
}

impl Right {
    /// Every right.
    pub const ALL: [Self; 8] = [
        Self::SeeCalls,
        Self::SeeSetup,
        Self::PlaceCalls,
        Self::Redeliver,
        Self::WriteAssistants,
        Self::ManageAccess,
        Self::ManageSetup,
        Self::ManageTenant,
    ];

    /// The least role that has it.
    const fn least(self) -> Role {
        match self {
            Self::SeeCalls | Self::SeeSetup => Role::Viewer,
            Self::PlaceCalls | Self::Redeliver | Self::WriteAssistants => Role::Member,
            Self::ManageAccess | Self::ManageSetup | Self::ManageTenant => Role::Admin,
        }
    }
}

/// Somebody who can sign in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// Their identity.
    pub id: UserId,
    /// The tenant that they belong to.
    pub tenant: TenantId,
    /// The one organization that they are limited to; none for the whole tenant.
    pub organization: Option<OrganizationId>,
    /// By which they sign in: unique over all tenants, without regard to case.
    pub email: String,
    /// How much they may do.
    pub role: Role,
    /// Whether they have set a password; until then an invitation is open.
    pub active: bool,
    /// When they were made.
    pub created_at: OffsetDateTime,
    /// When they last signed in.
    pub signed_in_at: Option<OffsetDateTime>,
}

impl User {
    /// What they reach.
    pub const fn scope(&self) -> Scope {
        match self.organization {
            Some(organization) => Scope::Organization(self.tenant, organization),
            None => Scope::Tenant(self.tenant),
        }
    }

    /// Whether somebody with this reach may see and manage them: a user of the whole tenant is for
    /// those of the whole tenant alone.
    pub fn is_within(&self, scope: Scope) -> bool {
        self.tenant == scope.tenant()
            && scope.organization().is_none_or(|organization| self.organization == Some(organization))
    }

    /// Whether the tenant could be without anybody who manages it if they were gone.
    pub fn runs_the_tenant(&self) -> bool {
        self.active && self.role == Role::Admin && self.organization.is_none()
    }

    /// Whether they may. What belongs to the whole tenant takes a user of the whole tenant.
    pub fn may(&self, right: Right) -> bool {
        self.role >= right.least() && (right != Right::ManageTenant || self.organization.is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_has_all_that_lesser_ones_have_and_the_tenant_is_for_its_own_admins() {
        let organization = OrganizationId::from_uuid(uuid::Uuid::from_u128(2));
        let rights = |role, organization| {
            let user = User {
                id: UserId::from_uuid(uuid::Uuid::from_u128(1)),
                tenant: TenantId::from_uuid(uuid::Uuid::from_u128(3)),
                organization,
                email: "ada@clinic.example".into(),
                role,
                active: true,
                created_at: OffsetDateTime::UNIX_EPOCH,
                signed_in_at: None,
            };
            Right::ALL.into_iter().filter(|right| user.may(*right)).count()
        };
        assert_eq!(rights(Role::Viewer, None), 2);
        assert_eq!(rights(Role::Member, None), 5);
        assert_eq!(rights(Role::Admin, None), 8);
        assert_eq!(rights(Role::Admin, Some(organization)), 7);
    }
}
