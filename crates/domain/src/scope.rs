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

/// How far whoever sets things up may go: what is beyond is as missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reach {
    /// Everything there is: the operator's.
    Everything,
    /// What the scope covers: a user's.
    Within(Scope),
}

impl Reach {
    /// The only tenant that is reached, when there is just one.
    pub fn tenant(self) -> Option<TenantId> {
        match self {
            Self::Everything => None,
            Self::Within(scope) => Some(scope.tenant()),
        }
    }

    /// The only organization that is reached, when there is just one.
    pub fn organization(self) -> Option<OrganizationId> {
        match self {
            Self::Everything => None,
            Self::Within(scope) => scope.organization(),
        }
    }

    /// Whether something of `tenant` and `organization` is reached.
    pub fn covers(self, tenant: TenantId, organization: OrganizationId) -> bool {
        match self {
            Self::Everything => true,
            Self::Within(scope) => scope.covers(tenant, organization),
        }
    }

    /// Whether what belongs to the whole of `tenant` is reached.
    pub fn covers_tenant(self, tenant: TenantId) -> bool {
        match self {
            Self::Everything => true,
            Self::Within(scope) => scope == Scope::Tenant(tenant),
        }
    }
}
