//! Sessions of people who signed in, and the one-time links that let somebody in for the first time.

use std::net::IpAddr;
use std::time::Duration;

use time::OffsetDateTime;

use crate::ids::UserId;
use crate::user::User;

/// A session without any request is over after so long: a working day with its breaks.
pub const IDLE_LIMIT: Duration = Duration::from_hours(12);

/// A session is over after so long however much it is used: a stolen cookie does not live for ever.
pub const LIFETIME: Duration = Duration::from_hours(30 * 24);

/// That a session was used is noted at most so often.
pub const NOTE_AFTER: Duration = Duration::from_mins(1);

/// A user's sessions at a time; the one that was not used longest gives way.
pub const SESSIONS_MAX: usize = 20;

/// An invitation can be accepted for so long.
pub const INVITATION_LIFE: Duration = Duration::from_hours(7 * 24);

/// The link of the first set-up works for so long.
pub const SET_UP_LIFE: Duration = Duration::from_hours(24);

/// The longest part of a browser's name of itself that is kept, in characters.
const USER_AGENT_MAX: usize = 200;

/// The SHA-256 of a session's cookie: the only form in which sessions are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionDigest(pub [u8; 32]);

/// The SHA-256 of the secret part of a one-time link: the only form in which links are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkDigest(pub [u8; 32]);

/// A one-time link as it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// Of its secret part.
    pub digest: LinkDigest,
    /// When it was made.
    pub created_at: OffsetDateTime,
    /// From then on it is refused.
    pub expires_at: OffsetDateTime,
}

/// A session that begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewSession {
    /// Of its cookie, which nobody had before.
    pub digest: SessionDigest,
    /// From which address.
    pub from: Option<IpAddr>,
    /// What the browser calls itself.
    pub user_agent: Option<String>,
    /// When.
    pub at: OffsetDateTime,
}

impl NewSession {
    /// A session; of the browser's name only the beginning is kept.
    pub fn new(
        digest: SessionDigest,
        from: Option<IpAddr>,
        user_agent: Option<&str>,
        at: OffsetDateTime,
    ) -> Self {
        let visible = |text: &str| text.chars().filter(|c| !c.is_control()).take(USER_AGENT_MAX).collect();
        Self { digest, from, user_agent: user_agent.map(visible), at }
    }
}

/// A session as its user sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Of its cookie; nobody can sign in with it.
    pub digest: SessionDigest,
    /// When it began.
    pub created_at: OffsetDateTime,
    /// When it was last used, at most [`NOTE_AFTER`] late.
    pub seen_at: OffsetDateTime,
    /// When it is over, unless it is used before.
    pub expires_at: OffsetDateTime,
    /// From which address it began.
    pub from: Option<IpAddr>,
    /// What the browser called itself.
    pub user_agent: Option<String>,
}

impl Session {
    /// When a session that began at `created_at` is over, if it was last used at `seen_at`.
    pub fn expiry(created_at: OffsetDateTime, seen_at: OffsetDateTime) -> OffsetDateTime {
        (seen_at + IDLE_LIMIT).min(created_at + LIFETIME)
    }
}

/// Somebody with a live session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedIn {
    /// Who, as of this request.
    pub user: User,
    /// By which session.
    pub session: SessionDigest,
    /// When it began.
    pub since: OffsetDateTime,
}

impl SignedIn {
    /// Their id.
    pub const fn id(&self) -> UserId {
        self.user.id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn use_prolongs_a_session_until_its_last_day() {
        let begun = OffsetDateTime::UNIX_EPOCH;
        assert_eq!(Session::expiry(begun, begun), begun + IDLE_LIMIT);
        let used = begun + LIFETIME / 2;
        assert_eq!(Session::expiry(begun, used), used + IDLE_LIMIT);
        assert_eq!(Session::expiry(begun, begun + LIFETIME - NOTE_AFTER), begun + LIFETIME);
    }

    #[test]
    fn of_a_browsers_name_the_visible_beginning_is_kept() {
        let name = format!("a\u{1b}[1mb\n{}", "ü".repeat(500));
        let session = NewSession::new(SessionDigest([0; 32]), None, Some(&name), OffsetDateTime::UNIX_EPOCH);
        let kept = session.user_agent.unwrap();
        assert!(kept.starts_with("a[1mbü") && kept.chars().count() == USER_AGENT_MAX);
    }
}
