//! Signing in by e-mail address and password.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use domain::organization::is_email;
use domain::ports::{Attempt, Passwords, Sessions, SignInTries, StoreUnavailable, Verdict};
use domain::secret::Secret;
use domain::session::{NewSession, SignedIn};

/// What became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SigningIn {
    /// The session has begun.
    Done(SignedIn),
    /// No such user, or another password: nobody is told which.
    Wrong,
    /// Too much went wrong before; the next try may be made after so long.
    Wait(Duration),
    /// Too many passwords are being checked at once.
    Busy,
}

/// Signs people in.
pub struct SignIn {
    /// Counts what goes wrong.
    pub tries: Arc<dyn SignInTries>,
    /// Checks passwords.
    pub passwords: Arc<dyn Passwords>,
    /// Keeps sessions.
    pub sessions: Arc<dyn Sessions>,
}

impl SignIn {
    /// Begins `session`, if the password is the user's. Whether there is such a user changes neither
    /// the work nor the answer.
    pub async fn sign_in(
        &self,
        email: &str,
        password: Secret<String>,
        from: IpAddr,
        session: NewSession,
    ) -> Result<SigningIn, StoreUnavailable> {
        // Nobody has such an address, and nothing is counted of what may be of any length.
        if !is_email(email) {
            return Ok(SigningIn::Wrong);
        }
        let account = match self.tries.begin_try(email, from, session.at).await? {
            Attempt::Wait(wait) => return Ok(SigningIn::Wait(wait)),
            Attempt::Try(account) => account,
        };
        let hash = account.as_ref().map(|(_, hash)| hash.clone());
        let Ok(verdict) = self.passwords.verify(password.clone(), hash).await else {
            self.tries.take_back(email, from).await?;
            return Ok(SigningIn::Busy);
        };
        let (Verdict::Right { outdated }, Some((user, proved))) = (verdict, account) else {
            return Ok(SigningIn::Wrong);
        };
        // When there is no room for it now, there will be at another sign-in.
        let rehashed = if outdated { self.passwords.hash(password).await.ok() } else { None };
        let sign_in = domain::ports::SignIn { user, proved, rehashed, session };
        let Some(signed_in) = self.sessions.begin(sign_in).await? else { return Ok(SigningIn::Wrong) };
        self.tries.succeeded(email, from).await?;
        Ok(SigningIn::Done(signed_in))
    }
}
