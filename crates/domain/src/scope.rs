//! How far a reader may see: the first argument of every read.

use crate::ids::{OrganizationId, TenantId};

/// The part of the data that a caller may reach; a store query without one does not compile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Every organization of a tenant.
    Tenant(TenantId),
    /// One organization of a tenant.
    Organization(TenantId, OrganizationId),
}

impl Scope {
    /// The tenant that every row read under this scope belongs to.
    pub fn tenant(self) -> TenantId {
        match self {
            Self::Tenant(tenant) | Self::Organization(tenant, _) => tenant,
        }
    }

    /// The only organization that may be seen, when there is just one.
    pub fn organization(self) -> Option<OrganizationId> {
        match self {
            Self::Tenant(_) => None,
            Self::Organization(_, organization) => Some(organization),
        }
    }

    /// Whether something of `tenant` and `organization` may be seen.
    pub fn covers(self, tenant: TenantId, organization: OrganizationId) -> bool {
        self.tenant() == tenant && self.organization().is_none_or(|own| own == organization)
    }
}
