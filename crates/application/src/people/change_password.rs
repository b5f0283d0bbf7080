//! Changing one's own password, by proving the old one.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use domain::audit::Deed;
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
        let proved = account.map(|(_, hash)| hash);
        // A session is held, from wherever it is used.
        let requester = Requester::known(Some(from));
        let Ok(verdict) = self.passwords.verify(old, proved.clone().into_iter().collect(), requester).await
        else {
            self.tries.take_back(&user.email, from).await?;
            return Ok(ChangingPassword::Busy);
        };
        let (Verdict::Right { .. }, Some(proved)) = (verdict, proved) else {
            return Ok(ChangingPassword::Wrong);
        };
        self.tries.succeeded(&user.email, user.id, from, deed.at).await?;
        let Ok(hash) = self.passwords.hash(new, Some(proved.clone()), requester).await else {
            return Ok(ChangingPassword::Busy);
        };
        let password = NewPassword { user: user.id, proved, hash, keep: Some(keep) };
        let set = self.accounts.set_password(password, deed).await?;
        Ok(if set { ChangingPassword::Done } else { ChangingPassword::Wrong })
    }
}
