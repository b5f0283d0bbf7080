//! Typed identifiers: UUIDs that cannot be mistaken for one another.

use std::fmt;

use uuid::Uuid;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Uuid);

        impl $name {
            /// Takes an identifier that was made elsewhere.
            pub const fn from_uuid(uuid: Uuid) -> Self {
                Self(uuid)
            }

            /// The bare UUID, for adapters.
            pub const fn uuid(self) -> Uuid {
                self.0
            }

            /// Reads the hyphenated form of the interface; any other form of a UUID is unknown to it.
            pub fn parse(text: &str) -> Option<Self> {
                (text.len() == 36).then(|| Uuid::try_parse(text).ok().map(Self)).flatten()
            }
        }

        impl From<NewId> for $name {
            fn from(id: NewId) -> Self {
                Self(id.0)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({})", stringify!($name), self.0)
            }
        }
    )+};
}

ids! {
    /// A customer of the operator: it contains organizations.
    TenantId,
    /// One organization of a tenant.
    OrganizationId,
    /// A voice assistant of an organization.
    AssistantId,
    /// A telephone number that calls are placed from.
    NumberId,
    /// A team of an organization.
    TeamId,
    /// An organization's metadata record.
    MetadataId,
    /// A stored schema; it changes with its document.
    SchemaId,
    /// A SIP trunk of a tenant.
    TrunkId,
    /// A call; an outbound call's record carries the same UUID as its `outboundCallId`.
    CallId,
    /// The contact made for an outbound call.
    ContactId,
    /// An API key (its identity, not the key itself).
    KeyId,
    /// A secret that signs callbacks (its identity, not the secret itself).
    SigningSecretId,
    /// Somebody who signs in to the dashboard.
    UserId,
    /// An entry of the audit log.
    AuditId,
    /// A machine with its data directory: it survives restarts.
    NodeId,
    /// One start of a node.
    BootId,
}

/// A fresh `UUIDv7` (RFC 9562 §5.7), to be turned into the id of one's choice.
#[derive(Clone, Copy, Debug)]
pub struct NewId(Uuid);

impl NewId {
    /// Builds a `UUIDv7` from a moment and ten random bytes.
    pub fn at(now: time::OffsetDateTime, random: [u8; 10]) -> Self {
        let millis = now.unix_timestamp_nanos() / 1_000_000;
        let ms = u64::try_from(millis).unwrap_or(0);
        Self(uuid::Builder::from_unix_timestamp_millis(ms, &random).into_uuid())
    }
}
