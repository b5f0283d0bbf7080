use proptest::prelude::*;

use super::*;

const QUIET: u8 = 0xFF;

fn buffer() -> JitterBuffer {
    JitterBuffer::new(QUIET)
}

/// A packet of 20 ms whose bytes tell its number.
fn audio(number: u8) -> Frame {
    [number; FRAME_BYTES]
}

/// Puts in packet `number` of a stream that begins at timestamp `base`.
fn put(buffer: &mut JitterBuffer, base: u32, number: u8) -> Insertion {
    buffer.insert(base.wrapping_add(u32::from(number) * STEP), &audio(number))
}

/// The number of the frame that is taken next.
fn take(buffer: &mut JitterBuffer) -> Option<u8> {
    buffer.take(0).map(|frame| frame[0])
}

#[test]
fn what_comes_evenly_is_played_with_the_next_beat() {
    let mut buffer = buffer();
    for number in 0..100 {
        assert_eq!(put(&mut buffer, 0, number), Insertion::Stored);
        assert_eq!(take(&mut buffer), Some(number));
    }
}

#[test]
fn packets_around_the_beat_cost_one_beat_once() {
    let mut buffer = buffer();
    let mut heard = Vec::new();
    let mut number = 0;
    for beat in 0..100 {
        // Every other packet comes just after its beat.
        let before = if beat % 2 == 0 { beat + 1 } else { beat };
        while number < before {
            put(&mut buffer, 0, number);
            number += 1;
        }
        heard.push(take(&mut buffer));
    }
    let expected: Vec<_> = [Some(0), None].into_iter().chain((1..=98).map(Some)).collect();
    assert_eq!(heard, expected);
}

#[test]
fn a_short_stream_is_heard_even_if_the_depth_is_never_reached() {
    let mut buffer = buffer();
    put(&mut buffer, 0, 7);
    let heard: Vec<_> = (0..5).filter_map(|_| take(&mut buffer)).collect();
    assert_eq!(heard, [7]);
}

#[test]
fn more_jitter_means_a_longer_wait_up_to_120_ms() {
    for (jitter_ms, frames) in [(0, 1), (3, 1), (5, 2), (10, 2), (20, 4), (500, 6)] {
        let mut buffer = buffer();
        let mut number = 0;
        let wait = loop {
            put(&mut buffer, 0, number);
            if buffer.take(jitter_ms * 8).is_some() {
                break number + 1;
            }
            number += 1;
        };
        assert_eq!(wait, frames, "{jitter_ms} ms of jitter");
    }
}

#[test]
fn reordering_is_healed_even_before_the_first_frame() {
    let mut buffer = buffer();
    for number in [2, 0, 1, 4, 3] {
        assert_eq!(put(&mut buffer, 0, number), Insertion::Stored);
    }
    let heard: Vec<_> = (0..5).map(|_| take(&mut buffer)).collect();
    assert_eq!(heard, [Some(0), Some(1), Some(2), Some(3), Some(4)]);
}

#[test]
fn loss_is_a_gap_of_its_own_length() {
    let mut buffer = buffer();
    for number in [0, 1, 3, 4] {
        put(&mut buffer, 0, number);
    }
    let heard: Vec<_> = (0..5).map(|_| take(&mut buffer)).collect();
    assert_eq!(heard, [Some(0), Some(1), None, Some(3), Some(4)]);
}

#[test]
fn duplicates_and_late_packets_are_told_apart() {
    let mut buffer = buffer();
    for number in [0, 1, 2, 3] {
        put(&mut buffer, 0, number);
    }
    assert_eq!(put(&mut buffer, 0, 3), Insertion::Duplicate);
    assert_eq!(take(&mut buffer), Some(0));
    assert_eq!(put(&mut buffer, 0, 0), Insertion::Late);
    assert_eq!(take(&mut buffer), Some(1));
}

