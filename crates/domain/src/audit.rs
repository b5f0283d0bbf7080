//! The audit log: who changed what, when, and from where.

use std::net::IpAddr;

use time::OffsetDateTime;

use crate::ids::{AuditId, KeyId, OrganizationId, TenantId, UserId};
use crate::number::E164;
use crate::user::Role;

/// Whoever changes something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Actor {
    /// Somebody in the dashboard, by id and e-mail address at the time.
    User(UserId, String),
    /// A customer's backend, by its API key.
    Key(KeyId),
    /// The operator, on the command line.
    Operator,
}

impl Actor {
    /// The kind's written form.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::User(..) => "user",
            Self::Key(_) => "key",
            Self::Operator => "operator",
        }
    }

    /// What stands in fields that name who made or changed a record: an id, or `operator`.
    pub fn id(&self) -> String {
        match self {
            Self::User(id, _) => id.to_string(),
            Self::Key(id) => id.to_string(),
            Self::Operator => "operator".to_owned(),
        }
    }
}

/// The circumstances of a change. Every change of settings takes one, and what it changes and its
/// entry in the audit log are written together or not at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deed {
    /// Who.
    pub actor: Actor,
    /// From which address; none on the operator's own machine.
    pub from: Option<IpAddr>,
    /// When.
    pub at: OffsetDateTime,
}

macro_rules! actions {
    ($($(#[$doc:meta])* $name:ident = $text:literal),+ $(,)?) => {
        /// What was done.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Action {
            $($(#[$doc])* $name,)+
        }

        impl Action {
            /// Every action.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// The action's written form, e.g. `key.create`.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)+
                }
            }

            /// Reads the written form.
            pub fn parse(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|action| action.as_str() == text)
            }
        }
    };
}

actions! {
    /// An API key was made.
    KeyCreate = "key.create",
    /// An API key was taken away.
    KeyRevoke = "key.revoke",
    /// A signing secret was looked at.
    SecretShow = "secret.show",
    /// A new signing secret came into force.
    SecretRotate = "secret.rotate",
    /// A callback was sent again by hand.
    CallbackRedeliver = "callback.redeliver",
    /// A user was made.
    UserCreate = "user.create",
    /// A user was invited, or invited again.
    UserInvite = "user.invite",
    /// A user's role was changed.
    UserRole = "user.role",
    /// A user was removed.
    UserRemove = "user.remove",
    /// A user set a new password.
    UserPassword = "user.password",
    /// A user signed in.
    SignIn = "session.sign-in",
    /// All sessions of a user were ended.
    SignOutEverywhere = "session.sign-out-everywhere",
    /// A tenant was made.
    TenantCreate = "tenant.create",
    /// An organization was made.
    OrganizationCreate = "organization.create",
    /// An organization was changed.
    OrganizationUpdate = "organization.update",
    /// An organization was deleted.
    OrganizationDelete = "organization.delete",
    /// An organization's metadata was replaced.
    MetadataReplace = "metadata.replace",
    /// A metadata schema came into force.
    SchemaPut = "schema.put",
    /// An assistant was made.
    AssistantCreate = "assistant.create",
    /// An assistant was changed.
    AssistantUpdate = "assistant.update",
    /// An assistant was taken out of use.
    AssistantDelete = "assistant.delete",
    /// A provider key of an assistant was set.
    ProviderKeySet = "assistant.provider-key",
    /// A number was added.
    NumberCreate = "number.create",
    /// A number was moved to another trunk.
    NumberMove = "number.move",
    /// A number was taken out of use.
    NumberDelete = "number.delete",
    /// A trunk was added.
    TrunkCreate = "trunk.create",
    /// A trunk was changed, perhaps with its password.
    TrunkUpdate = "trunk.update",
    /// A trunk was taken out of use.
    TrunkDelete = "trunk.delete",
    /// A call was placed by hand.
    CallPlace = "call.place",
    /// A live call was hung up by hand.
    CallHangUp = "call.hang-up",
}

/// Stands between what was changed and what it is now; no e-mail address and no number has a space.
const NOW: &str = " → ";

/// What the entry of a changed role names: whose it was, and the new one.
pub fn role_change(email: &str, role: Role) -> String {
    format!("{email}{NOW}{}", role.as_str())
}

/// Reads what [`role_change`] wrote.
pub fn changed_role(name: &str) -> Option<(&str, Role)> {
    let (email, role) = name.rsplit_once(NOW)?;
    Some((email, Role::parse(role)?))
}

/// What the entry of a moved number names: the number, and what its new trunk is called.
pub fn number_move(number: &E164, trunk: &str) -> String {
    format!("{}{NOW}{trunk}", number.as_str())
}

/// Reads what [`number_move`] wrote.
pub fn moved_number(name: &str) -> Option<(&str, &str)> {
    name.split_once(NOW)
}

/// An entry of the audit log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEntry {
    /// Its identity; later entries have greater ones.
    pub id: AuditId,
    /// Whose settings were changed.
    pub tenant: TenantId,
    /// The organization that the change belongs to; none for what is the whole tenant's.
    pub organization: Option<OrganizationId>,
    /// The circumstances.
    pub deed: Deed,
    /// What was done.
    pub action: Action,
    /// To what, by id.
    pub subject: String,
    /// What that was called at the time, for people; never a secret.
    pub name: Option<String>,
}
