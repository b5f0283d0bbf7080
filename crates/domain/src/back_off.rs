//! Who fails to sign in again and again waits longer and longer.
//!
//! Failures are counted thrice. The long wait belongs to an account *as it is tried from one address*, and
//! to an address whatever account it tries. Over all addresses an account waits [`ACCOUNT_WAIT_MAX`] at
//! most: enough that guesses from everywhere come to nothing. Where the account signed in of late it waits
//! for what failed there since, alone: whoever knows an e-mail address, and fails from however many addresses,
//! does not lock its owner out.
//!
//! Users of several tenants may have one e-mail address; what fails is counted for the address, because no
//! user is known before a password is right. A success takes back its own try and leaves the count as it is,
//! so that a user of one tenant cannot clear the way for guesses at another tenant's user. Where several users
//! have the e-mail address and a password, a success was a guess at the others' passwords too: there it stays
//! counted for the account, and is taken back for the IP address alone. What the count was is remembered for
//! the user who signed in: see [`admit`].

use std::net::{IpAddr, Ipv6Addr};
use std::time::Duration;

use time::OffsetDateTime;

use crate::ids::UserId;
use crate::organization::folded;
use crate::session::LIFETIME;

/// The longest wait.
pub const WAIT_MAX: Duration = Duration::from_mins(15);

/// The longest wait for an account at an address that did not fail itself.
pub const ACCOUNT_WAIT_MAX: Duration = Duration::from_secs(30);

/// Failures are forgotten when none came for so long.
pub const FORGET_AFTER: Duration = Duration::from_hours(1);

/// So long after it signed in from an address, an account does not wait there for what fails elsewhere.
pub const KNOWN_FOR: Duration = LIFETIME;

/// Failures for an account that cost no wait: people mistype.
const ACCOUNT_FREE: u32 = 4;

/// Failures from an address that cost no wait: a whole office may share it.
const ADDRESS_FREE: u32 = 19;

/// For whom failures are counted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    /// An account, whether there is one or not.
    Account(String),
    /// An account as it is tried from one address.
    AccountFrom(String, IpAddr),
    /// An IPv4 address, or an IPv6 network of 64 bits, of which one subscriber has all.
    Address(IpAddr),
    /// A user who signed in from an address: what is counted is what they are forgiven.
    Known(UserId, IpAddr),
}

impl Subject {
    /// Everything that a try is counted for. Stores lock in this order.
    pub fn all(email: &str, from: IpAddr) -> [Self; 3] {
        [Self::account(email), Self::AccountFrom(folded(email), network(from)), Self::address(from)]
    }

    /// A user as they are known at this address.
    pub fn known(user: UserId, from: IpAddr) -> Self {
        Self::Known(user, network(from))
    }

    /// The account with an e-mail address, in any case.
    pub fn account(email: &str) -> Self {
        Self::Account(folded(email))
    }

    /// Whoever is at this address.
    pub fn address(address: IpAddr) -> Self {
        Self::Address(network(address))
    }

    /// The subject's written form.
    pub fn written(&self) -> String {
        match self {
            Self::Account(email) => format!("account:{email}"),
            Self::AccountFrom(email, address) => format!("account-from:{address} {email}"),
            Self::Address(address) => format!("address:{address}"),
            Self::Known(user, address) => format!("known:{address} {user}"),
        }
    }

    const fn free(&self) -> u32 {
        match self {
            Self::Account(_) | Self::AccountFrom(..) => ACCOUNT_FREE,
            Self::Address(_) => ADDRESS_FREE,
            // Nothing is counted against it.
            Self::Known(..) => u32::MAX,
        }
    }

    const fn longest(&self) -> Duration {
        match self {
            Self::Account(_) => ACCOUNT_WAIT_MAX,
            Self::AccountFrom(..) | Self::Address(_) | Self::Known(..) => WAIT_MAX,
        }
    }

