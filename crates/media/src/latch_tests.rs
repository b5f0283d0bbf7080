//! The table of [`super`], row by row.

use std::sync::Arc;

use domain::network::{AddressPolicy, Network};
use proptest::prelude::*;

use super::*;

const NAMED: &str = "192.0.2.1:4000";
const NAMED_ELSEWHERE: &str = "192.0.2.1:4002";
const SIGNALLING: &str = "192.0.2.99:30000";
const NAT: &str = "198.51.100.7:9000";
const REBOUND: &str = "198.51.100.7:9001";
const OTHER: &str = "203.0.113.9:5000";

fn at(address: &str) -> SocketAddr {
    address.parse().unwrap()
}

fn policy(nat: bool) -> SourcePolicy {
    SourcePolicy { signalling: Some(at(SIGNALLING).ip()), nat, ..SourcePolicy::default() }
}

fn strict() -> Latch {
    Latch::new(at(NAMED), policy(false), false)
}

fn lenient() -> Latch {
    Latch::new(at(NAMED), policy(true), false)
}

fn secured() -> Latch {
    Latch::new(at(NAMED), policy(false), true)
}

fn admit(latch: &mut Latch, from: &str, ssrc: u32, sequence: u16, millis: u64) -> bool {
    let packet = Packet { marker: false, payload_type: 0, sequence, timestamp: 0, ssrc, payload: &[] };
    latch.admit(&packet, at(from), Duration::from_millis(millis))
}

/// How many of `count` packets in sequence, 20 ms apart, were accepted.
fn talk(latch: &mut Latch, from: &str, ssrc: u32, first: u16, count: u16, millis: u64) -> usize {
    let sent = (0..count).map(|number| (first.wrapping_add(number), millis + 20 * u64::from(number)));
    sent.filter(|(sequence, millis)| admit(latch, from, ssrc, *sequence, *millis)).count()
}

#[test]
fn trusted_addresses_are_accepted_at_once() {
    for from in [NAMED, NAMED_ELSEWHERE, SIGNALLING, "192.0.2.99:1", "[::ffff:192.0.2.1]:4000"] {
        let mut latch = strict();
        assert_eq!(latch.destination(), Some(at(NAMED)));
        assert!(admit(&mut latch, from, 1, 1, 0), "{from}");
        assert_eq!((latch.destination(), latch.foreign()), (Some(at(from)), 0));
    }
}

#[test]
fn without_nat_a_foreign_source_is_never_accepted() {
    let mut latch = strict();
    assert_eq!(talk(&mut latch, OTHER, 7, 0, 1_000, 0), 0, "before the peer talks");
    assert!(admit(&mut latch, NAMED, 1, 1, 20_000));
    // In silence, however long, and continuing the stream.
    assert_eq!(talk(&mut latch, OTHER, 7, 0, 5_000, 20_020), 0);
    assert_eq!(talk(&mut latch, OTHER, 1, 2, 100, 200_000), 0);
    assert_eq!((latch.destination(), latch.foreign()), (Some(at(NAMED)), 6_100));
}

#[test]
fn with_nat_a_foreign_source_needs_five_consecutive_packets() {
    let mut latch = lenient();
    assert_eq!(talk(&mut latch, NAT, 1, u16::MAX - 2, 4, 0), 0);
    assert_eq!((latch.destination(), latch.foreign()), (Some(at(NAMED)), 4));
    assert!(admit(&mut latch, NAT, 1, 1, 80));
    assert_eq!((latch.destination(), latch.foreign()), (Some(at(NAT)), 0));
    assert_eq!(talk(&mut latch, NAT, 1, 2, 50, 100), 50);
}

#[test]
fn a_gap_or_repetition_begins_the_five_anew() {
    for sequences in [[1, 2, 3, 4, 6, 7, 8, 9], [1, 2, 3, 4, 4, 5, 6, 7], [4, 3, 2, 1, 2, 3, 4, 6]] {
        let mut latch = lenient();
        for sequence in sequences {
            assert!(!admit(&mut latch, NAT, 1, sequence, 0), "{sequences:?}");
        }
    }
    let mut latch = lenient();
    assert_eq!(talk(&mut latch, NAT, 1, 0, 4, 0) + talk(&mut latch, NAT, 1, 5, 4, 80), 0);
    assert!(admit(&mut latch, NAT, 1, 9, 160));
}

#[test]
fn another_ssrc_begins_the_five_anew() {
    let mut latch = lenient();
    assert_eq!(talk(&mut latch, NAT, 1, 0, 4, 0), 0);
    assert_eq!(talk(&mut latch, NAT, 2, 4, 4, 80), 0);
    assert!(admit(&mut latch, NAT, 2, 8, 160));
}

