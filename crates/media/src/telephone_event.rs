//! Telephone keys as RTP events (RFC 4733), heard and pressed.

use std::collections::VecDeque;
use std::time::Duration;

use domain::audio::Digit;

use crate::packet::{Packet, distance};

/// Keys that may wait to be pressed.
const MOST_WAITING: usize = 32;
/// How often the end of a key is told (RFC 4733 §2.5.1.4).
const ENDS: u8 = 3;
/// Beats between two keys, beyond the two in which the end is told again: 80 ms in all.
const PAUSE: u8 = 2;
/// One beat in samples.
const STEP: u16 = 160;
/// A key lasts 40 ms at least, in samples (RFC 4733 §2.3.5 leaves it to us, ITU-T Q.24 asks it).
const SHORTEST: u16 = 320;
/// and 8 s at most, the last whole second that the duration field holds.
const LONGEST: u16 = 64_000;
/// Loudness that is told: −10 dBm0.
const VOLUME: u8 = 10;
/// Where a long key goes on under another timestamp (RFC 4733 §2.5.1.3).
const SEGMENT: i32 = 0xFFFF;
/// An event older than this is not a straggler but of another time line, in samples: 10 s.
const STRAGGLES: i32 = -80_000;

/// Hears keys, each once.
#[derive(Debug, Default)]
pub(crate) struct KeyReceiver {
    last: Option<Heard>,
}

#[derive(Clone, Copy, Debug)]
struct Heard {
    timestamp: u32,
    event: u8,
    ended: bool,
}

impl KeyReceiver {
    /// Takes an event packet; a key comes out of its first packet, or of a later one if the first
    /// ones were lost.
    pub(crate) fn hear(&mut self, packet: &Packet<'_>) -> Option<Digit> {
        let ([event, flags, _, _], _) = packet.payload.split_first_chunk::<4>()?;
        let key = Digit::from_event(*event)?;
        let ended = flags & 0x80 != 0;
        let this = Heard { timestamp: packet.timestamp, event: *event, ended };
        let Some(last) = self.last.replace(this) else {
            return Some(key);
        };
        let ahead = distance(packet.timestamp, last.timestamp);
        if ahead == 0 {
            self.last = Some(Heard { ended: last.ended || ended, ..last });
            return None;
        }
        if (STRAGGLES..0).contains(&ahead) {
            self.last = Some(last);
            return None;
        }
        let goes_on = ahead == SEGMENT && last.event == *event && !last.ended && !packet.marker;
        (!goes_on).then_some(key)
    }
}

/// Presses keys, one after the other.
#[derive(Debug)]
pub(crate) struct KeySender {
    waiting: VecDeque<(Digit, u16)>,
    pressed: Option<Press>,
    pause: u8,
}

#[derive(Clone, Copy, Debug)]
struct Press {
    key: Digit,
    timestamp: u32,
    length: u16,
    told: u16,
    ends: u8,
}

/// The event packet of one beat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KeyPacket {
    pub(crate) marker: bool,
    pub(crate) timestamp: u32,
    pub(crate) payload: [u8; 4],
}

impl KeySender {
    /// Nothing is pressed.
    pub(crate) fn new() -> Self {
        Self { waiting: VecDeque::with_capacity(MOST_WAITING), pressed: None, pause: 0 }
    }

    /// Queues a key; false when too many wait.
    pub(crate) fn press(&mut self, key: Digit, length: Duration) -> bool {
        let samples = u16::try_from(length.as_millis().saturating_mul(8)).unwrap_or(LONGEST);
        let length = samples.clamp(SHORTEST, LONGEST).next_multiple_of(STEP);
        let room = self.waiting.len() < MOST_WAITING;
        if room {
            self.waiting.push_back((key, length));
        }
        room
    }

    /// Forgets what is pressed and what waits.
    pub(crate) fn release(&mut self) {
        self.waiting.clear();
        self.pressed = None;
    }

    /// What to send at this beat instead of audio.
    pub(crate) fn beat(&mut self, timestamp: u32) -> Option<KeyPacket> {
        let mut press = match self.pressed.take() {
            Some(press) => press,
            None if self.pause > 0 => {
                self.pause -= 1;
                return None;
            }
            None => {
                let (key, length) = self.waiting.pop_front()?;
                Press { key, timestamp, length, told: 0, ends: 0 }
            }
        };
        let marker = press.told == 0;
        press.told = press.told.saturating_add(STEP).min(press.length);
        let ends = press.told == press.length;
        press.ends += u8::from(ends);
        let [high, low] = press.told.to_be_bytes();
        let flags = u8::from(ends) << 7 | VOLUME;
        let packet =
            KeyPacket { marker, timestamp: press.timestamp, payload: [press.key.event(), flags, high, low] };
        if press.ends < ENDS {
            self.pressed = Some(press);
        } else {
            self.pause = PAUSE;
        }
        Some(packet)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn key(character: char) -> Digit {
        Digit::from_char(character).unwrap()
    }

    fn packet(timestamp: u32, payload: &[u8]) -> Packet<'_> {
        Packet { marker: false, payload_type: 101, sequence: 0, timestamp, ssrc: 0, payload }
    }

    fn hear(receiver: &mut KeyReceiver, timestamp: u32, payload: &[u8]) -> Option<char> {
        receiver.hear(&packet(timestamp, payload)).map(Digit::as_char)
    }

    fn packets(sender: &mut KeySender, beats: u32) -> Vec<Option<KeyPacket>> {
        (0..beats).map(|beat| sender.beat(1_000 + beat * 160)).collect()
    }

