//! Both directions of a protected call.

use crate::negotiated::{Negotiated, Protection};
use crate::srtp::{Master, Stream};

/// The counters of both directions, and the terms under which they count.
#[derive(Debug)]
pub(crate) struct Secure {
    terms: Protection,
    ours: Stream,
    pub(crate) theirs: Stream,
}

impl Secure {
    pub(crate) fn of(negotiated: &Negotiated) -> Option<Box<Self>> {
        let terms = negotiated.protection?;
        let [ours, theirs] = [terms.ours, terms.theirs].map(|master| Stream::new(terms.suite, &master));
        Some(Box::new(Self { terms, ours, theirs }))
    }

    /// The same under other terms. A direction that keeps its key goes on counting: begun anew it would
    /// encrypt two packets with one key stream, and take old ones again.
    pub(crate) fn turned_to(earlier: Option<Box<Self>>, negotiated: &Negotiated) -> Option<Box<Self>> {
        let new = Self::of(negotiated)?;
        let Some(earlier) = earlier else { return Some(new) };
        let (before, terms) = (earlier.terms, new.terms);
        let kept = |earlier: Stream, new: Stream, before: Master, now: Master| {
            if before == now { earlier.with_suite(terms.suite) } else { new }
        };
        Some(Box::new(Self {
            terms,
            ours: kept(earlier.ours, new.ours, before.ours, terms.ours),
            theirs: kept(earlier.theirs, new.theirs, before.theirs, terms.theirs),
        }))
    }

    /// Protects a packet of ours; what cannot be protected is not sent.
    pub(crate) fn seal<'s>(
        &mut self,
        packet: &[u8],
        space: &'s mut [u8],
        protect: fn(&mut Stream, &mut [u8], usize) -> Option<usize>,
    ) -> &'s [u8] {
        space.iter_mut().zip(packet).for_each(|(place, byte)| *place = *byte);
        let length = protect(&mut self.ours, space, packet.len()).unwrap_or(0);
        space.get(..length).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use domain::audio::AudioFormat;
    use domain::ports::Detects;

    use super::*;
    use crate::srtp::Suite;
    use crate::{Direction, SourcePolicy};

    fn negotiated(suite: Suite, theirs: u8) -> Negotiated {
        let [ours, theirs] = [1, theirs].map(|byte| Master::new(&[byte; 30]));
        Negotiated {
            format: AudioFormat::Pcmu,
            payload_type: 0,
            telephone_event: None,
            remote: "192.0.2.1:4000".parse().unwrap(),
            direction: Direction::SendReceive,
            protection: Some(Protection { suite, ours, theirs }),
            sources: SourcePolicy::default(),
            detects: Detects::default(),
        }
    }

    fn packet(sequence: u16) -> Vec<u8> {
        let [high, low] = sequence.to_be_bytes();
        [&[0x80, 0, high, low, 0, 0, 0, 1, 0, 0, 0, 9][..], &[0; 160]].concat()
    }

    fn sealed(secure: &mut Secure, sequence: u16) -> Vec<u8> {
        secure.seal(&packet(sequence), &mut [0; 200], Stream::protect).to_vec()
    }

    #[test]
    fn a_new_key_of_the_peer_does_not_set_ours_back() {
        let first = negotiated(Suite::Tag80, 2);
        let mut secure = Secure::of(&first);
        let opening = |suite| Stream::new(suite, &Master::new(&[1; 30]));
        let mut peer = opening(Suite::Tag80);
        let early = sealed(secure.as_mut().unwrap(), 7);
        for sequence in [7, 30_000, 60_000, 3] {
            // The last one begins the second round of sequence numbers.
            let mut datagram =
                if sequence == 7 { early.clone() } else { sealed(secure.as_mut().unwrap(), sequence) };
            assert!(peer.open(&mut datagram).is_some());
        }
        for (suite, theirs) in [(Suite::Tag80, 3), (Suite::Tag32, 3)] {
            secure = Secure::turned_to(secure, &negotiated(suite, theirs));
            let sent = sealed(secure.as_mut().unwrap(), 7);
            assert_ne!(sent[12..172], early[12..172], "one key stream for two packets");
        }
        assert_eq!(sealed(secure.as_mut().unwrap(), 8).len(), 172 + 4);
    }

    #[test]
    fn what_the_peer_goes_on_counting_is_not_taken_twice() {
        let mut secure = Secure::of(&negotiated(Suite::Tag80, 2));
        let mut peer = Stream::new(Suite::Tag80, &Master::new(&[2; 30]));
        let mut space = [0; 200];
        space[..172].copy_from_slice(&packet(5));
        let length = peer.protect(&mut space, 172).unwrap();
        assert!(secure.as_mut().unwrap().theirs.open(&mut { space }[..length]).is_some());
        secure = Secure::turned_to(secure, &negotiated(Suite::Tag80, 2));
        assert!(secure.as_mut().unwrap().theirs.open(&mut space[..length]).is_none());
        assert!(
            Secure::turned_to(secure, &Negotiated { protection: None, ..negotiated(Suite::Tag80, 2) })
                .is_none()
        );
    }
}
