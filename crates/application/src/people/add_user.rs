//! Adding users, and inviting them.

use std::sync::Arc;

use domain::audit::Deed;
use domain::ids::{NewId, OrganizationId, TenantId, UserId};
use domain::password::{self, WeakPassword};
use domain::ports::{Accounts, AddUserError, Admission, Entropy, Passwords, Requester, StoreUnavailable};
use domain::scope::Scope;
use domain::secret::Secret;
use domain::session::INVITATION_LIFE;
use domain::user::{Role, User};

use super::links::{self, MintedLink};

/// Somebody to be added.
#[derive(Clone, Debug)]
pub struct Newcomer {
    /// Where they belong.
    pub tenant: TenantId,
    /// The one organization that they are limited to; none for the whole tenant.
    pub organization: Option<OrganizationId>,
    /// By which they sign in.
    pub email: String,
    /// How much they may do.
    pub role: Role,
}

/// Why somebody was not added with a password.
#[derive(Debug, thiserror::Error)]
pub enum PasswordRefused {
    /// The password is not taken.
    #[error("{}", .0.as_str())]
    Weak(WeakPassword),
    /// See [`AddUserError`].
    #[error(transparent)]
    Add(#[from] AddUserError),
    /// Too many passwords are being hashed at once.
    #[error(transparent)]
    Busy(#[from] domain::ports::Busy),
}

/// Adds users.
pub struct AddUser {
    /// Keeps them.
    pub accounts: Arc<dyn Accounts>,
    /// Makes ids and links unpredictable.
    pub entropy: Arc<dyn Entropy>,
}

impl AddUser {
    /// Adds somebody who sets their password by the link that is answered.
    pub async fn invite(&self, new: Newcomer, deed: Deed) -> Result<(User, MintedLink), AddUserError> {
        let minted = links::mint(self.entropy.as_ref(), deed.at, INVITATION_LIFE);
        let user = self.user(new, &deed, false);
        self.accounts.add(user.clone(), Admission::Invitation(minted.link), deed).await?;
        Ok((user, minted))
    }

    /// Gives somebody a new link, in place of any earlier one; none when there is no such user in reach.
    pub async fn invite_again(
        &self,
        scope: Scope,
        id: UserId,
        deed: Deed,
    ) -> Result<Option<(User, MintedLink)>, StoreUnavailable> {
        let minted = links::mint(self.entropy.as_ref(), deed.at, INVITATION_LIFE);
        let invited = self.accounts.invite(scope, id, minted.link, deed).await?;
        Ok(invited.map(|user| (user, minted)))
    }

    /// Adds somebody with a password.
    pub async fn with_password(
        &self,
        new: Newcomer,
        password: Secret<String>,
        passwords: &dyn Passwords,
        deed: Deed,
    ) -> Result<User, PasswordRefused> {
        password::judge(password.reveal(), &new.email).map_err(PasswordRefused::Weak)?;
        let alike = self.accounts.hash_by_email(&new.email).await.map_err(AddUserError::from)?;
        let hash = passwords.hash(password, alike, Requester::known(deed.from)).await?;
        let user = self.user(new, &deed, true);
        self.accounts.add(user.clone(), Admission::Password(hash), deed).await?;
        Ok(user)
    }

    fn user(&self, new: Newcomer, deed: &Deed, active: bool) -> User {
        let mut random = [0; 10];
        self.entropy.fill(&mut random);
        User {
            id: NewId::at(deed.at, random).into(),
            tenant: new.tenant,
            organization: new.organization,
            email: new.email,
            role: new.role,
            active,
            created_at: deed.at,
            signed_in_at: None,
        }
    }
}
