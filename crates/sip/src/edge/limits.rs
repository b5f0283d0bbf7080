//! How often: rates with a burst, and rates for each peer and for all together.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::Duration;

use tokio::time::Instant;

/// Addresses whose rate is kept apart; further ones share one rate. Only a trunk's `inbound_from`
/// can hold more.
const MOST_ADDRESSES: usize = 1_024;

/// The longest time between two looks for addresses that can be forgotten.
const SWEEP: Duration = Duration::from_secs(1);

/// A steady rate and how much may come at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// The time that one takes.
    every: Duration,
    /// The time that a full burst takes.
    burst: Duration,
}

impl Rate {
    /// `per_second` (at least 1) on average, and `burst` (at least 1) at once.
    pub fn new(per_second: u32, burst: u32) -> Self {
        let every = Duration::from_secs(1) / per_second.max(1);
        Self { every, burst: every.saturating_mul(burst.max(1)) }
    }
}

/// What is left of a rate (the generic cell rate algorithm).
#[derive(Clone, Copy, Debug, Default)]
pub struct Bucket {
    /// When everything that was taken will have been earned.
    full_at: Option<Instant>,
}

impl Bucket {
    /// Takes one, unless the rate is exceeded.
    pub fn take(&mut self, rate: Rate, now: Instant) -> bool {
        let from = self.full_at.map_or(now, |full_at| full_at.max(now));
        let full_at = from + rate.every;
        let fits = full_at.saturating_duration_since(now) <= rate.burst;
        if fits {
            self.full_at = Some(full_at);
        }
        fits
    }

    /// Whether it is as if nothing had ever been taken.
    pub fn is_full(&self, now: Instant) -> bool {
        self.full_at.is_none_or(|full_at| full_at <= now)
    }
}

/// What each peer and all peers together may ask of us outside of dialogs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerRates {
    /// Of one address.
    pub each: Rate,
    /// Of all addresses.
    pub total: Rate,
}

impl Default for PeerRates {
    fn default() -> Self {
        Self { each: Rate::new(50, 100), total: Rate::new(500, 1_000) }
    }
}

/// What is left of these rates.
#[derive(Debug, Default)]
pub struct PeerLimits {
    addresses: HashMap<IpAddr, Bucket>,
    others: Bucket,
    total: Bucket,
    swept: Option<Instant>,
}

impl PeerLimits {
    /// Takes one request of `peer`. One peer's flood takes nothing of what the others have.
    pub fn take(&mut self, rates: PeerRates, peer: IpAddr, now: Instant) -> bool {
        if self.addresses.len() >= MOST_ADDRESSES
            && self.swept.is_none_or(|swept| now.saturating_duration_since(swept) >= SWEEP)
        {
            self.addresses.retain(|_, bucket| !bucket.is_full(now));
            self.swept = Some(now);
        }
        let own = if self.addresses.len() < MOST_ADDRESSES {
            self.addresses.entry(peer).or_default()
        } else {
            self.addresses.get_mut(&peer).unwrap_or(&mut self.others)
        };
        own.take(rates.each, now) && self.total.take(rates.total, now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(number: u32) -> IpAddr {
        IpAddr::V4(std::net::Ipv4Addr::from_bits(number))
    }

    fn taken(limits: &mut PeerLimits, rates: PeerRates, peer: u32, tries: u32, now: Instant) -> usize {
        (0..tries).filter(|_| limits.take(rates, address(peer), now)).count()
    }

    #[test]
    fn a_bucket_gives_its_burst_and_then_its_rate() {
        let (rate, mut bucket, start) = (Rate::new(10, 3), Bucket::default(), Instant::now());
        let mut taken = |millis| {
            let now = start + Duration::from_millis(millis);
            (0..5).filter(|_| bucket.take(rate, now)).count()
        };
        assert_eq!([taken(0), taken(99), taken(100), taken(320), taken(9_000)], [3, 0, 1, 2, 3]);
    }

    #[test]
    fn a_flood_of_one_peer_leaves_the_others_their_rate() {
        let rates = PeerRates { each: Rate::new(10, 10), total: Rate::new(20, 25) };
        let (mut limits, now) = (PeerLimits::default(), Instant::now());
        assert_eq!(taken(&mut limits, rates, 1, 20_000, now), 10);
        assert_eq!(taken(&mut limits, rates, 2, 20, now), 10);
        assert_eq!(taken(&mut limits, rates, 3, 20, now), 5, "all together have a rate too");
        assert_eq!(taken(&mut limits, rates, 1, 20, now + Duration::from_secs(1)), 10);
    }

    #[test]
    fn addresses_without_number_share_one_rate_and_no_memory() {
        let rates = PeerRates { each: Rate::new(10, 10), total: Rate::new(1_000_000, 1_000_000) };
        let (mut limits, now) = (PeerLimits::default(), Instant::now());
        let admitted = (0..50_000).filter(|peer| limits.take(rates, address(*peer), now)).count();
        assert_eq!(admitted, MOST_ADDRESSES + 10);
        assert_eq!(limits.addresses.len(), MOST_ADDRESSES);
        // What is idle gives way.
        assert_eq!(taken(&mut limits, rates, 77_777, 20, now + Duration::from_secs(2)), 10);
        assert_eq!(limits.addresses.len(), 1);
    }
}
