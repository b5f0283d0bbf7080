//! Sessions, and tries to get one, in memory.

use std::net::IpAddr;

use async_trait::async_trait;
use time::OffsetDateTime;

use super::InMemory;
use crate::audit::{Action, Deed};
use crate::back_off::{self, Failures, KNOWN_FOR, Subject};
use crate::ids::UserId;
use crate::ports::{Attempt, Sessions, SignIn, SignInTries, StoreUnavailable, Trial};
use crate::session::{NOTE_AFTER, Session, SessionDigest, SignedIn};

#[async_trait]
impl Sessions for InMemory {
    async fn begin(&self, sign_in: SignIn) -> Result<Option<SignedIn>, StoreUnavailable> {
        let mut state = self.reach()?;
        let SignIn { user, proved, rehashed, session } = sign_in;
        if state.people.sessions.contains_key(&session.digest) {
            return Err(StoreUnavailable::because("the session is known already"));
        }
        let person = state.people.users.get(&user).filter(|person| person.hash == Some(proved));
        if person.is_none() {
            return Ok(None);
        }
        if let Some(hash) = rehashed {
            state.people.activate(user, hash);
        }
        Ok(state.begin_session(user, session))
    }

    async fn find(
        &self,
        session: SessionDigest,
        now: OffsetDateTime,
    ) -> Result<Option<SignedIn>, StoreUnavailable> {
        let found = self.look_up(session, now).await?;
        let mut state = self.reach()?;
        if found.is_some()
            && let Some((_, own)) = state.people.sessions.get_mut(&session)
            && own.seen_at <= now - NOTE_AFTER
        {
            own.seen_at = now;
            own.expires_at = Session::expiry(own.created_at, now);
        }
        Ok(found)
    }

    async fn look_up(
        &self,
        session: SessionDigest,
        now: OffsetDateTime,
    ) -> Result<Option<SignedIn>, StoreUnavailable> {
        let state = self.reach()?;
        let people = &state.people;
        let Some((id, found)) = people.sessions.get(&session) else { return Ok(None) };
        if found.expires_at <= now {
            return Ok(None);
        }
        let since = found.created_at;
        let user = people.users.get(id).map(|person| person.user.clone());
        Ok(user.map(|user| SignedIn { user, session, since }))
    }

    async fn sessions_of(&self, user: UserId, now: OffsetDateTime) -> Result<Vec<Session>, StoreUnavailable> {
        let state = self.reach()?;
        let live = |(of, session): &&(UserId, Session)| *of == user && session.expires_at > now;
        let all = state.people.sessions.values().filter(live);
        let mut found: Vec<_> = all.map(|(_, session)| session.clone()).collect();
        found.sort_by_key(|session| std::cmp::Reverse((session.seen_at, session.digest)));
        Ok(found)
    }

    async fn end(&self, user: UserId, session: SessionDigest) -> Result<bool, StoreUnavailable> {
        let mut state = self.reach()?;
        let sessions = &mut state.people.sessions;
        let own = sessions.get(&session).is_some_and(|(of, _)| *of == user);
        Ok(own && sessions.remove(&session).is_some())
    }

    async fn end_all(&self, user: UserId, deed: Deed) -> Result<(), StoreUnavailable> {
        let mut state = self.reach()?;
        state.people.end_sessions(user, None);
        let own = state.people.users.get(&user).map(|person| person.user.clone());
        if let Some(own) = own {
            state.note(&deed, own.scope(), Action::SignOutEverywhere, user, Some(&own.email));
        }
        Ok(())
    }
}

#[async_trait]
impl SignInTries for InMemory {
    async fn begin_try(
        &self,
        email: &str,
        from: IpAddr,
        now: OffsetDateTime,
    ) -> Result<Attempt, StoreUnavailable> {
        let mut state = self.reach()?;
        let people = &mut state.people;
        let subjects = Subject::all(email, from);
        let counted = subjects.iter().filter_map(|own| Some((own.clone(), *people.failures.get(own)?)));
        let known_until = subjects.iter().find_map(|own| people.known.get(own).copied());
        if let Some(wait) = back_off::wait(counted, known_until, now) {
            return Ok(Attempt::Wait(wait));
        }
        for subject in subjects {
            let failures = people.failures.entry(subject).or_insert(Failures { count: 0, last_at: now });
            *failures = failures.and_one(now);
        }
        let person = people.by_email(email);
        let account = person.and_then(|person| Some((person.user.id, person.hash.clone()?)));
        Ok(Attempt::Try(Trial { account, known: back_off::is_known(known_until, now) }))
    }

    async fn succeeded(&self, email: &str, from: IpAddr, at: OffsetDateTime) -> Result<(), StoreUnavailable> {
        let people = &mut self.reach()?.people;
        let failures = &mut people.failures;
        let [account, account_from, address] = Subject::all(email, from);
        failures.remove(&account);
        failures.remove(&account_from);
        if let Some(own) = failures.get_mut(&address) {
            own.count = own.count.saturating_sub(1);
        }
        people.known.insert(account_from, at + KNOWN_FOR);
        Ok(())
    }

    async fn take_back(&self, email: &str, from: IpAddr) -> Result<(), StoreUnavailable> {
        let mut state = self.reach()?;
        for subject in Subject::all(email, from) {
            if let Some(own) = state.people.failures.get_mut(&subject) {
                own.count = own.count.saturating_sub(1);
            }
        }
        Ok(())
    }
}