#[test]
fn another_payload_type_begins_the_five_anew() {
    let mut latch = lenient();
    assert_eq!(talk(&mut latch, NAT, 1, 0, 4, 0), 0);
    latch.refuse(at(NAT));
    assert_eq!(talk(&mut latch, NAT, 1, 4, 4, 80), 0);
    assert!(admit(&mut latch, NAT, 1, 8, 160));
}

#[test]
fn another_address_does_not_disturb_the_five() {
    let mut latch = lenient();
    for sequence in 0..4 {
        assert!(!admit(&mut latch, OTHER, 2, 10 * sequence, 0));
        assert!(!admit(&mut latch, NAT, 1, sequence, 0));
    }
    assert!(admit(&mut latch, NAT, 1, 4, 80));
}

#[test]
fn only_a_few_foreign_sources_are_followed_at_a_time() {
    let mut latch = lenient();
    let crowd: Vec<_> = (1..=4).map(|port| format!("203.0.113.9:{port}")).collect();
    for from in &crowd {
        assert!(!admit(&mut latch, from, 9, 1, 0));
    }
    assert_eq!(talk(&mut latch, NAT, 1, 0, 5, 20), 0);
    // Those that are silent make room.
    assert_eq!(talk(&mut latch, NAT, 1, 5, 5, 1_000), 1);
}

#[test]
fn a_source_that_talks_is_not_pushed_aside_by_a_foreign_one() {
    for first in [NAMED, SIGNALLING] {
        let mut latch = lenient();
        for sequence in 0..1_000 {
            let millis = u64::from(sequence) * 20;
            assert!(admit(&mut latch, first, 1, sequence, millis));
            for ssrc in [1, 2] {
                assert!(!admit(&mut latch, OTHER, ssrc, sequence + 1, millis + 5));
            }
        }
        assert_eq!((latch.destination(), latch.foreign()), (Some(at(first)), 2_000));
    }
}

#[test]
fn with_nat_silence_lets_no_other_stream_in() {
    for (first, count) in [(NAMED, 1), (SIGNALLING, 1), (NAT, 5)] {
        let mut latch = lenient();
        assert_eq!(talk(&mut latch, first, 1, 0, count, 0), 1);
        for millis in [1_000, 5_200, 60_000, 3_600_000] {
            assert_eq!(talk(&mut latch, OTHER, 7, 0, 100, millis), 0, "{first} after {millis} ms");
            assert_eq!(talk(&mut latch, REBOUND, 7, 0, 100, millis + 2_000), 0, "another port of {first}");
        }
        assert_eq!((latch.destination(), latch.foreign()), (Some(at(first)), 800));
        assert!(admit(&mut latch, first, 1, count, 4_000_000), "the source is back");
        latch.renegotiate(at("192.0.2.50:6000"), policy(true), false, Duration::from_secs(4_001));
        assert_eq!(talk(&mut latch, OTHER, 7, 0, 5, 4_002_000), 1, "after a new description");
    }
}

#[test]
fn with_nat_a_move_may_lose_packets_for_as_long_as_it_lasts() {
    let moved = |first, millis| {
        let mut latch = lenient();
        assert_eq!(talk(&mut latch, NAT, 1, 0, 10, 0), 6);
        talk(&mut latch, REBOUND, 1, first, 5, millis)
    };
    // The last packet before was number 9 at 180 ms; at most 100 are sent in a second.
    assert_eq!(moved(9 + 16 + 400, 4_180), 1);
    assert_eq!(moved(9 + 16 + 401, 4_180), 0, "further than any stream gets in 4 s");
    assert_eq!(moved(9 + 16 + 3_000, 3_600_000), 1);
    assert_eq!(moved(9 + 16 + 3_001, 3_600_000), 0);
}

#[test]
fn a_late_packet_of_the_source_does_not_turn_its_sequence_back() {
    let mut latch = lenient();
    assert_eq!(talk(&mut latch, NAT, 1, u16::MAX - 40, 50, 0), 46);
    for late in [8, u16::MAX - 30] {
        assert!(admit(&mut latch, NAT, 1, late, 980));
    }
    assert_eq!(talk(&mut latch, OTHER, 1, u16::MAX - 29, 5, 1_000), 0, "a copy of old packets");
    assert_eq!(talk(&mut latch, REBOUND, 1, 24, 5, 1_100), 1);
    // A stream that is numbered anew is followed.
    assert!(admit(&mut latch, REBOUND, 1, 60_000, 1_200));
    assert_eq!(talk(&mut latch, OTHER, 1, 60_001, 5, 1_220), 1);
}

