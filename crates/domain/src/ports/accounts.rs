//! The people who may sign in, as admins and the operator manage them.

use async_trait::async_trait;

use super::StoreUnavailable;
use crate::audit::Deed;
use crate::ids::UserId;
use crate::page::PageRequest;
use crate::password::PasswordHash;
use crate::scope::Scope;
use crate::session::{Link, SessionDigest};
use crate::user::{Role, User};

/// Live users of a tenant at most.
pub const USERS_MAX: usize = 1_000;

/// By what a new user first signs in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Admission {
    /// A password that was set for them.
    Password(PasswordHash),
    /// An invitation that they accept.
    Invitation(Link),
}

/// Why a user was not added.
#[derive(Debug, thiserror::Error)]
pub enum AddUserError {
    /// No such tenant, or no such live organization in it.
    #[error("no such tenant or organization")]
    UnknownOwner,
    /// A user of this tenant has this e-mail address already.
    #[error("somebody has this e-mail address already")]
    EmailTaken,
    /// The tenant has its [`USERS_MAX`] users already.
    #[error("the tenant already has 1,000 users")]
    TooMany,
    /// See [`StoreUnavailable`].
    #[error(transparent)]
    Store(#[from] StoreUnavailable),
}

/// What became of a change of a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UserChange {
    /// The user as changed, or as they were when they were removed.
    Done(User),
    /// There is no such user within reach.
    Unknown,
    /// Nobody would be left who manages the tenant; nothing was changed.
    LastAdmin,
}

/// A user beside what they are limited to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedUser {
    /// The user.
    pub user: User,
    /// What the one organization that they are limited to is called, also when it is deleted.
    pub organization_name: Option<String>,
}

/// A new password of somebody who knows the old one.
#[derive(Clone, Debug)]
pub struct NewPassword {
    /// Whose.
    pub user: UserId,
    /// The stored hash that the old one was held against.
    pub proved: PasswordHash,
    /// The new hash.
    pub hash: PasswordHash,
    /// The session that goes on; all others end.
    pub keep: Option<SessionDigest>,
}

/// The users. Every change and its entry in the audit log are written together.
#[async_trait]
pub trait Accounts: Send + Sync {
    /// A page of the users within a scope, oldest first.
    async fn users(&self, scope: Scope, page: PageRequest) -> Result<Vec<ListedUser>, StoreUnavailable>;

    /// One of them.
    async fn user(&self, scope: Scope, id: UserId) -> Result<Option<User>, StoreUnavailable>;

    /// Who signs in by this e-mail address, in any case, one of a tenant, oldest first: for the operator, who
    /// reaches everybody.
    async fn users_by_email(&self, email: &str) -> Result<Vec<User>, StoreUnavailable>;

    /// A stored hash of a user with this e-mail address, of whatever tenant: see [`Passwords::hash`].
    ///
    /// [`Passwords::hash`]: super::Passwords::hash
    async fn hash_by_email(&self, email: &str) -> Result<Option<PasswordHash>, StoreUnavailable>;

    /// Adds a user, of an organization that is live; whether other tenants have a user with the e-mail
    /// address changes nothing. With the first user of all, the link of the first
    /// set-up goes.
    async fn add(&self, user: User, admission: Admission, deed: Deed) -> Result<(), AddUserError>;

    /// Gives a user a link by which they set a password, in place of any earlier one. Until it is used,
    /// a password that they have stays.
    async fn invite(
        &self,
        scope: Scope,
        id: UserId,
        link: Link,
        deed: Deed,
    ) -> Result<Option<User>, StoreUnavailable>;

    /// Gives a user another role, from their next request on.
    async fn change_role(
        &self,
        scope: Scope,
        id: UserId,
        role: Role,
        deed: Deed,
    ) -> Result<UserChange, StoreUnavailable>;

    /// Removes a user with sessions and links; their e-mail address is free again. Of two at once, one
    /// is told `Done`.
    async fn remove(&self, scope: Scope, id: UserId, deed: Deed) -> Result<UserChange, StoreUnavailable>;

    /// Sets a user's own new password, if the proved one still is theirs, and ends all sessions but
    /// the kept one.
    async fn set_password(&self, password: NewPassword, deed: Deed) -> Result<bool, StoreUnavailable>;
}
