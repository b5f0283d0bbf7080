use proptest::prelude::*;

use super::*;

fn hex(text: &str) -> Vec<u8> {
    let digits: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap()).collect()
}

fn master() -> Master {
    let bytes = hex("E1F97A0D3E018BE0D64FA32C06DE4139 0EC675AD498AFEEBB6960B3AABE6");
    Master::new(&bytes.try_into().unwrap())
}

/// RFC 3711 appendix B.3.
#[test]
fn keys_are_derived_as_the_standard_shows() {
    let master = master();
    assert_eq!(master.derive::<16>(0).to_vec(), hex("C61E7A93744F39EE10734AFE3FF7A087"));
    assert_eq!(master.derive::<14>(2).to_vec(), hex("30CBBC08863D8C85D49DB34A9AE1"));
    assert_eq!(master.derive::<20>(1).to_vec(), hex("CEBE321F6FF7716B6FD4AB49AF256A156D38BAA4"));
}

/// RFC 3711 appendix B.2: the key stream of AES in counter mode.
#[test]
fn the_key_stream_is_that_of_the_standard() {
    let keys = Keys {
        cipher: hex("2B7E151628AED2A6ABF7158809CF4F3C").try_into().unwrap(),
        salt: hex("F0F1F2F3F4F5F6F7F8F9FAFBFCFD").try_into().unwrap(),
        tag: <Tag as Mac>::new_from_slice(&[0; 20]).unwrap(),
    };
    let mut stream = [0; 48];
    keys.apply(0, 0, &mut stream);
    assert_eq!(
        stream.to_vec(),
        hex(
            "E03EAD0935C95E80E166B16DD92B4EB4 D23513162B02D0F72A43A2FE4A5F97AB 41E95B3BB0A2E8DD477901E4FCA894C0"
        )
    );
}

/// The packet of libsrtp's own test of these keys.
#[test]
fn a_packet_is_protected_as_by_others() {
    let plain = hex("800f1234decafbadcafebabe abababababababababababababababab");
    let sealed = hex("800f1234decafbadcafebabe 4e55dc4ce79978d88ca4d215949d2402 b78d6acc99ea179b8dbb");
    let mut buffer = [0; 64];
    buffer[..plain.len()].copy_from_slice(&plain);
    let length = Stream::new(Suite::Tag80, &master()).protect(&mut buffer, plain.len()).unwrap();
    assert_eq!(buffer[..length].to_vec(), sealed);
    let mut opener = Stream::new(Suite::Tag80, &master());
    assert_eq!(opener.open(&mut sealed.clone()), Some(&plain[..]));
    assert_eq!(opener.open(&mut sealed.clone()), None, "not twice");
}

fn packet(sequence: u16) -> Vec<u8> {
    packet_of(9, sequence)
}

fn packet_of(source: u8, sequence: u16) -> Vec<u8> {
    let mut packet = vec![0x80, 0];
    packet.extend(sequence.to_be_bytes());
    packet.extend([0, 0, 0, 1, 0, 0, 0, source]);
    packet.extend([u8::try_from(sequence % 251).unwrap(); 160]);
    packet
}

fn sealed(stream: &mut Stream, sequence: u16) -> Vec<u8> {
    sealed_of(stream, 9, sequence)
}

fn sealed_of(stream: &mut Stream, source: u8, sequence: u16) -> Vec<u8> {
    let plain = packet_of(source, sequence);
    let mut buffer = [0; 200];
    buffer[..plain.len()].copy_from_slice(&plain);
    let length = stream.protect(&mut buffer, plain.len()).unwrap();
    buffer[..length].to_vec()
}

#[test]
fn sequence_numbers_roll_over_with_loss_and_disorder() {
    for suite in [Suite::Tag80, Suite::Tag32] {
        let (mut out, mut back) = (Stream::new(suite, &master()), Stream::new(suite, &master()));
        let mut sent: Vec<(u16, Vec<u8>)> = (65_500_u32..131_200)
            .map(|number| u16::try_from(number % 65_536).unwrap())
            .map(|sequence| (sequence, sealed(&mut out, sequence)))
            .collect();
        // Every third is lost, and neighbours change places.
        sent.swap(35, 36);
        sent.swap(65_571, 65_573);
        for (at, (sequence, mut datagram)) in sent.into_iter().enumerate() {
            if at % 3 != 2 || (30..40).contains(&at) {
                assert_eq!(back.open(&mut datagram), Some(&packet(sequence)[..]), "{at}");
            }
        }
    }
}