#[test]
fn the_timestamp_wraps_around() {
    let mut buffer = buffer();
    let base = u32::MAX - 5 * STEP + 7;
    for number in 0..20 {
        put(&mut buffer, base, number);
        assert_eq!(take(&mut buffer), Some(number));
    }
}

#[test]
fn other_packet_lengths_are_cut_anew() {
    for samples in [40_usize, 80, 160, 240, 320, 480, 37] {
        let mut buffer = buffer();
        let speech: Vec<u8> = (0..=250).cycle().take(9_600).collect();
        let mut heard = Vec::new();
        let mut sent = 0;
        for beat in 1..=60 {
            while sent < speech.len() && sent + samples <= beat * FRAME_BYTES + samples {
                let packet = &speech[sent..speech.len().min(sent + samples)];
                assert_eq!(buffer.insert(u32::try_from(sent).unwrap(), packet), Insertion::Stored);
                sent += packet.len();
            }
            heard.extend(buffer.take(0).into_iter().flatten());
        }
        while let Some(frame) = buffer.take(0) {
            heard.extend(frame);
        }
        assert_eq!(heard[..speech.len()], speech, "packets of {samples} samples");
    }
}

#[test]
fn a_frame_that_came_in_part_is_filled_up_with_silence() {
    let mut buffer = buffer();
    buffer.insert(0, &[1; 80]);
    buffer.insert(160, &[2; 160]);
    let frame = buffer.take(0).unwrap();
    assert_eq!((frame[79], frame[80], frame[159]), (1, QUIET, QUIET));
}

#[test]
fn silence_suppression_does_not_make_the_next_words_late() {
    let mut buffer = buffer();
    put(&mut buffer, 0, 0);
    put(&mut buffer, 0, 1);
    let heard: Vec<_> = (0..100).filter_map(|_| take(&mut buffer)).collect();
    assert_eq!(heard, [0, 1]);
    let again = 100 * STEP;
    put(&mut buffer, again, 2);
    put(&mut buffer, again, 3);
    assert_eq!((take(&mut buffer), take(&mut buffer)), (Some(2), Some(3)));
}

#[test]
fn packets_that_were_held_up_together_are_played_later_not_lost() {
    let mut buffer = buffer();
    for number in 0..3 {
        put(&mut buffer, 0, number);
    }
    while take(&mut buffer).is_some() {}
    for _ in 0..8 {
        assert_eq!(take(&mut buffer), None);
    }
    for number in 3..13 {
        assert_eq!(put(&mut buffer, 0, number), Insertion::Stored);
    }
    let heard: Vec<_> = (0..10).filter_map(|_| take(&mut buffer)).collect();
    assert_eq!(heard, (3..13).collect::<Vec<u8>>());
}

#[test]
fn a_buffer_that_stays_too_full_shrinks_again() {
    let mut buffer = buffer();
    for number in 0..10 {
        put(&mut buffer, 0, number);
    }
    let before = buffer.depth();
    for number in 10..=255 {
        put(&mut buffer, 0, number);
        buffer.take(0);
    }
    for number in 0..=255 {
        put(&mut buffer, 256 * STEP, number);
        buffer.take(0);
    }
    assert!(buffer.depth() <= LEAST + STEP, "{before} samples became {}", buffer.depth());
}

#[test]
fn a_flood_never_holds_more_than_the_bound() {
    let mut buffer = buffer();
    for number in 0..200 {
        put(&mut buffer, 0, number);
        assert!(buffer.depth() <= BOUND);
    }
    assert_eq!(take(&mut buffer), Some(200 - 12), "the oldest went");
}

#[test]
fn a_time_line_that_jumps_is_followed_either_way() {
    for jump in [1_000_000_u32, 1_000_000_u32.wrapping_neg(), 1 << 31] {
        let mut buffer = buffer();
        for number in 0..10 {
            put(&mut buffer, 0, number);
            take(&mut buffer);
        }
        let mut heard = Vec::new();
        for number in 10..40 {
            put(&mut buffer, jump, number);
            heard.extend(take(&mut buffer));
        }
        assert!(heard.len() >= 22, "jump by {jump}: heard {heard:?}");
    }
}