    /// How long to wait at `now` before the next try; none when it may be now. The first wait is a
    /// second, each further failure doubles it, up to [`WAIT_MAX`], or [`ACCOUNT_WAIT_MAX`] for an account
    /// over all addresses.
    pub fn wait(&self, failures: Failures, now: OffsetDateTime) -> Option<Duration> {
        let costly = failures.count.checked_sub(self.free()).filter(|costly| *costly > 0)?;
        if failures.are_forgotten(now) {
            return None;
        }
        let whole = 1_u64.checked_shl(costly - 1).map_or(WAIT_MAX, Duration::from_secs).min(self.longest());
        // A clock that was set back makes nobody wait longer.
        let gone = Duration::try_from(now - failures.last_at).unwrap_or_default();
        whole.checked_sub(gone).filter(|left| !left.is_zero())
    }
}

/// A user who signed in from the address that a try comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownUser {
    /// Who.
    pub user: UserId,
    /// Until when they are known there.
    pub until: OffsetDateTime,
    /// Failures of [`Subject::AccountFrom`] at their last success, which do not concern them.
    pub forgiven: u32,
}

/// Whose password a try may be held against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tries {
    /// Those of all users with the e-mail address.
    All,
    /// Those of these users alone, who are known where the try comes from.
    Only(Vec<UserId>),
}

impl Tries {
    /// Whether this user's is among them.
    pub fn include(&self, user: UserId) -> bool {
        match self {
            Self::All => true,
            Self::Only(users) => users.contains(&user),
        }
    }
}

/// Lets a try be made now, or says how long it waits. Users who are `known` where it comes from wait neither
/// for what failed elsewhere nor for what failed there before their last success.
pub fn admit(
    counted: &[(Subject, Failures)],
    known: &[KnownUser],
    now: OffsetDateTime,
) -> Result<Tries, Duration> {
    let wait = |forgiven: Option<u32>| {
        let waits = counted.iter().filter_map(|(subject, failures)| match (subject, forgiven) {
            (Subject::Account(_), Some(_)) => None,
            (Subject::AccountFrom(..), Some(forgiven)) => {
                let count = failures.count.saturating_sub(forgiven);
                subject.wait(Failures { count, ..*failures }, now)
            }
            _ => subject.wait(*failures, now),
        });
        waits.max()
    };
    let Some(strangers) = wait(None) else { return Ok(Tries::All) };
    let known: Vec<_> = known.iter().filter(|known| known.until > now).collect();
    let free = known.iter().filter(|known| wait(Some(known.forgiven)).is_none());
    let free: Vec<_> = free.map(|known| known.user).collect();
    if !free.is_empty() {
        return Ok(Tries::Only(free));
    }
    Err(known.iter().filter_map(|known| wait(Some(known.forgiven))).min().unwrap_or(strangers))
}

/// Whoever has the address: one subscriber has a whole IPv6 network.
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
        }
        v4 @ IpAddr::V4(_) => v4,
    }
}

/// What has gone wrong so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failures {
    /// How often.
    pub count: u32,
    /// When it last did.
    pub last_at: OffsetDateTime,
}

impl Failures {
    /// Whether they count no more.
    pub fn are_forgotten(self, now: OffsetDateTime) -> bool {
        now - self.last_at >= FORGET_AFTER
    }