    #[test]
    fn a_key_of_100_ms_is_five_packets_and_its_end_is_told_three_times() {
        let mut sender = KeySender::new();
        assert!(sender.press(key('5'), Duration::from_millis(100)));
        let sent: Vec<_> = packets(&mut sender, 8);
        let expected = [
            (true, [5, 10, 0, 160]),
            (false, [5, 10, 1, 64]),
            (false, [5, 10, 1, 224]),
            (false, [5, 10, 2, 128]),
            (false, [5, 0x8A, 3, 32]),
            (false, [5, 0x8A, 3, 32]),
            (false, [5, 0x8A, 3, 32]),
        ];
        let expected: Vec<_> = expected
            .map(|(marker, payload)| Some(KeyPacket { marker, timestamp: 1_000, payload }))
            .into_iter()
            .chain([None])
            .collect();
        assert_eq!(sent, expected);
    }

    #[test]
    fn keys_follow_each_other_with_a_pause() {
        let mut sender = KeySender::new();
        for character in ['1', '#'] {
            sender.press(key(character), Duration::ZERO);
        }
        let sent = packets(&mut sender, 16);
        let events: Vec<_> = sent.iter().map(|packet| packet.map(|packet| packet.payload[0])).collect();
        let one = [Some(1); 4];
        let hash = [Some(11); 4];
        assert_eq!(events[..4], one);
        assert_eq!(events[4..6], [None; 2]);
        assert_eq!(events[6..10], hash);
        assert_eq!(events[10..], [None; 6]);
        assert_eq!(sent[6].unwrap().timestamp, 1_000 + 6 * 160);
    }

    #[test]
    fn only_a_few_keys_wait() {
        let mut sender = KeySender::new();
        let taken = (0..100).filter(|_| sender.press(key('1'), Duration::MAX)).count();
        assert_eq!(taken, MOST_WAITING);
    }

    #[test]
    fn a_key_is_heard_once_even_if_only_its_end_came() {
        let mut receiver = KeyReceiver::default();
        assert_eq!(hear(&mut receiver, 0, &[1, 10, 0, 160]), Some('1'));
        assert_eq!(hear(&mut receiver, 0, &[1, 10, 1, 64]), None);
        assert_eq!(hear(&mut receiver, 0, &[1, 0x8A, 1, 64]), None);
        assert_eq!(hear(&mut receiver, 1_600, &[1, 0x8A, 1, 64]), Some('1'));
        assert_eq!(hear(&mut receiver, 0, &[1, 0x8A, 1, 64]), None, "a straggler of the first");
        assert_eq!(hear(&mut receiver, 1_600, &[1, 0x8A, 1, 64]), None);
    }

    #[test]
    fn a_key_held_beyond_the_duration_field_is_one_key() {
        let mut receiver = KeyReceiver::default();
        assert_eq!(hear(&mut receiver, 0, &[4, 10, 0xFF, 0xFF]), Some('4'));
        assert_eq!(hear(&mut receiver, 0xFFFF, &[4, 10, 0, 160]), None);
        assert_eq!(hear(&mut receiver, 0xFFFF, &[4, 0x8A, 0, 160]), None);
        assert_eq!(hear(&mut receiver, 0xFFFF * 2, &[4, 10, 0, 160]), Some('4'), "it had ended");
    }

    #[test]
    fn other_events_and_short_payloads_are_not_keys() {
        let mut receiver = KeyReceiver::default();
        for payload in [&[16, 10, 0, 160][..], &[255, 0, 0, 0], &[1, 10, 0], &[]] {
            assert_eq!(hear(&mut receiver, 0, payload), None);
        }
        assert_eq!(hear(&mut receiver, 0, &[15, 10, 0, 160]), Some('D'));
    }

    proptest! {
        /// Each packet is lost with 30 % chance or comes twice.
        #[test]
        fn what_is_pressed_is_heard_in_order_and_never_twice(
            keys in proptest::collection::vec((0..16_u8, 0..400_u64), 1..20),
            fates in proptest::collection::vec(0..10_u8, 800),
        ) {
            let mut sender = KeySender::new();
            for (event, millis) in &keys {
                sender.press(Digit::from_event(*event).unwrap(), Duration::from_millis(*millis));
            }
            let mut receiver = KeyReceiver::default();
            let mut heard = Vec::new();
            let mut arrived = Vec::new();
            for (beat, fate) in (0..).zip(fates) {
                let Some(sent) = sender.beat((u32::MAX - 5_000).wrapping_add(beat * 160)) else { continue };
                if fate < 3 {
                    continue;
                }
                if arrived.last() != Some(&sent.timestamp) {
                    arrived.push(sent.timestamp);
                }
                for _ in 0..=(fate % 2) {
                    heard.extend(receiver.hear(&packet(sent.timestamp, &sent.payload)));
                }
            }
            prop_assert_eq!(heard.len(), arrived.len());
            let mut pressed = keys.iter().map(|(event, _)| *event);
            prop_assert!(heard.iter().all(|heard| pressed.any(|event| event == heard.event())));
        }

        #[test]
        fn any_payload_is_survived(packets in proptest::collection::vec(
            (any::<u32>(), proptest::collection::vec(any::<u8>(), 0..8)), 0..50)) {
            let mut receiver = KeyReceiver::default();
            for (timestamp, payload) in packets {
                receiver.hear(&packet(timestamp, &payload));
            }
        }
    }
}