#[test]
fn with_nat_a_source_that_continues_the_stream_moves_again() {
    let mut latch = lenient();
    assert_eq!(talk(&mut latch, NAT, 1, 0, 10, 0), 6);
    assert_eq!(talk(&mut latch, REBOUND, 1, 12, 5, 200), 1, "two packets were lost");
    assert_eq!(latch.destination(), Some(at(REBOUND)));
    assert_eq!(talk(&mut latch, OTHER, 1, 17, 5, 300), 1);
    assert_eq!(latch.destination(), Some(at(OTHER)));
    // Far ahead, behind, or under another SSRC it is another stream.
    for (ssrc, first) in [(1, 100), (1, 10), (2, 22)] {
        assert_eq!(talk(&mut latch, NAT, ssrc, first, 6, 400), 0);
    }
}

#[test]
fn a_copy_gains_nothing_while_the_stream_goes_on() {
    let mut latch = lenient();
    for sequence in 0..500 {
        let millis = u64::from(sequence) * 20;
        // It even comes before the original.
        assert!(!admit(&mut latch, OTHER, 1, sequence, millis));
        assert!(sequence == 0 || latch.destination() == Some(at(NAMED)));
        assert!(admit(&mut latch, NAMED, 1, sequence, millis + 1));
    }
}

#[test]
fn a_trusted_port_that_continues_the_stream_moves_without_nat() {
    let mut latch = strict();
    assert_eq!(talk(&mut latch, NAMED, 1, 0, 10, 0), 10);
    assert_eq!(talk(&mut latch, NAMED_ELSEWHERE, 1, 10, 3, 200), 2);
    assert_eq!(latch.destination(), Some(at(NAMED_ELSEWHERE)));
    let mut latch = strict();
    for sequence in 0..50 {
        assert!(admit(&mut latch, NAMED, 1, sequence, 0));
        assert!(!admit(&mut latch, NAMED_ELSEWHERE, 1, sequence + 1, 0), "while the stream goes on");
    }
}

#[test]
fn another_trusted_stream_waits_for_a_second_of_silence() {
    for from in [NAMED_ELSEWHERE, SIGNALLING] {
        let mut latch = strict();
        assert!(admit(&mut latch, NAMED, 1, 1, 0));
        assert_eq!(talk(&mut latch, from, 2, 0, 49, 20), 0);
        assert!(admit(&mut latch, from, 2, 49, 1_000));
    }
}

#[test]
fn the_negotiated_port_wins_on_its_second_packet() {
    for (mut latch, first, count) in [(strict(), SIGNALLING, 1), (lenient(), OTHER, 5)] {
        assert_eq!(talk(&mut latch, first, 1, 0, count, 0), 1);
        assert!(!admit(&mut latch, NAMED, 2, 50, 100));
        // The other one goes on.
        assert!(admit(&mut latch, first, 1, count, 100));
        assert!(admit(&mut latch, NAMED, 2, 51, 120));
        assert_eq!(latch.destination(), Some(at(NAMED)));
    }
}

#[test]
fn a_trusted_address_wins_against_a_foreign_source() {
    let mut latch = lenient();
    assert_eq!(talk(&mut latch, OTHER, 1, 0, 5, 0), 1);
    assert!(!admit(&mut latch, SIGNALLING, 2, 1, 100));
    assert!(admit(&mut latch, OTHER, 1, 5, 100));
    assert!(admit(&mut latch, SIGNALLING, 2, 2, 120));
}

#[test]
fn another_ssrc_of_the_source_is_taken_after_the_first_stopped() {
    let mut latch = strict();
    for number in 0..10 {
        assert!(admit(&mut latch, NAMED, 1, number, 0));
        assert!(!admit(&mut latch, NAMED, 2, number, 0));
    }
    assert!(admit(&mut latch, NAMED, 2, 10, 20));
    assert!(!admit(&mut latch, NAMED, 1, 10, 20));
}

#[test]
fn another_stream_of_a_foreign_source_needs_five_packets() {
    let mut latch = lenient();
    assert_eq!(talk(&mut latch, NAT, 1, 0, 5, 0), 1);
    assert_eq!(talk(&mut latch, NAT, 2, 100, 4, 100), 0);
    assert!(admit(&mut latch, NAT, 1, 5, 180), "the first stream goes on");
    assert_eq!(talk(&mut latch, NAT, 2, 104, 6, 200), 2);
}

