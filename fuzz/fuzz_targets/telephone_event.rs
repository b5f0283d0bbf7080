//! Telephone keys: packets of a peer, seven bytes each, and our own.
#![no_main]

use std::collections::BTreeSet;
use std::time::Duration;

use domain::audio::Digit;
use libfuzzer_sys::fuzz_target;
use media::fuzzing::{Rtp, keys_heard, keys_pressed};

fuzz_target!(|bytes: &[u8]| {
    let packets: Vec<Rtp> = bytes
        .chunks(7)
        .filter_map(|chunk| {
            let (head, payload) = chunk.split_first_chunk::<3>()?;
            let [flags, high, low] = *head;
            let timestamp = u32::from(u16::from_be_bytes([high, low])) << 8;
            let (marker, payload) = (flags & 1 != 0, payload.to_vec());
            Some(Rtp { marker, payload_type: 101, sequence: 0, timestamp, ssrc: 1, payload })
        })
        .collect();
    let heard = keys_heard(&packets);
    assert!(heard.len() <= packets.len());
    // A key that is sent again tells nothing new.
    let doubled: Vec<Rtp> = packets.iter().flat_map(|packet| [packet.clone(), packet.clone()]).collect();
    assert_eq!(keys_heard(&doubled), heard);
    let timestamps: BTreeSet<u32> = packets.iter().map(|packet| packet.timestamp).collect();
    assert!(timestamps.len() > 1 || heard.len() <= 1, "one press was heard as several");

    let Some((length, keys)) = bytes.split_first() else { return };
    let keys: Vec<Digit> = keys.iter().take(6).filter_map(|byte| Digit::from_event(byte % 16)).collect();
    let length = Duration::from_millis(u64::from(*length) * 40);
    let pressed = keys_pressed(&keys, length, u32::MAX - 50_000);
    let expected: Vec<char> = keys.into_iter().map(Digit::as_char).collect();
    assert_eq!(keys_heard(&pressed), expected);
});
