//! Signing in, and staying so.

use std::net::IpAddr;
use std::time::Duration;

use async_trait::async_trait;
use time::OffsetDateTime;

use super::StoreUnavailable;
use crate::audit::Deed;
use crate::ids::UserId;
use crate::password::PasswordHash;
use crate::session::{NewSession, Session, SessionDigest, SignedIn};

/// What a session begins with.
#[derive(Clone, Debug)]
pub struct SignIn {
    /// Whose.
    pub user: UserId,
    /// The stored hash that the password was held against.
    pub proved: PasswordHash,
    /// The same password hashed as new ones are now, to take the place of the old hash.
    pub rehashed: Option<PasswordHash>,
    /// The session.
    pub session: NewSession,
}

/// Sessions in the store.
#[async_trait]
pub trait Sessions: Send + Sync {
    /// Begins a session, if the proved password still is the user's. Who has too many sessions loses
    /// the one that was not used longest.
    async fn begin(&self, sign_in: SignIn) -> Result<Option<SignedIn>, StoreUnavailable>;

    /// Whose live session this is; read from the primary each time, so that an ended session, a
    /// removed user and a changed role count at once. Notes the use, at most a minute late, without
    /// making the caller wait for a write.
    async fn find(
        &self,
        session: SessionDigest,
        now: OffsetDateTime,
    ) -> Result<Option<SignedIn>, StoreUnavailable>;

    /// As `find`, but no use: what goes on by itself keeps no session alive.
    async fn look_up(
        &self,
        session: SessionDigest,
        now: OffsetDateTime,
    ) -> Result<Option<SignedIn>, StoreUnavailable>;

    /// A user's live sessions, the last used first.
    async fn sessions_of(&self, user: UserId, now: OffsetDateTime) -> Result<Vec<Session>, StoreUnavailable>;

    /// Ends one session of a user; `false` when there is none.
    async fn end(&self, user: UserId, session: SessionDigest) -> Result<bool, StoreUnavailable>;

    /// Ends all sessions of a user.
    async fn end_all(&self, user: UserId, deed: Deed) -> Result<(), StoreUnavailable>;
}

/// What somebody who wants to sign in meets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Attempt {
    /// Too many tries failed: the next one may be made after so long. This one counts for nothing.
    Wait(Duration),
    /// A password may be tried; the try is counted as failed already.
    Try(Trial),
}

/// What a password is tried on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trial {
    /// The users with the e-mail address who have a password, and its stored hash, oldest first; those who
    /// may be tried, by [`Tries`](crate::back_off::Tries).
    pub accounts: Vec<(UserId, PasswordHash)>,
    /// Whether one of them signed in from this address within [`KNOWN_FOR`](crate::back_off::KNOWN_FOR).
    pub known: bool,
}

/// Tries to sign in, by account and by address.
#[async_trait]
pub trait SignInTries: Send + Sync {
    /// Lets a try begin or wait, as [`back_off`](crate::back_off) says. It is counted as failed before
    /// anybody looks at the password, so that guesses side by side are all counted. Telling somebody to
    /// wait takes a read, no more.
    async fn begin_try(
        &self,
        email: &str,
        from: IpAddr,
        now: OffsetDateTime,
    ) -> Result<Attempt, StoreUnavailable>;

    /// The password was the user's: the try counts for nothing against the address, and neither against the
    /// account when no other user with the e-mail address has a password. The user is known here from now on,
    /// for [`KNOWN_FOR`](crate::back_off::KNOWN_FOR), and forgiven what failed here.
    async fn succeeded(
        &self,
        email: &str,
        user: UserId,
        from: IpAddr,
        at: OffsetDateTime,
    ) -> Result<(), StoreUnavailable>;

    /// Nobody could look at the password: the account and the address have this one failure less.
    async fn take_back(&self, email: &str, from: IpAddr) -> Result<(), StoreUnavailable>;
}