#[test]
fn authenticated_packets_are_accepted_from_any_address() {
    let mut latch = secured();
    assert!(admit(&mut latch, OTHER, 1, 1, 0));
    assert_eq!(latch.destination(), Some(at(OTHER)));
    assert_eq!(talk(&mut latch, NAT, 1, 2, 2, 20), 1, "it moved");
    assert_eq!(talk(&mut latch, OTHER, 5, 0, 2, 60), 1, "another stream with the same key");
    assert_eq!(latch.foreign(), 0);
    // What was not authenticated does not get here but is counted.
    for (from, foreign) in [(OTHER, 0), (NAMED, 0), (SIGNALLING, 0), (NAT, 1)] {
        latch.refuse(at(from));
        assert_eq!(latch.foreign(), foreign, "{from}");
    }
}

#[test]
fn a_new_description_forgets_the_source() {
    let mut latch = lenient();
    assert_eq!(talk(&mut latch, NAT, 1, 0, 5, 0), 1);
    assert_eq!(talk(&mut latch, OTHER, 2, 0, 4, 100), 0);
    latch.renegotiate(at("192.0.2.50:6000"), policy(true), false, Duration::from_millis(200));
    assert_eq!(latch.destination(), Some(at("192.0.2.50:6000")));
    assert!(!admit(&mut latch, OTHER, 2, 4, 220), "its four packets do not count any more");
    assert!(!admit(&mut latch, NAMED, 3, 1, 220), "the address before is foreign now");
    assert_eq!(latch.foreign(), 6);
    assert!(admit(&mut latch, "192.0.2.50:6000", 4, 1, 240));
}

#[test]
fn the_same_description_again_keeps_the_source() {
    let mut latch = lenient();
    assert_eq!(talk(&mut latch, NAT, 1, 0, 5, 0), 1);
    latch.renegotiate(at(NAMED), policy(true), false, Duration::from_millis(100));
    assert!(admit(&mut latch, NAT, 1, 5, 100));
    assert_eq!(latch.destination(), Some(at(NAT)));
    latch.renegotiate(at(NAMED), policy(true), true, Duration::from_millis(120));
    assert_eq!(latch.destination(), Some(at(NAMED)), "with SRTP it is another agreement");
}

#[test]
fn stragglers_do_not_claim_a_new_agreement() {
    let mut latch = strict();
    assert!(admit(&mut latch, NAMED_ELSEWHERE, 1, 1, 0));
    latch.renegotiate(at("192.0.2.1:7000"), policy(false), false, Duration::from_millis(20));
    assert!(!admit(&mut latch, NAMED_ELSEWHERE, 1, 2, 40));
    assert_eq!((latch.destination(), latch.foreign()), (Some(at("192.0.2.1:7000")), 0));
    assert!(admit(&mut latch, "192.0.2.1:7000", 2, 1, 60));
}

#[test]
fn the_old_way_to_hold_keeps_the_address_trusted() {
    let mut latch = strict();
    assert!(admit(&mut latch, NAMED, 1, 1, 0));
    latch.renegotiate(at("0.0.0.0:4000"), policy(false), false, Duration::ZERO);
    assert_eq!(latch.destination(), None);
    assert!(admit(&mut latch, NAMED, 1, 2, 600), "music on hold");
    assert!(!admit(&mut latch, OTHER, 2, 1, 600));
}

#[test]
fn addresses_of_this_machine_are_not_believed() {
    for from in
        ["127.0.0.1:9000", "169.254.1.1:9000", "224.0.0.1:9000", "0.0.0.0:9000", "[::1]:9", "[fe80::1]:9"]
    {
        assert_eq!(talk(&mut lenient(), from, 1, 0, 9, 0), 0, "{from}");
        assert_eq!(talk(&mut secured(), from, 1, 0, 9, 0), 0, "{from}");
    }
    let mut local = Latch::new(at("127.0.0.1:4000"), SourcePolicy::default(), false);
    assert!(admit(&mut local, "127.0.0.1:4002", 1, 1, 0));
    assert!(!admit(&mut local, "127.0.0.2:4000", 1, 1, 0));
}

#[test]
fn nothing_is_sent_to_nowhere() {
    assert_eq!(Latch::new(at("0.0.0.0:4000"), policy(true), false).destination(), None);
    assert_eq!(Latch::new(at("192.0.2.1:0"), policy(true), false).destination(), None);
}

