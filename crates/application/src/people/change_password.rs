//! Changing one's own password, by proving the old one.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use domain::audit::Deed;
use domain::back_off::ACCOUNT_WAIT_MAX;
use domain::password::{self, WeakPassword};
use domain::ports::{
    Accounts, Attempt, NewPassword, Passwords, Requester, SignInTries, StoreUnavailable, Verdict,
};
use domain::secret::Secret;
use domain::session::SessionDigest;
use domain::user::User;

/// What became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangingPassword {
    /// It is set, and other sessions are over.
    Done,
    /// The old password is another one.
    Wrong,
    /// The new password is not taken.
    Weak(WeakPassword),
    /// Too much went wrong before; the next try may be made after so long.
    Wait(Duration),
    /// Too many passwords are being hashed at once.
    Busy,
}

/// Changes passwords.
pub struct ChangePassword {
    /// Keeps the users.
    pub accounts: Arc<dyn Accounts>,
    /// Counts what goes wrong: a session that was left open is no place to guess, either.
    pub tries: Arc<dyn SignInTries>,
    /// Checks and hashes.
    pub passwords: Arc<dyn Passwords>,
}

impl ChangePassword {
    /// Sets `new` if `old` is the user's; all sessions but `keep` end.
    pub async fn change(
        &self,
        user: &User,
        old: Secret<String>,
        new: Secret<String>,
        keep: SessionDigest,
        from: IpAddr,
        deed: Deed,
    ) -> Result<ChangingPassword, StoreUnavailable> {
        if let Err(why) = password::judge(new.reveal(), &user.email) {
            return Ok(ChangingPassword::Weak(why));
        }
        let account = match self.tries.begin_try(&user.email, from, deed.at).await? {
            Attempt::Wait(wait) => return Ok(ChangingPassword::Wait(wait)),
            Attempt::Try(trial) => trial.accounts.into_iter().find(|(id, _)| *id == user.id),
        };
        // Others with the e-mail address may be tried now, this user may not: nothing is held against theirs.
        let Some((_, proved)) = account else {
            self.tries.take_back(&user.email, from).await?;
            return Ok(ChangingPassword::Wait(ACCOUNT_WAIT_MAX));
        };
        // A session is held, from wherever it is used.
        let requester = Requester::known(Some(from));
        let Ok(verdict) = self.passwords.verify(old, vec![proved.clone()], requester).await else {
            self.tries.take_back(&user.email, from).await?;
            return Ok(ChangingPassword::Busy);
        };
        let Verdict::Right { .. } = verdict else { return Ok(ChangingPassword::Wrong) };
        self.tries.succeeded(&user.email, user.id, from, deed.at).await?;
        let Ok(hash) = self.passwords.hash(new, Some(proved.clone()), requester).await else {
            return Ok(ChangingPassword::Busy);
        };
        let password = NewPassword { user: user.id, proved, hash, keep: Some(keep) };
        let set = self.accounts.set_password(password, deed).await?;
        Ok(if set { ChangingPassword::Done } else { ChangingPassword::Wrong })
    }
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;
    use domain::ids::{NewId, TenantId, UserId};
    use domain::organization::Tenant;
    use domain::password::PasswordHash;
    use domain::ports::{Admission, Busy};
    use domain::testing::{InMemory, World, deed, moment};
    use domain::user::Role;

    use super::*;

    /// Every password is right where there is one.
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

    /// Somebody with the same e-mail address in a tenant of their own.
    async fn namesake(world: &World, number: u8) -> User {
        let tenant = TenantId::from(NewId::at(moment(0), [number; 10]));
        let name = format!("Clinic {number}");
        world.add_tenant(Tenant { id: tenant, name, created_at: moment(0) }).await.unwrap();
        let user = User {
            id: UserId::from_uuid(tenant.uuid()),
            tenant,
            organization: None,
            email: "ada@clinic.example".to_owned(),
            role: Role::Admin,
            active: true,
            created_at: moment(0),
            signed_in_at: None,
        };
        let hash = PasswordHash::from_phc(format!("$hash${number}"));
        world.accounts.add(user.clone(), Admission::Password(hash), deed(moment(0))).await.unwrap();
        user
    }

    #[tokio::test]
    async fn change_waits_while_only_a_namesake_may_be_tried() {
        let world = World::new(InMemory::default(), ());
        let (user, other) = (namesake(&world, 1).await, namesake(&world, 2).await);
        let from = [192, 0, 2, 7].into();
        for _ in 0..5 {
            let attempt = world.tries.begin_try(&user.email, from, moment(1)).await.unwrap();
            assert!(matches!(attempt, Attempt::Try(_)), "{attempt:?}");
        }
        world.tries.succeeded(&other.email, other.id, from, moment(1)).await.unwrap();
        let change = ChangePassword {
            accounts: world.accounts.clone(),
            tries: world.tries.clone(),
            passwords: Arc::new(Trusting),
        };
        let secret = |text: &str| Secret::new(text.to_owned());
        let (old, new) = (secret("x"), secret("a long enough phrase of nobody"));
        let keep = SessionDigest([7; 32]);
        let told = change.change(&user, old, new, keep, from, deed(moment(1))).await.unwrap();
        assert_eq!(told, ChangingPassword::Wait(ACCOUNT_WAIT_MAX));
        let Attempt::Try(trial) = world.tries.begin_try(&user.email, from, moment(2)).await.unwrap() else {
            unreachable!("five failures cost a second")
        };
        assert!(trial.accounts.iter().any(|(id, _)| *id == user.id), "it counted for nothing");
    }
}
