//! Sessions, and tries to get one, in memory.

use std::net::IpAddr;

use async_trait::async_trait;
use time::OffsetDateTime;

use super::InMemory;
use crate::audit::{Action, Deed};
use crate::back_off::{self, Failures, KNOWN_FOR, KnownUser, Subject};
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
        let counted: Vec<_> = counted.collect();
        let accounts = people.by_email(email).into_iter();
        let accounts = accounts.filter_map(|person| Some((person.user.id, person.hash.clone()?)));
        let accounts: Vec<_> = accounts.collect();
        let known =
            accounts.iter().filter_map(|(id, _)| people.known.get(&Subject::known(*id, from)).copied());
        let known: Vec<_> = known.collect();
        let tries = match back_off::admit(&counted, &known, now) {
            Ok(tries) => tries,
            Err(wait) => return Ok(Attempt::Wait(wait)),
        };
        for subject in subjects {
            let failures =
                people.failures.entry(subject.clone()).or_insert(Failures { count: 0, last_at: now });
            let again = failures.count == 0 || failures.are_forgotten(now);
            *failures = failures.and_one(now);
            if again && matches!(subject, Subject::AccountFrom(..)) {
                for (id, _) in &accounts {
                    people.known.entry(Subject::known(*id, from)).and_modify(|known| known.forgiven = 0);
                }
            }
        }
        let accounts = accounts.into_iter().filter(|(id, _)| tries.include(*id)).collect();
        Ok(Attempt::Try(Trial { accounts, known: known.iter().any(|known| known.until > now) }))
    }

    async fn succeeded(
        &self,
        email: &str,
        user: UserId,
        from: IpAddr,
        at: OffsetDateTime,
    ) -> Result<(), StoreUnavailable> {
        let people = &mut self.reach()?.people;
        let [account, account_from, address] = Subject::all(email, from);
        people.take_back(&address);
        let with_password = people.by_email(email).into_iter().filter(|person| person.hash.is_some());
        if with_password.count() < 2 {
            people.take_back(&account);
            people.take_back(&account_from);
        }
        let forgiven = people.failures.get(&account_from).map_or(0, |failures| failures.count);
        let known = KnownUser { user, until: at + KNOWN_FOR, forgiven };
        people.known.insert(Subject::known(user, from), known);
        Ok(())
    }

    async fn take_back(&self, email: &str, from: IpAddr) -> Result<(), StoreUnavailable> {
        let mut state = self.reach()?;
        for subject in Subject::all(email, from) {
            state.people.take_back(&subject);
        }
        Ok(())
    }
}
