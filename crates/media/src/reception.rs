//! What a receiver counts of one stream: loss, duplicates and jitter (RFC 3550 §6.4.1, A.3, A.8).

use std::time::Duration;

/// A jump ahead by more than this is a restart, not loss (RFC 3550 A.1).
const MOST_DROPPED: u16 = 3_000;
/// A step back by more than this is a restart, not reordering (RFC 3550 A.1).
const MOST_MISORDERED: u16 = 100;
/// Two packets whose transit differs by more than this, in samples, are of two time lines: 1 s.
const NEW_TIME_LINE: u32 = 8_000;

/// The counts of one synchronization source.
#[derive(Debug, Default)]
pub(crate) struct Reception {
    begun: bool,
    /// Extended sequence numbers: the first and the highest.
    first: u32,
    highest: u32,
    /// Which of the 64 packets up to the highest came; bit 0 is the highest.
    seen: u64,
    received: u32,
    lost_before: u32,
    transit: Option<u32>,
    /// Jitter in samples, times 16.
    jitter: u32,
    expected_at_report: u32,
    received_at_report: u32,
}

/// The figures of one report block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Figures {
    pub(crate) fraction_lost: u8,
    pub(crate) lost: u32,
    pub(crate) highest: u32,
    pub(crate) jitter: u32,
}

impl Reception {
    /// Counts a packet; false when it came before.
    pub(crate) fn note(&mut self, sequence: u16) -> bool {
        if !self.begun {
            self.restart(sequence);
            return true;
        }
        let [.., high, low] = self.highest.to_be_bytes();
        let ahead = sequence.wrapping_sub(u16::from_be_bytes([high, low]));
        let behind = ahead.wrapping_neg();
        if ahead == 0 {
            return false;
        }
        if ahead <= MOST_DROPPED {
            self.highest = self.highest.wrapping_add(u32::from(ahead));
            self.seen = self.seen.checked_shl(u32::from(ahead)).unwrap_or(0) | 1;
        } else if behind <= MOST_MISORDERED {
            let bit = 1_u64.checked_shl(u32::from(behind)).unwrap_or(0);
            if self.seen & bit != 0 {
                return false;
            }
            self.seen |= bit;
        } else {
            self.lost_before = self.lost();
            self.restart(sequence);
            return true;
        }
        self.received = self.received.saturating_add(1);
        true
    }

    /// Learns from the moment at which audio of this timestamp came.
    pub(crate) fn time(&mut self, timestamp: u32, arrival: Duration) {
        let samples = arrival.as_micros() * 8 / 1_000;
        let arrival = u32::try_from(samples & u128::from(u32::MAX)).unwrap_or(0);
        let transit = arrival.wrapping_sub(timestamp);
        if let Some(before) = self.transit.replace(transit) {
            let change = transit.wrapping_sub(before).cast_signed().unsigned_abs();
            if change <= NEW_TIME_LINE {
                self.jitter = self.jitter + change - ((self.jitter + 8) >> 4);
            }
        }
    }

    /// Packets that never came, so far.
    pub(crate) fn lost(&self) -> u32 {
        self.lost_before.saturating_add(self.expected().saturating_sub(self.received))
    }

    /// Interarrival jitter in samples.
    pub(crate) fn jitter(&self) -> u32 {
        self.jitter >> 4
    }

    /// Forgets the stream but keeps its losses, for another source.
    pub(crate) fn renew(&mut self) {
        *self = Self { lost_before: self.lost(), ..Self::default() };
    }

    /// The figures for a report, whose fraction counts from the report before; none before the
    /// first packet.
    pub(crate) fn report(&mut self) -> Option<Figures> {
        if !self.begun {
            return None;
        }
        let expected = self.expected().wrapping_sub(self.expected_at_report);
        let received = self.received.wrapping_sub(self.received_at_report);
        self.expected_at_report = self.expected();
        self.received_at_report = self.received;
        let lost = u64::from(expected.saturating_sub(received));
        let fraction = (lost * 256).checked_div(u64::from(expected)).unwrap_or(0);
        Some(Figures {
            fraction_lost: u8::try_from(fraction).unwrap_or(u8::MAX),
            lost: self.lost().min(0x007F_FFFF),
            highest: self.highest,
            jitter: self.jitter(),
        })
    }

    fn expected(&self) -> u32 {
        if self.begun { self.highest.wrapping_sub(self.first).wrapping_add(1) } else { 0 }
    }

    fn restart(&mut self, sequence: u16) {
        self.begun = true;
        // One cycle up, so that a packet older than the first one does not wrap below zero.
        self.highest = u32::from(sequence) | 0x1_0000;
        self.first = self.highest;
        self.seen = 1;
        self.received = 1;
        self.expected_at_report = 0;
        self.received_at_report = 0;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn loss_counts_across_the_wrap_and_late_packets_heal_it() {
        let mut reception = Reception::default();
        for sequence in [65_534, 65_535, 1, 4] {
            assert!(reception.note(sequence));
        }
        assert_eq!(reception.lost(), 3);
        assert!(reception.note(0));
        assert!(!reception.note(0) && !reception.note(4));
        assert_eq!(reception.lost(), 2);
    }

    #[test]
    fn a_restart_is_not_loss() {
        let mut reception = Reception::default();
        for sequence in [10, 12, 40_000, 40_001, 5] {
            assert!(reception.note(sequence));
        }
        assert_eq!(reception.lost(), 1);
        reception.renew();
        assert_eq!((reception.lost(), reception.report()), (1, None));
    }

    #[test]
    fn the_fraction_counts_from_report_to_report() {
        let mut reception = Reception::default();
        for sequence in [1, 2, 3, 5] {
            reception.note(sequence);
        }
        let figures = reception.report().unwrap();
        assert_eq!((figures.fraction_lost, figures.lost, figures.highest), (51, 1, 0x1_0005));
        reception.note(6);
        assert_eq!(reception.report().unwrap().fraction_lost, 0);
    }

    #[test]
    fn jitter_settles_at_the_mean_difference() {
        let mut reception = Reception::default();
        for packet in 0..400_u32 {
            let late = if packet % 2 == 0 { 0 } else { 10 };
            reception.time(packet * 160, Duration::from_millis(u64::from(packet) * 20 + late));
        }
        assert!((70..=80).contains(&reception.jitter()), "{}", reception.jitter());
    }

    proptest! {
        #[test]
        fn any_sequence_is_counted_without_a_panic(
            packets in proptest::collection::vec((any::<u16>(), any::<u32>(), any::<u64>()), 0..300),
        ) {
            let mut reception = Reception::default();
            for (sequence, timestamp, micros) in packets {
                reception.note(sequence);
                reception.time(timestamp, Duration::from_micros(micros));
                reception.report();
            }
        }
    }
}
