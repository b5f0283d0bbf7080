//! Accepting an invitation: a first password, or another one for somebody who forgot theirs.

use std::sync::Arc;

use domain::password::{self, WeakPassword};
use domain::ports::{Accounts, Invitations, Passwords, Requester, StoreUnavailable};
use domain::secret::Secret;
use domain::session::{LinkDigest, NewSession, SignedIn};

/// What became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Accepting {
    /// The password is set, and the session has begun.
    Done(SignedIn),
    /// The link works no more.
    Gone,
    /// The password is not taken.
    Weak(WeakPassword),
    /// Too many passwords are being hashed at once.
    Busy,
}

/// Lets invited people in.
pub struct AcceptInvitation {
    /// Keeps the links.
    pub invitations: Arc<dyn Invitations>,
    /// Knows the other users with the e-mail address.
    pub accounts: Arc<dyn Accounts>,
    /// Hashes the password.
    pub passwords: Arc<dyn Passwords>,
}

impl AcceptInvitation {
    /// Sets the password and begins `session`, once for each link.
    pub async fn accept(
        &self,
        link: LinkDigest,
        password: Secret<String>,
        session: NewSession,
    ) -> Result<Accepting, StoreUnavailable> {
        let Some(user) = self.invitations.invited(link, session.at).await? else {
            return Ok(Accepting::Gone);
        };
        if let Err(why) = password::judge(password.reveal(), &user.email) {
            return Ok(Accepting::Weak(why));
        }
        let (alike, requester) =
            (self.accounts.hash_by_email(&user.email).await?, Requester::known(session.from));
        let Ok(hash) = self.passwords.hash(password, alike, requester).await else {
            return Ok(Accepting::Busy);
        };
        let accepted = self.invitations.accept(link, hash, session).await?;
        Ok(accepted.map_or(Accepting::Gone, Accepting::Done))
    }
}