#[test]
fn a_network_that_gets_slower_is_followed() {
    let mut buffer = buffer();
    let mut heard = Vec::new();
    for beat in 0..=250_u8 {
        // From the fiftieth on, every packet comes 160 ms later than before.
        let arrives = if beat < 50 { Some(beat) } else { beat.checked_sub(8).filter(|number| *number >= 50) };
        if let Some(number) = arrives {
            put(&mut buffer, 0, number);
        }
        heard.extend(take(&mut buffer));
    }
    assert!(heard.is_sorted());
    assert!(heard.len() > 225, "heard {}", heard.len());
}

#[test]
fn a_packet_from_half_the_circle_away_moves_nothing() {
    for start in [0, 1, u32::MAX / 2, u32::MAX - 100] {
        let mut buffer = buffer();
        assert_eq!(buffer.insert(start, &audio(1)), Insertion::Stored);
        let opposite = start.wrapping_add(STEP + (1 << 31));
        assert_eq!(buffer.insert(opposite, &audio(2)), Insertion::Late);
        assert_eq!(buffer.depth(), STEP);
        assert_eq!((0..4).find_map(|_| take(&mut buffer)), Some(1));
    }
}

#[test]
fn empty_and_huge_packets_are_unusable() {
    let mut buffer = buffer();
    assert_eq!(buffer.insert(0, &[]), Insertion::Unusable);
    assert_eq!(buffer.insert(0, &[0; 1_921]), Insertion::Unusable);
    assert_eq!(take(&mut buffer), None);
}

#[derive(Clone, Debug)]
struct Fate {
    lost: bool,
    delay_ms: u32,
    copies: usize,
}

fn fate() -> impl Strategy<Value = Fate> {
    (0..10_u8, 0..100_u32, 1..3_usize).prop_map(|(dice, delay_ms, copies)| Fate {
        lost: dice < 3,
        delay_ms,
        copies,
    })
}

proptest! {
    /// 30 % loss, up to 100 ms of delay (which reorders), and duplicates.
    #[test]
    fn a_bad_network_keeps_the_order_and_the_bound(
        base: u32, fates in proptest::collection::vec(fate(), 1..250),
    ) {
        let mut arrivals: Vec<(u32, u8)> = Vec::new();
        for (number, fate) in (0_u8..).zip(&fates) {
            let copies = if fate.lost { 0 } else { fate.copies };
            for copy in 0..copies {
                let late = fate.delay_ms + u32::try_from(copy).unwrap() * 5;
                arrivals.push((u32::from(number) * 20 + late, number));
            }
        }
        arrivals.sort_unstable();
        let mut buffer = buffer();
        let mut arrivals = arrivals.into_iter().peekable();
        let mut heard: Vec<u8> = Vec::new();
        for beat in 0..400 {
            while let Some((_, number)) = arrivals.next_if(|(at, _)| *at <= beat * 20) {
                put(&mut buffer, base, number);
                prop_assert!(buffer.depth() <= BOUND);
            }
            heard.extend(take(&mut buffer));
        }
        prop_assert!(heard.windows(2).all(|pair| pair[0] < pair[1]), "{:?}", heard);
    }

    #[test]
    fn any_packets_are_survived_within_the_bound(
        packets in proptest::collection::vec((any::<u32>(), 0..2_000_usize, 0..4_u8, any::<u32>()), 0..200),
    ) {
        let mut buffer = buffer();
        for (timestamp, length, takes, jitter) in packets {
            buffer.insert(timestamp, &vec![1; length]);
            prop_assert!(buffer.depth() <= BOUND);
            for _ in 0..takes {
                buffer.take(jitter);
            }
        }
    }
}
