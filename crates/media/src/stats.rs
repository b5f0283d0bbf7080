//! What a session counted.

use std::time::Duration;

const FINE: usize = 100;
const COARSE: usize = 90;
const BUCKETS: usize = FINE + COARSE + 1;

/// What a session sent and received so far.
#[derive(Clone, Debug, Default)]
pub struct Stats {
    /// RTP packets sent.
    pub sent: u64,
    /// RTP packets that the system did not take.
    pub unsent: u64,
    /// RTP packets received from the other side, duplicates included.
    pub received: u64,
    /// RTP packets that never came (RFC 3550 §6.4.1).
    pub lost: u64,
    /// Audio packets that came after their moment was played.
    pub late: u64,
    /// Audio packets that came twice.
    pub duplicated: u64,
    /// Packets that were malformed, of another payload type, or from somebody else.
    pub ignored: u64,
    /// Of these, datagrams that came from addresses that are not accepted.
    pub foreign: u64,
    /// Interarrival jitter (RFC 3550 §6.4.1).
    pub jitter: Duration,
    /// Beats of 20 ms left out because the machine was too late for them.
    pub skipped: u64,
    /// Keys that could not be sent: no telephone-event agreed, or too many at once.
    pub unsent_keys: u64,
    /// How late each packet was sent, against the 20 ms beat.
    pub lateness: Lateness,
}

/// A histogram of lateness: steps of 100 µs up to 10 ms, of 1 ms up to 100 ms, and the rest.
#[derive(Clone, Debug)]
pub struct Lateness {
    buckets: [u32; BUCKETS],
}

impl Default for Lateness {
    fn default() -> Self {
        Self { buckets: [0; BUCKETS] }
    }
}

impl Lateness {
    pub(crate) fn record(&mut self, late: Duration) {
        let bucket = match usize::try_from(late.as_micros()).unwrap_or(usize::MAX) {
            micros @ 0..10_000 => micros / 100,
            micros @ 10_000..100_000 => FINE + (micros - 10_000) / 1_000,
            _ => BUCKETS - 1,
        };
        if let Some(count) = self.buckets.get_mut(bucket) {
            *count = count.saturating_add(1);
        }
    }

    /// Adds what another session counted.
    pub fn merge(&mut self, other: &Self) {
        for (count, more) in self.buckets.iter_mut().zip(&other.buckets) {
            *count = count.saturating_add(*more);
        }
    }

    /// How many packets were measured.
    pub fn count(&self) -> u64 {
        self.buckets.iter().copied().map(u64::from).sum()
    }

    /// The lateness that `percent` (0–100) of the packets stayed below, rounded up to its step;
    /// beyond 100 ms [`Duration::MAX`]. Zero without a measurement.
    pub fn percentile(&self, percent: u8) -> Duration {
        let rank = (self.count() * u64::from(percent.min(100))).div_ceil(100);
        let mut below = 0;
        for (bucket, count) in self.buckets.iter().enumerate() {
            below += u64::from(*count);
            if rank > 0 && below >= rank {
                return upper_bound(bucket);
            }
        }
        Duration::ZERO
    }
}

fn upper_bound(bucket: usize) -> Duration {
    let bucket = bucket + 1;
    let micros = match bucket {
        0..=FINE => bucket * 100,
        BUCKETS.. => return Duration::MAX,
        _ => 10_000 + (bucket - FINE) * 1_000,
    };
    u64::try_from(micros).map_or(Duration::MAX, Duration::from_micros)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_the_upper_edge_of_their_step() {
        let mut lateness = Lateness::default();
        assert_eq!(lateness.percentile(99), Duration::ZERO);
        for _ in 0..98 {
            lateness.record(Duration::from_micros(150));
        }
        lateness.record(Duration::from_micros(12_345));
        lateness.record(Duration::from_secs(1));
        assert_eq!(lateness.percentile(50), Duration::from_micros(200));
        assert_eq!(lateness.percentile(99), Duration::from_millis(13));
        assert_eq!(lateness.percentile(100), Duration::MAX);
    }

    #[test]
    fn merging_adds_the_counts() {
        let (mut one, mut other) = (Lateness::default(), Lateness::default());
        one.record(Duration::ZERO);
        other.record(Duration::from_millis(99));
        one.merge(&other);
        assert_eq!(one.count(), 2);
        assert_eq!(one.percentile(100), Duration::from_millis(100));
    }
}
