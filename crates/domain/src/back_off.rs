//! Who fails to sign in again and again waits longer and longer.

use std::net::{IpAddr, Ipv6Addr};
use std::time::Duration;

use time::OffsetDateTime;

use crate::organization::folded;

/// The longest wait.
pub const WAIT_MAX: Duration = Duration::from_mins(15);

/// Failures are forgotten when none came for so long.
pub const FORGET_AFTER: Duration = Duration::from_hours(1);

/// Failures for an account that cost no wait: people mistype.
const ACCOUNT_FREE: u32 = 4;

/// Failures from an address that cost no wait: a whole office may share it.
const ADDRESS_FREE: u32 = 19;

/// For whom failures are counted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    /// An account, whether there is one or not.
    Account(String),
    /// An IPv4 address, or an IPv6 network of 64 bits, of which one subscriber has all.
    Address(IpAddr),
}

impl Subject {
    /// The account with an e-mail address, in any case.
    pub fn account(email: &str) -> Self {
        Self::Account(folded(email))
    }

    /// Whoever is at this address.
    pub fn address(address: IpAddr) -> Self {
        Self::Address(match address.to_canonical() {
            IpAddr::V6(address) => {
                let [a, b, c, d, ..] = address.segments();
                Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
            }
            v4 @ IpAddr::V4(_) => v4,
        })
    }

    /// The subject's written form.
    pub fn written(&self) -> String {
        match self {
            Self::Account(email) => format!("account:{email}"),
            Self::Address(address) => format!("address:{address}"),
        }
    }

    const fn free(&self) -> u32 {
        match self {
            Self::Account(_) => ACCOUNT_FREE,
            Self::Address(_) => ADDRESS_FREE,
        }
    }

    /// How long to wait at `now` before the next try; none when it may be now. The first wait is a
    /// second, each further failure doubles it, up to [`WAIT_MAX`].
    pub fn wait(&self, failures: Failures, now: OffsetDateTime) -> Option<Duration> {
        let costly = failures.count.checked_sub(self.free()).filter(|costly| *costly > 0)?;
        if failures.are_forgotten(now) {
            return None;
        }
        let whole = 1_u64.checked_shl(costly - 1).map_or(WAIT_MAX, Duration::from_secs).min(WAIT_MAX);
        // A clock that was set back makes nobody wait longer.
        let gone = Duration::try_from(now - failures.last_at).unwrap_or_default();
        whole.checked_sub(gone).filter(|left| !left.is_zero())
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
        let account = Subject::account("Ada@clinic.example");
        let cost: Vec<_> = (0..=16).map(|count| waits(&account, count, 0)).collect();
        assert_eq!(cost, [0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
        assert_eq!(waits(&account, u32::MAX, 0), 900);
        assert_eq!((waits(&account, 8, 7), waits(&account, 8, 8)), (1, 0));
    }

    #[test]
    fn an_address_has_twenty_failures_first() {
        let address = Subject::address("192.0.2.1".parse().unwrap());
        assert_eq!([19, 20, 21].map(|count| waits(&address, count, 0)), [0, 1, 2]);
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
        assert_eq!(Subject::account("a").wait(many, at(0)), Some(WAIT_MAX));
        assert_eq!(many.and_one(at(0)).last_at, at(5000));
    }

    #[test]
    fn accounts_are_compared_without_case_and_ipv6_by_its_network() {
        assert_eq!(Subject::account("ADA@Clinic.example"), Subject::account("ada@clinic.EXAMPLE"));
        let written = |text: &str| Subject::address(text.parse().unwrap()).written();
        assert_eq!(written("2001:db8:1:2:3:4:5:6"), "address:2001:db8:1:2::");
        assert_eq!(written("2001:db8:1:2::9"), written("2001:db8:1:2:ffff::"));
        assert_eq!(written("::ffff:192.0.2.1"), "address:192.0.2.1");
        assert_ne!(written("192.0.2.1"), written("192.0.2.2"));
    }
}
