//! One-time links: invitations, and the first set-up of an empty installation.

use std::net::IpAddr;

use async_trait::async_trait;
use time::OffsetDateTime;

use super::{NewOrganization, StoreUnavailable};
use crate::organization::Tenant;
use crate::password::PasswordHash;
use crate::session::{Link, LinkDigest, NewSession, SignedIn};
use crate::user::User;

/// Invitations of users. They have each one at a time.
#[async_trait]
pub trait Invitations: Send + Sync {
    /// Who is invited by a link that still works.
    async fn invited(&self, link: LinkDigest, now: OffsetDateTime) -> Result<Option<User>, StoreUnavailable>;

    /// Sets the password, ends all earlier sessions, begins the first new one and uses the link up:
    /// together, and once. None when the link works no more.
    async fn accept(
        &self,
        link: LinkDigest,
        hash: PasswordHash,
        session: NewSession,
    ) -> Result<Option<SignedIn>, StoreUnavailable>;
}

/// What the first set-up makes.
#[derive(Debug)]
pub struct FirstSetUp {
    /// The tenant.
    pub tenant: Tenant,
    /// Who runs it, with a password.
    pub user: User,
    /// The user's password.
    pub hash: PasswordHash,
    /// Its first organization.
    pub organization: NewOrganization,
    /// The user's first session.
    pub session: NewSession,
}

impl FirstSetUp {
    /// From which address it is made.
    pub fn from(&self) -> Option<IpAddr> {
        self.session.from
    }
}

/// The first set-up, which is open only as long as there never was a user.
#[async_trait]
pub trait SetUp: Send + Sync {
    /// Puts a link in the place of any earlier one; `false` when there is a user, or was one.
    async fn offer(&self, link: Link) -> Result<bool, StoreUnavailable>;

    /// Whether the link still works.
    async fn is_open(&self, link: LinkDigest, now: OffsetDateTime) -> Result<bool, StoreUnavailable>;

    /// Makes tenant, user, organization and session and uses the link up: together, and once. None
    /// when the link works no more.
    async fn set_up(&self, link: LinkDigest, first: FirstSetUp)
    -> Result<Option<SignedIn>, StoreUnavailable>;
}
