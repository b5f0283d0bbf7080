//! What is known of people, in memory.

use std::collections::{BTreeMap, HashMap};

use time::OffsetDateTime;

use super::State;
use crate::audit::{Action, Actor, Deed};
use crate::back_off::{Failures, KnownUser, Subject};
use crate::ids::{TenantId, UserId};
use crate::organization::folded;
use crate::password::PasswordHash;
use crate::session::{Link, NewSession, SESSIONS_MAX, Session, SessionDigest, SignedIn};
use crate::user::User;

#[derive(Default)]
pub(super) struct People {
    pub(super) users: BTreeMap<UserId, Person>,
    /// Whether there ever was a user.
    pub(super) begun: bool,
    pub(super) sessions: HashMap<SessionDigest, (UserId, Session)>,
    pub(super) invitations: BTreeMap<UserId, Link>,
    pub(super) set_up: Option<Link>,
    pub(super) failures: HashMap<Subject, Failures>,
    /// Users where they signed in.
    pub(super) known: HashMap<Subject, KnownUser>,
}

pub(super) struct Person {
    pub(super) user: User,
    pub(super) hash: Option<PasswordHash>,
}

impl People {
    /// One of a tenant, oldest first.
    pub(super) fn by_email(&self, email: &str) -> Vec<&Person> {
        let email = folded(email);
        let own = |person: &&Person| folded(&person.user.email) == email;
        let mut found: Vec<_> = self.users.values().filter(own).collect();
        found.sort_by_key(|person| (person.user.created_at, person.user.id));
        found
    }

    /// Counts one failure less.
    pub(super) fn take_back(&mut self, of: &Subject) {
        if let Some(own) = self.failures.get_mut(of) {
            own.count = own.count.saturating_sub(1);
        }
    }

    /// Whether somebody else runs the tenant too.
    pub(super) fn another_runs(&self, tenant: TenantId, than: UserId) -> bool {
        let mut all = self.users.values().map(|person| &person.user);
        all.any(|user| user.tenant == tenant && user.id != than && user.runs_the_tenant())
    }

    pub(super) fn end_sessions(&mut self, of: UserId, keep: Option<SessionDigest>) {
        self.sessions.retain(|digest, (user, _)| *user != of || Some(*digest) == keep);
    }

    /// Sets a password by which the user signs in from now on.
    pub(super) fn activate(&mut self, user: UserId, hash: PasswordHash) {
        if let Some(person) = self.users.get_mut(&user) {
            person.hash = Some(hash);
            person.user.active = true;
        }
    }
}

impl State {
    /// Begins a session of a user, and notes it.
    pub(super) fn begin_session(&mut self, id: UserId, new: NewSession) -> Option<SignedIn> {
        let NewSession { digest, from, user_agent, at } = new;
        let person = self.people.users.get_mut(&id)?;
        person.user.signed_in_at = Some(at);
        let user = person.user.clone();
        let expires_at = Session::expiry(at, at);
        let session = Session { digest, created_at: at, seen_at: at, expires_at, from, user_agent };
        self.people.sessions.insert(digest, (id, session));
        let own = self.people.sessions.values().filter(|(of, _)| *of == id);
        let mut own: Vec<_> = own.map(|(_, session)| (session.seen_at, session.digest)).collect();
        own.sort_unstable();
        let surplus = own.len().saturating_sub(SESSIONS_MAX);
        for (_, digest) in own.into_iter().filter(|(_, other)| *other != digest).take(surplus) {
            self.people.sessions.remove(&digest);
        }
        let deed = own_deed(&user, from, at);
        self.note(&deed, user.scope(), Action::SignIn, id, Some(&user.email));
        Some(SignedIn { user, session: digest, since: at })
    }
}

/// What a user does to their own account.
pub(super) fn own_deed(user: &User, from: Option<std::net::IpAddr>, at: OffsetDateTime) -> Deed {
    Deed { actor: Actor::User(user.id, user.email.clone()), from, at }
}
