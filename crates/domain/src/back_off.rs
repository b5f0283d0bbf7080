//! Who fails to sign in again and again waits longer and longer.
//!
//! Failures are counted thrice. The long wait belongs to an account *as it is tried from one address*, and
//! to an address whatever account it tries. Over all addresses an account waits [`ACCOUNT_WAIT_MAX`] at
//! most: enough that guesses from everywhere come to nothing. Where the account signed in of late it waits
//! for what failed there alone: whoever knows an e-mail address, and fails from however many addresses, does
//! not lock its owner out.

use std::net::{IpAddr, Ipv6Addr};
use std::time::Duration;

use time::OffsetDateTime;

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
}

impl Subject {
    /// Everything that a try is counted for. Stores lock in this order.
    pub fn all(email: &str, from: IpAddr) -> [Self; 3] {
        [Self::account(email), Self::AccountFrom(folded(email), network(from)), Self::address(from)]
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
        }
    }

    const fn free(&self) -> u32 {
        match self {
            Self::Account(_) | Self::AccountFrom(..) => ACCOUNT_FREE,
            Self::Address(_) => ADDRESS_FREE,
        }
    }

    const fn longest(&self) -> Duration {
        match self {
            Self::Account(_) => ACCOUNT_WAIT_MAX,
            Self::AccountFrom(..) | Self::Address(_) => WAIT_MAX,
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

/// How long a try waits, by all that is counted for it; none when it may be made now. Until `known_until`
/// the account is known where it is tried from.
pub fn wait(
    counted: impl IntoIterator<Item = (Subject, Failures)>,
    known_until: Option<OffsetDateTime>,
    now: OffsetDateTime,
) -> Option<Duration> {
    let known = is_known(known_until, now);
    let counts = |subject: &Subject| !(known && matches!(subject, Subject::Account(_)));
    let counted = counted.into_iter().filter(|(subject, _)| counts(subject));
    counted.filter_map(|(subject, failures)| subject.wait(failures, now)).max()
}

/// Whether an account that is known until then is known at `now`.
pub fn is_known(known_until: Option<OffsetDateTime>, now: OffsetDateTime) -> bool {
    known_until.is_some_and(|until| until > now)
}

/// Whoever has the address: one subscriber has a whole IPv6 network.
fn network(address: IpAddr) -> IpAddr {
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

    #[test]
    fn a_known_account_waits_for_what_failed_there_alone() {
        let [account, from_here, address] = Subject::all("a", "192.0.2.1".parse().unwrap());
        let failed = |count| Failures { count, last_at: at(100) };
        let waits = |own, known_until: Option<u64>| {
            let counted = [
                (account.clone(), failed(40)),
                (from_here.clone(), failed(own)),
                (address.clone(), failed(0)),
            ];
            wait(counted, known_until.map(at), at(100)).map_or(0, |wait| wait.as_secs())
        };
        assert_eq!([waits(0, None), waits(0, Some(100)), waits(0, Some(101))], [30, 30, 0]);
        assert_eq!([waits(7, Some(101)), waits(12, Some(101)), waits(7, None)], [4, 128, 30]);
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
