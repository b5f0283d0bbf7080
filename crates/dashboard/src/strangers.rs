//! What people cost who are not signed in: their forms, and their looks for sessions and links that there
//! are none of, are counted for the address that they come from.

use std::collections::HashSet;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Mutex, MutexGuard, PoisonError};

use domain::ports::StoreUnavailable;
use domain::rate_limit::{Client, Verdict};
use domain::session::{SessionDigest, SignedIn};

use crate::error::PageError;
use crate::request::Asked;
use crate::session::SessionSecret;

/// Forms that are taken from one address in a minute while nobody is known to be signed in.
pub const FORMS_MAX: u32 = 60;

/// Sessions and links that are looked for in vain from one address in a minute: enough for a large office
/// in the morning, whose sessions are all over.
pub const MISSES_MAX: u32 = 300;

/// The most sessions that are remembered; then all are forgotten, and found anew.
const GUESTS_MAX: usize = 1 << 14;

/// Sessions that were found when they were last looked for.
#[derive(Default)]
pub(crate) struct Guests(Mutex<HashSet<SessionDigest>>);

impl Guests {
    fn all(&self) -> MutexGuard<'_, HashSet<SessionDigest>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, session: SessionDigest, found: bool) {
        let mut all = self.all();
        if !found {
            all.remove(&session);
            return;
        }
        if all.len() >= GUESTS_MAX && !all.contains(&session) {
            all.clear();
        }
        all.insert(session);
    }
}

impl Asked {
    /// Counts a form of somebody who may be anybody.
    pub(crate) fn count_form(&self) -> Result<(), PageError> {
        let forms = &self.dashboard.front.forms;
        self.allowed(forms.count_now(self.client(), FORMS_MAX, self.now_ms()))
    }

    /// Whose session the browser holds. Whoever is signed in goes on, whatever others at their address do.
    pub(crate) async fn find_session(&self, held: &SessionSecret) -> Result<Option<SignedIn>, PageError> {
        let (session, guests) = (held.digest(), &self.dashboard.guests);
        let known = guests.all().contains(&session);
        let looking = self.service.sessions.find(session, self.now());
        let found = if known { looking.await? } else { self.look(looking).await? };
        guests.note(session, found.is_some());
        Ok(found)
    }

    /// Whoever just signed in is no stranger.
    pub(crate) fn welcome(&self, session: &SessionSecret) {
        self.dashboard.guests.note(session.digest(), true);
    }

    /// Looks for what somebody brought who may be anybody, unless too many came from their address with
    /// what there is not.
    pub(crate) async fn look<T>(
        &self,
        looking: impl Future<Output = Result<Option<T>, StoreUnavailable>>,
    ) -> Result<Option<T>, PageError> {
        let misses = &self.dashboard.front.misses;
        self.allowed(misses.foresee(self.client(), MISSES_MAX, self.now_ms()))?;
        let found = looking.await?;
        if found.is_none() {
            misses.count_now(self.client(), MISSES_MAX, self.now_ms());
        }
        Ok(found)
    }

    fn allowed(&self, verdict: Verdict) -> Result<(), PageError> {
        if verdict.allowed {
            return Ok(());
        }
        Err(PageError::TooOften(verdict.reset_ms.saturating_sub(self.now_ms()).div_ceil(1000).max(1)))
    }

    fn client(&self) -> Client {
        Client::of(self.address().unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED)))
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.now().unix_timestamp_nanos() / 1_000_000).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_are_remembered_while_they_last_and_only_so_many() {
        let guests = Guests::default();
        let session = |number: usize| {
            let mut digest = [0; 32];
            digest[..8].copy_from_slice(&number.to_be_bytes());
            SessionDigest(digest)
        };
        for number in 0..GUESTS_MAX {
            guests.note(session(number), true);
        }
        guests.note(session(7), true);
        assert_eq!(guests.all().len(), GUESTS_MAX);
        guests.note(session(7), false);
        assert!(!guests.all().contains(&session(7)) && guests.all().contains(&session(8)));
        guests.note(session(7), true);
        guests.note(session(GUESTS_MAX), true);
        assert_eq!(guests.all().len(), 1);
    }
}