#[test]
fn outside_the_media_networks_nothing_comes_from_or_goes_to() {
    let networks = vec![Network::parse("198.51.100.0/24").unwrap()];
    for authenticated in [false, true] {
        let narrowed = SourcePolicy { networks: networks.clone(), ..policy(true) };
        let mut latch = Latch::new(at(NAMED), narrowed, authenticated);
        assert_eq!(latch.destination(), None);
        for from in [NAMED, SIGNALLING, OTHER] {
            assert_eq!(talk(&mut latch, from, 1, 0, 9, 0), 0, "{from}");
            assert!(!latch.believes_reports(at(from).ip()));
        }
        assert_eq!(latch.foreign(), 27);
        assert_eq!(talk(&mut latch, NAT, 1, 0, 5, 0), if authenticated { 5 } else { 1 });
        assert_eq!(latch.destination(), Some(at(NAT)));
    }
    let narrowed = SourcePolicy { networks, ..policy(false) };
    assert_eq!(talk(&mut Latch::new(at(NAMED), narrowed, false), NAT, 1, 0, 9, 0), 0, "they allow nothing");
}

#[test]
fn under_a_guard_nothing_goes_to_an_address_that_it_refuses() {
    let guarded = || SourcePolicy { guard: Some(Arc::new(AddressPolicy::default())), ..policy(true) };
    let mut latch = Latch::new(at("10.0.0.9:4000"), guarded(), false);
    assert_eq!(latch.destination(), None);
    // Neither to one that packets pretend to come from.
    for from in ["10.0.0.9:4000", "192.168.1.1:4000", "127.0.0.1:4000"] {
        assert_eq!(talk(&mut latch, from, 1, 0, 9, 0), 0, "{from}");
    }
    assert_eq!(latch.destination(), None);
    assert_eq!(talk(&mut latch, "8.8.8.8:4000", 1, 0, 5, 0), 1);
    assert_eq!(latch.destination(), Some(at("8.8.8.8:4000")));
    assert_eq!(talk(&mut latch, "10.0.0.9:4000", 2, 1, 9, 9_000), 0);
    // Another description that names such a one changes nothing.
    latch.renegotiate(at("169.254.169.254:80"), guarded(), false, Duration::from_secs(9));
    assert_eq!(latch.destination(), Some(at("8.8.8.8:4000")));
    let public = Latch::new(at("8.8.4.4:4000"), guarded(), false);
    assert_eq!(public.destination(), Some(at("8.8.4.4:4000")));
}

#[test]
fn reports_are_believed_from_where_audio_is() {
    let mut latch = lenient();
    let believed =
        |latch: &Latch| [NAMED, SIGNALLING, NAT, OTHER].map(|own| latch.believes_reports(at(own).ip()));
    assert_eq!(believed(&latch), [true, true, false, false]);
    assert_eq!(talk(&mut latch, NAT, 1, 0, 5, 0), 1);
    assert_eq!(believed(&latch), [true, true, true, false]);
    assert_eq!(believed(&secured()), [true; 4], "what gets there was authenticated");
}

proptest! {
    /// Five sources, two streams, a few sequence numbers, so that much of it fits together.
    #[test]
    fn a_foreign_source_is_accepted_by_its_fifth_packet_or_never(
        nat: bool,
        packets in proptest::collection::vec((0..5_usize, 0..2_u32, 0..8_u16, 0..3_000_u64), 0..200),
    ) {
        let mut latch = Latch::new(at(NAMED), policy(nat), false);
        let (mut now, mut runs) = (0, [(0, 0, 0); 5]);
        for (from, ssrc, sequence, later) in packets {
            now += later;
            let (stream, before, count) = runs[from];
            let goes_on = stream == ssrc && sequence == before + 1;
            runs[from] = (ssrc, sequence, if goes_on { count + 1 } else { 1 });
            let address = [NAMED, NAMED_ELSEWHERE, SIGNALLING, NAT, OTHER][from];
            let was_source = latch.is_source(at(address));
            let of_source = latch.source.is_none_or(|source| source.ssrc == ssrc);
            let accepted = admit(&mut latch, address, ssrc, sequence, now);
            if accepted && from >= 3 && !was_source {
                prop_assert!(nat && of_source && runs[from].2 >= 5, "{:?}", runs[from]);
            }
            prop_assert_eq!(latch.is_source(at(address)), accepted || was_source);
        }
    }

    #[test]
    fn any_numbers_are_survived(
        packets in proptest::collection::vec((any::<u32>(), any::<u16>(), any::<u64>(), any::<bool>()), 0..200),
    ) {
        let mut latch = lenient();
        for (ssrc, sequence, millis, other) in packets {
            admit(&mut latch, if other { OTHER } else { NAMED }, ssrc, sequence, millis);
            latch.refuse(at(NAT));
        }
    }
}