#[test]
fn what_is_forged_repeated_or_too_old_is_refused() {
    let (mut out, mut back) = (Stream::new(Suite::Tag80, &master()), Stream::new(Suite::Tag80, &master()));
    let all: Vec<Vec<u8>> = (0..200).map(|sequence| sealed(&mut out, sequence)).collect();
    for at in [0, 5, 3, 100] {
        assert!(back.open(&mut all[at].clone()).is_some());
        assert!(back.open(&mut all[at].clone()).is_none(), "{at} again");
    }
    assert!(back.open(&mut all[10].clone()).is_none(), "before the window");
    for bit in [0, 20, 100, 1_380, 1_450] {
        let mut forged = all[101].clone();
        forged[bit / 8] ^= 1 << (bit % 8);
        assert!(back.open(&mut forged).is_none(), "bit {bit}");
    }
    assert!(back.open(&mut all[101].clone()).is_some());
    for length in 0..30 {
        assert!(back.open(&mut vec![0x80; length]).is_none());
    }
}

#[test]
fn a_source_that_comes_back_goes_on_where_it_was() {
    let (mut out, mut back) = (Stream::new(Suite::Tag80, &master()), Stream::new(Suite::Tag80, &master()));
    let speech: Vec<Vec<u8>> = [10, 30_000, 60_000, 5].map(|sequence| sealed(&mut out, sequence)).to_vec();
    for datagram in &speech {
        assert!(back.open(&mut datagram.clone()).is_some());
    }
    for hold in 0..7 {
        let music = sealed_of(&mut out, hold, 10);
        assert!(back.open(&mut music.clone()).is_some());
        for recorded in &speech {
            assert!(back.open(&mut recorded.clone()).is_none(), "what was recorded is not played again");
        }
        assert!(back.open(&mut music.clone()).is_none());
    }
    assert_eq!(back.open(&mut sealed(&mut out, 6)), Some(&packet(6)[..]), "after its roll-over");
    // However many there were, a new one is heard.
    for other in 20..50 {
        assert!(back.open(&mut sealed_of(&mut out, other, 10)).is_some());
    }
}

#[test]
fn the_reports_of_another_source_are_counted_anew() {
    let mut back = Stream::new(Suite::Tag80, &master());
    for source in [9, 10] {
        let mut out = Stream::new(Suite::Tag80, &master());
        let plain = [&[0x80, 201, 0, 1, 0, 0, 0, source][..], &[7; 8]].concat();
        for _ in 0..3 {
            let mut buffer = [0; 40];
            buffer[..16].copy_from_slice(&plain);
            let length = out.protect_rtcp(&mut buffer, 16).unwrap();
            let mut again = buffer;
            assert_eq!(back.open_rtcp(&mut buffer[..length]), Some(&plain[..]));
            assert!(back.open_rtcp(&mut again[..length]).is_none());
        }
    }
}

#[test]
fn reports_are_protected_too() {
    let (mut out, mut back) = (Stream::new(Suite::Tag32, &master()), Stream::new(Suite::Tag32, &master()));
    let plain = [&[0x80, 201, 0, 1, 0, 0, 0, 9][..], &[7; 40]].concat();
    for _ in 0..3 {
        let mut buffer = [0; 80];
        buffer[..plain.len()].copy_from_slice(&plain);
        let length = out.protect_rtcp(&mut buffer, plain.len()).unwrap();
        assert_eq!(length, plain.len() + 14);
        assert_ne!(buffer[8..48], plain[8..]);
        let mut forged = buffer;
        forged[20] ^= 1;
        assert!(back.open_rtcp(&mut forged[..length]).is_none());
        let mut again = buffer;
        assert_eq!(back.open_rtcp(&mut buffer[..length]), Some(&plain[..]));
        assert!(back.open_rtcp(&mut again[..length]).is_none());
    }
}

proptest! {
    #[test]
    fn any_datagrams_are_opened_without_a_panic(
        datagrams in proptest::collection::vec((any::<u8>(), proptest::collection::vec(any::<u8>(), 0..80)), 0..30),
    ) {
        for suite in [Suite::Tag80, Suite::Tag32] {
            let mut stream = Stream::new(suite, &master());
            for (flags, mut datagram) in datagrams.clone() {
                // Of version 2, with whatever sources, extension and padding.
                if let Some(first) = datagram.first_mut() {
                    *first = 0x80 | flags & 0x3F;
                }
                prop_assert!(stream.open(&mut datagram.clone()).is_none(), "forged by chance");
                prop_assert!(stream.open_rtcp(&mut datagram.clone()).is_none(), "forged by chance");
                let length = datagram.len();
                datagram.resize(length + MOST_ADDED, 0);
                let _ = stream.protect(&mut datagram.clone(), length);
                let _ = stream.protect_rtcp(&mut datagram, length);
            }
        }
    }

    #[test]
    fn any_sequence_numbers_have_an_index(sequences in proptest::collection::vec(any::<u16>(), 0..300)) {
        let mut replay = Replay::default();
        for sequence in sequences {
            let index = replay.index(sequence);
            prop_assert_eq!(index & 0xFFFF, u64::from(sequence));
            if replay.is_fresh(index) {
                replay.note(index);
                prop_assert!(!replay.is_fresh(index));
            }
        }
    }
}
