//! Users in memory.

use async_trait::async_trait;

use super::people::Person;
use super::setup::cut;
use super::{InMemory, State};
use crate::audit::{Action, Deed, role_change};
use crate::ids::UserId;
use crate::page::PageRequest;
use crate::password::PasswordHash;
use crate::ports::{
    Accounts, AddUserError, Admission, ListedUser, NewPassword, StoreUnavailable, USERS_MAX, UserChange,
};
use crate::scope::Scope;
use crate::session::Link;
use crate::user::{Role, User};

#[async_trait]
impl Accounts for InMemory {
    async fn users(&self, scope: Scope, page: PageRequest) -> Result<Vec<ListedUser>, StoreUnavailable> {
        let state = self.reach()?;
        let all = state.people.users.values().map(|person| &person.user);
        let mut found: Vec<_> = all.filter(|user| user.is_within(scope)).cloned().collect();
        found.sort_by_key(|user| (user.created_at, user.id));
        let listed = cut(found, page).into_iter().map(|user| {
            let own = user.organization.and_then(|id| state.organizations.get(&id));
            let organization_name = own.map(|entry| entry.organization.profile.name.clone());
            ListedUser { user, organization_name }
        });
        Ok(listed.collect())
    }

    async fn user(&self, scope: Scope, id: UserId) -> Result<Option<User>, StoreUnavailable> {
        Ok(self.reach()?.user_within(scope, id))
    }

    async fn users_by_email(&self, email: &str) -> Result<Vec<User>, StoreUnavailable> {
        Ok(self.reach()?.people.by_email(email).into_iter().map(|person| person.user.clone()).collect())
    }

    async fn hash_by_email(&self, email: &str) -> Result<Option<PasswordHash>, StoreUnavailable> {
        Ok(self.reach()?.people.by_email(email).into_iter().find_map(|person| person.hash.clone()))
    }

    async fn add(&self, user: User, admission: Admission, deed: Deed) -> Result<(), AddUserError> {
        let mut state = self.reach()?;
        let live = match user.organization {
            None => state.tenants.contains_key(&user.tenant),
            Some(id) => state.live_organization(id).is_some_and(|own| own.tenant == user.tenant),
        };
        if !live {
            return Err(AddUserError::UnknownOwner);
        }
        if state.people.by_email(&user.email).iter().any(|person| person.user.tenant == user.tenant) {
            return Err(AddUserError::EmailTaken);
        }
        let own = state.people.users.values().filter(|person| person.user.tenant == user.tenant);
        if own.count() >= USERS_MAX {
            return Err(AddUserError::TooMany);
        }
        if state.people.users.contains_key(&user.id) {
            return Err(StoreUnavailable::because("the id is known already").into());
        }
        state.note(&deed, user.scope(), Action::UserCreate, user.id, Some(&user.email));
        let hash = match admission {
            Admission::Password(hash) => Some(hash),
            Admission::Invitation(link) => {
                state.people.invitations.insert(user.id, link);
                None
            }
        };
        state.people.begun = true;
        state.people.set_up = None;
        let user = User { active: hash.is_some(), signed_in_at: None, ..user };
        state.people.users.insert(user.id, Person { user, hash });
        Ok(())
    }

    async fn invite(
        &self,
        scope: Scope,
        id: UserId,
        link: Link,
        deed: Deed,
    ) -> Result<Option<User>, StoreUnavailable> {
        let mut state = self.reach()?;
        let Some(user) = state.user_within(scope, id) else { return Ok(None) };
        state.people.invitations.insert(id, link);
        state.note(&deed, user.scope(), Action::UserInvite, id, Some(&user.email));
        Ok(Some(user))
    }

    async fn change_role(
        &self,
        scope: Scope,
        id: UserId,
        role: Role,
        deed: Deed,
    ) -> Result<UserChange, StoreUnavailable> {
        let mut state = self.reach()?;
        let Some(user) = state.user_within(scope, id) else { return Ok(UserChange::Unknown) };
        if role != Role::Admin && state.is_last_admin(&user) {
            return Ok(UserChange::LastAdmin);
        }
        let changed = User { role, ..user };
        if let Some(person) = state.people.users.get_mut(&id) {
            person.user = changed.clone();
        }
        let name = role_change(&changed.email, role);
        state.note(&deed, changed.scope(), Action::UserRole, id, Some(&name));
        Ok(UserChange::Done(changed))
    }

    async fn remove(&self, scope: Scope, id: UserId, deed: Deed) -> Result<UserChange, StoreUnavailable> {
        let mut state = self.reach()?;
        let Some(user) = state.user_within(scope, id) else { return Ok(UserChange::Unknown) };
        if state.is_last_admin(&user) {
            return Ok(UserChange::LastAdmin);
        }
        state.people.users.remove(&id);
        state.people.invitations.remove(&id);
        state.people.end_sessions(id, None);
        state.note(&deed, user.scope(), Action::UserRemove, id, Some(&user.email));
        Ok(UserChange::Done(user))
    }

    async fn set_password(&self, password: NewPassword, deed: Deed) -> Result<bool, StoreUnavailable> {
        let mut state = self.reach()?;
        let NewPassword { user, proved, hash, keep } = password;
        let found = state.people.users.get(&user).filter(|person| person.hash.as_ref() == Some(&proved));
        let Some(own) = found.map(|person| person.user.clone()) else { return Ok(false) };
        state.people.activate(user, hash);
        state.people.invitations.remove(&user);
        state.people.end_sessions(user, keep);
        state.note(&deed, own.scope(), Action::UserPassword, user, Some(&own.email));
        Ok(true)
    }
}

impl State {
    fn user_within(&self, scope: Scope, id: UserId) -> Option<User> {
        let person = self.people.users.get(&id)?;
        person.user.is_within(scope).then(|| person.user.clone())
    }

    fn is_last_admin(&self, user: &User) -> bool {
        user.runs_the_tenant() && !self.people.another_runs(user.tenant, user.id)
    }
}
