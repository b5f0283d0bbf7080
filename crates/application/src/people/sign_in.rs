//! Signing in by e-mail address and password.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use domain::organization::is_email;
use domain::ports::{Attempt, Passwords, Requester, Sessions, SignInTries, StoreUnavailable, Trial, Verdict};
use domain::secret::Secret;
use domain::session::{NewSession, SignedIn};

use crate::causes::causes;

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
    /// Begins `session`, if the password is a user's with this e-mail address; of users in several tenants
    /// the password tells which. How many there are changes neither the work nor the answer.
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
        let at = session.at;
        let Trial { accounts, known } = match self.tries.begin_try(email, from, at).await? {
            Attempt::Wait(wait) => return Ok(SigningIn::Wait(wait)),
            Attempt::Try(trial) => trial,
        };
        let requester = if known { Requester::known(Some(from)) } else { Requester::stranger(from) };
        let hashes = accounts.iter().map(|(_, hash)| hash.clone()).collect();
        let Ok(verdict) = self.passwords.verify(password.clone(), hashes, requester).await else {
            self.tries.take_back(email, from).await?;
            return Ok(SigningIn::Busy);
        };
        let Verdict::Right { which, outdated } = verdict else { return Ok(SigningIn::Wrong) };
        let Some((user, proved)) = accounts.into_iter().nth(which) else { return Ok(SigningIn::Wrong) };
        // When there is no room for it now, there will be at another sign-in.
        let rehashed = if outdated {
            let (alike, requester) = (Some(proved.clone()), Requester::known(Some(from)));
            self.passwords.hash(password, alike, requester).await.ok()
        } else {
            None
        };
        let sign_in = domain::ports::SignIn { user, proved, rehashed, session };
        let Some(signed_in) = self.sessions.begin(sign_in).await? else { return Ok(SigningIn::Wrong) };
        // The session has begun: refused now, it would live on without anybody who holds it.
        if let Err(error) = self.tries.succeeded(email, user, from, at).await {
            tracing::warn!(error = causes(&error), "a sign-in stays counted as a failed one");
        }
        Ok(SigningIn::Done(signed_in))
    }
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;
    use domain::ids::{NewId, TenantId, UserId};
    use domain::organization::Tenant;
    use domain::password::PasswordHash;
    use domain::ports::{Admission, Busy};
    use domain::session::SessionDigest;
    use domain::testing::{InMemory, World, deed, moment};
    use domain::user::{Role, User};
    use time::OffsetDateTime;

    use super::*;

    /// A store that goes away as soon as the session has begun.
    struct Gone(Arc<dyn SignInTries>);

    #[async_trait]
    impl SignInTries for Gone {
        async fn begin_try(
            &self,
            email: &str,
            from: IpAddr,
            now: OffsetDateTime,
        ) -> Result<Attempt, StoreUnavailable> {
            self.0.begin_try(email, from, now).await
        }

        async fn succeeded(
            &self,
            _: &str,
            _: UserId,
            _: IpAddr,
            _: OffsetDateTime,
        ) -> Result<(), StoreUnavailable> {
            Err(StoreUnavailable::because("the store went away"))
        }

        async fn take_back(&self, email: &str, from: IpAddr) -> Result<(), StoreUnavailable> {
            self.0.take_back(email, from).await
        }
    }

    /// Every password is right.
    struct Trusting;

    #[async_trait]
    impl Passwords for Trusting {
        async fn hash(
            &self,
            _: Secret<String>,
            _: Option<PasswordHash>,
            _: Requester,
        ) -> Result<PasswordHash, Busy> {
            Err(Busy)
        }

        async fn verify(
            &self,
            _: Secret<String>,
            against: Vec<PasswordHash>,
            _: Requester,
        ) -> Result<Verdict, Busy> {
            let right = Verdict::Right { which: 0, outdated: false };
            Ok(if against.is_empty() { Verdict::Wrong } else { right })
        }
    }

    #[tokio::test]
    async fn whoever_has_a_session_is_told_so_although_the_try_stays_counted() {
        let world = World::new(InMemory::default(), ());
        let tenant = TenantId::from(NewId::at(moment(0), [7; 10]));
        world
            .add_tenant(Tenant { id: tenant, name: "Clinic".to_owned(), created_at: moment(0) })
            .await
            .unwrap();
        let ada = User {
            id: UserId::from_uuid(tenant.uuid()),
            tenant,
            organization: None,
            email: "ada@clinic.example".to_owned(),
            role: Role::Admin,
            active: true,
            created_at: moment(0),
            signed_in_at: None,
        };
        let hash = PasswordHash::from_phc("$hash$".to_owned());
        world.accounts.add(ada.clone(), Admission::Password(hash), deed(moment(0))).await.unwrap();
        let sign_in = SignIn {
            tries: Arc::new(Gone(world.tries.clone())),
            passwords: Arc::new(Trusting),
            sessions: world.sessions.clone(),
        };
        let session = NewSession::new(SessionDigest([7; 32]), None, None, moment(1));
        let from = [192, 0, 2, 7].into();
        let told = sign_in.sign_in(&ada.email, Secret::new("x".to_owned()), from, session).await.unwrap();
        let SigningIn::Done(signed_in) = told else { unreachable!("{told:?}") };
        assert_eq!((signed_in.user.id, signed_in.session), (ada.id, SessionDigest([7; 32])));
        assert_eq!(world.sessions.sessions_of(ada.id, moment(2)).await.unwrap().len(), 1);
    }
}
