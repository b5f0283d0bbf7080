//! API keys: who is calling, and what they may do.

use time::OffsetDateTime;

use crate::ids::{KeyId, OrganizationId, TenantId};
use crate::scope::Scope;

/// The SHA-256 of a whole API key: the only form in which keys are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KeyDigest(pub [u8; 32]);

/// What a key may be used for; a fresh key may do everything unless told otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Permission {
    /// Read call logs.
    CallsRead,
    /// Read the status of outbound calls.
    OutboundRead,
    /// Place outbound calls.
    OutboundCreate,
}

impl Permission {
    /// Every permission, in the order in which they are shown.
    pub const ALL: [Self; 3] = [Self::CallsRead, Self::OutboundRead, Self::OutboundCreate];

    /// The permission's written form, e.g. `calls:read`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::CallsRead => "calls:read",
            Self::OutboundRead => "outbound:read",
            Self::OutboundCreate => "outbound:create",
        }
    }

    /// Reads the written form.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|permission| permission.as_str() == text)
    }
}

/// The two levels of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyLevel {
    /// Acts on all organizations of the tenant.
    Tenant,
    /// Limited to one organization.
    Organization,
}

impl KeyLevel {
    /// The level's written form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Tenant => "tenant",
            Self::Organization => "organization",
        }
    }
}

/// At most this many live organization-level keys per organization (interface, Limits).
pub const ORGANIZATION_KEYS_MAX: usize = 5;

/// At most this many live keys are on a page; only of tenant keys may there be more.
pub const KEYS_SHOWN: usize = 25;

/// Whoever presented a valid key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Principal {
    /// Which key was shown.
    pub key: KeyId,
    /// What it reaches.
    pub scope: Scope,
    /// What it may do.
    pub permissions: Vec<Permission>,
}

impl Principal {
    /// Whether the key may be used for `permission`.
    pub fn may(&self, permission: Permission) -> bool {
        self.permissions.contains(&permission)
    }
}

/// A key's record; the key itself is shown once, when it is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKey {
    /// The key's identity.
    pub id: KeyId,
    /// The tenant that it belongs to.
    pub tenant: TenantId,
    /// The one organization that it is limited to; none for a tenant key.
    pub organization: Option<OrganizationId>,
    /// What its owner calls it.
    pub name: String,
    /// What it may do.
    pub permissions: Vec<Permission>,
    /// When it was made.
    pub created_at: OffsetDateTime,
    /// When it was last accepted, at most a minute late.
    pub last_used_at: Option<OffsetDateTime>,
    /// When it was taken away.
    pub revoked_at: Option<OffsetDateTime>,
}

impl ApiKey {
    /// Tenant or organization level.
    pub fn level(&self) -> KeyLevel {
        if self.organization.is_some() { KeyLevel::Organization } else { KeyLevel::Tenant }
    }
}
