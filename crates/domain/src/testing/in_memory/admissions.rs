//! One-time links in memory.

use async_trait::async_trait;
use time::OffsetDateTime;

use super::people::{Person, own_deed};
use super::{InMemory, OrganizationEntry, State};
use crate::audit::Action;
use crate::ids::UserId;
use crate::password::PasswordHash;
use crate::ports::{FirstSetUp, Invitations, SetUp, StoreUnavailable};
use crate::session::{Link, LinkDigest, NewSession, SignedIn};
use crate::user::User;

#[async_trait]
impl Invitations for InMemory {
    async fn invited(&self, link: LinkDigest, now: OffsetDateTime) -> Result<Option<User>, StoreUnavailable> {
        let state = self.reach()?;
        Ok(state.invited(link, now).and_then(|id| Some(state.people.users.get(&id)?.user.clone())))
    }

    async fn accept(
        &self,
        link: LinkDigest,
        hash: PasswordHash,
        session: NewSession,
    ) -> Result<Option<SignedIn>, StoreUnavailable> {
        let mut state = self.reach()?;
        let Some(id) = state.invited(link, session.at) else { return Ok(None) };
        state.people.invitations.remove(&id);
        state.people.activate(id, hash);
        state.people.end_sessions(id, None);
        if let Some(user) = state.people.users.get(&id).map(|person| person.user.clone()) {
            let deed = own_deed(&user, session.from, session.at);
            state.note(&deed, user.scope(), Action::UserPassword, id, Some(&user.email));
        }
        Ok(state.begin_session(id, session))
    }
}

#[async_trait]
impl SetUp for InMemory {
    async fn offer(&self, link: Link) -> Result<bool, StoreUnavailable> {
        let people = &mut self.reach()?.people;
        if !people.begun {
            people.set_up = Some(link);
        }
        Ok(!people.begun)
    }

    async fn is_open(&self, link: LinkDigest, now: OffsetDateTime) -> Result<bool, StoreUnavailable> {
        Ok(self.reach()?.is_open(link, now))
    }

    async fn set_up(
        &self,
        link: LinkDigest,
        first: FirstSetUp,
    ) -> Result<Option<SignedIn>, StoreUnavailable> {
        let mut state = self.reach()?;
        if !state.is_open(link, first.session.at) {
            return Ok(None);
        }
        let FirstSetUp { tenant, user, hash, organization, session } = first;
        state.people.set_up = None;
        state.people.begun = true;
        let deed = organization.deed;
        let whole = user.scope();
        state.note(&deed, whole, Action::TenantCreate, tenant.id, Some(&tenant.name));
        state.tenants.insert(tenant.id, tenant);
        state.note(&deed, whole, Action::UserCreate, user.id, Some(&user.email));
        let id = user.id;
        state.people.users.insert(id, Person { user: User { active: true, ..user }, hash: Some(hash) });
        let entry = OrganizationEntry::new(organization.organization, organization.signing_secret);
        let own = &entry.organization;
        let within = crate::scope::Scope::Organization(own.tenant, own.id);
        state.note(&deed, within, Action::OrganizationCreate, own.id, Some(&own.profile.name));
        state.organizations.insert(own.id, entry);
        Ok(state.begin_session(id, session))
    }
}

impl State {
    fn invited(&self, link: LinkDigest, now: OffsetDateTime) -> Option<UserId> {
        let works = |own: &Link| own.digest == link && own.expires_at > now;
        self.people.invitations.iter().find(|(_, own)| works(own)).map(|(id, _)| *id)
    }

    fn is_open(&self, link: LinkDigest, now: OffsetDateTime) -> bool {
        let works = |own: &Link| own.digest == link && own.expires_at > now;
        !self.people.begun && self.people.set_up.as_ref().is_some_and(works)
    }
}