    /// These and one more.
    #[must_use]
    pub fn and_one(self, now: OffsetDateTime) -> Self {
        let count = if self.are_forgotten(now) { 1 } else { self.count.saturating_add(1) };
        Self { count, last_at: self.last_at.max(now) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> OffsetDateTime {
        OffsetDateTime::UNIX_EPOCH + Duration::from_secs(seconds)
    }

    fn waits(subject: &Subject, count: u32, after: u64) -> u64 {
        subject.wait(Failures { count, last_at: at(100) }, at(100 + after)).map_or(0, |wait| wait.as_secs())
    }

    #[test]
    fn the_fifth_failure_of_an_account_costs_a_second_and_each_further_one_twice_as_much() {
        let [account, from_here, _] = Subject::all("Ada@clinic.example", "192.0.2.1".parse().unwrap());
        assert_eq!(account, Subject::account("Ada@clinic.example"));
        let costs = |subject| (0..=16).map(|count| waits(subject, count, 0)).collect::<Vec<_>>();
        assert_eq!(costs(&from_here), [0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
        assert_eq!(costs(&account), [0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 30, 30, 30, 30, 30, 30, 30]);
        assert_eq!((waits(&from_here, u32::MAX, 0), waits(&account, u32::MAX, 0)), (900, 30));
        assert_eq!((waits(&account, 8, 7), waits(&account, 8, 8)), (1, 0));
    }

    #[test]
    fn an_address_has_twenty_failures_first() {
        let address = Subject::address("192.0.2.1".parse().unwrap());
        assert_eq!([19, 20, 21].map(|count| waits(&address, count, 0)), [0, 1, 2]);
    }

    /// What a try meets when 40 tries failed from everywhere, `own` here and `of_address` from here for anybody.
    fn meets(own: u32, of_address: u32, known: &[KnownUser]) -> Result<Tries, u64> {
        let [account, from_here, address] = Subject::all("a", "192.0.2.1".parse().unwrap());
        let failed = |count| Failures { count, last_at: at(100) };
        let counted = [(account, failed(40)), (from_here, failed(own)), (address, failed(of_address))];
        admit(&counted, known, at(100)).map_err(|wait| wait.as_secs())
    }

    fn known(number: u128, until: u64, forgiven: u32) -> KnownUser {
        KnownUser { user: UserId::from_uuid(uuid::Uuid::from_u128(number)), until: at(until), forgiven }
    }

    #[test]
    fn known_user_waits_for_failures_of_that_address_alone() {
        let ada = known(1, 101, 0);
        let only = Ok(Tries::Only(vec![ada.user]));
        assert_eq!(meets(0, 0, &[]), Err(30));
        assert_eq!(meets(0, 0, &[known(1, 100, 0)]), Err(30), "that is over");
        assert_eq!(meets(0, 0, &[ada]), only);
        assert_eq!([meets(7, 0, &[ada]), meets(12, 0, &[ada])], [Err(4), Err(128)]);
        assert_eq!(meets(7, 0, &[known(1, 101, 3)]), only, "three failed before they signed in");
        assert_eq!(meets(0, 21, &[ada]), Err(2), "others fail there too");
    }

    #[test]
    fn only_known_users_are_tried_while_strangers_wait() {
        let (ada, eve) = (known(1, 101, 0), known(2, 101, 7));
        assert_eq!(meets(7, 0, &[ada, eve]), Ok(Tries::Only(vec![eve.user])));
        assert!(Tries::All.include(ada.user) && !Tries::Only(vec![eve.user]).include(ada.user));
        let [_, from_here, _] = Subject::all("a", "192.0.2.1".parse().unwrap());
        let few = [(from_here, Failures { count: 4, last_at: at(100) })];
        assert_eq!(admit(&few, &[eve], at(100)), Ok(Tries::All));
    }

    #[test]
    fn an_hour_without_failures_forgets_them() {
        let many = Failures { count: 40, last_at: at(0) };
        assert_eq!(many.and_one(at(3599)).count, 41);
        assert_eq!(many.and_one(at(3600)), Failures { count: 1, last_at: at(3600) });
        assert_eq!(Subject::account("a").wait(many, at(3600)), None);
    }

    #[test]
    fn a_clock_that_was_set_back_makes_nobody_wait_longer() {
        let many = Failures { count: 40, last_at: at(5000) };
        assert_eq!(Subject::account("a").wait(many, at(0)), Some(ACCOUNT_WAIT_MAX));
        assert_eq!(many.and_one(at(0)).last_at, at(5000));
    }

    #[test]
    fn accounts_are_compared_without_case_and_ipv6_by_its_network() {
        assert_eq!(Subject::account("ADA@Clinic.example"), Subject::account("ada@clinic.EXAMPLE"));
        let written = |text: &str| Subject::address(text.parse().unwrap()).written();
        assert_eq!(written("2001:db8:1:2:3:4:5:6"), "address:2001:db8:1:2::");
        assert_eq!(written("2001:db8:1:2::9"), written("2001:db8:1:2:ffff::"));
        assert_eq!(written("::ffff:192.0.2.1"), "address:192.0.2.1");
        let all = Subject::all("ADA@clinic.example", "2001:db8:1:2:3::".parse().unwrap());
        let all = all.map(|subject| subject.written());
        let network = "2001:db8:1:2::";
        assert_eq!(all[0], "account:ada@clinic.example");
        assert_eq!(all[1], format!("account-from:{network} ada@clinic.example"));
        assert_eq!(all[2], format!("address:{network}"));
        assert_ne!(written("192.0.2.1"), written("192.0.2.2"));
    }
}
