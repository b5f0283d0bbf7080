//! Datagrams on a media port: RTP, RTCP, and both as SRTP.
#![no_main]

use libfuzzer_sys::fuzz_target;
use media::fuzzing::{read_rtp, report_time, write_rtp};
use media::srtp::{MOST_ADDED, Master, Stream, Suite};

/// The bytes of a datagram that we send or take.
const LONGEST: usize = 2_048;

fuzz_target!(|datagram: &[u8]| {
    let Some(datagram) = datagram.get(..datagram.len().min(LONGEST)) else { return };
    if let Some(packet) = read_rtp(datagram) {
        assert!(packet.payload.len() <= datagram.len() - 12);
        let mut buffer = [0; LONGEST];
        let written = write_rtp(&packet, &mut buffer).expect("it fits where it came from");
        assert_eq!(read_rtp(written).as_ref(), Some(&packet));
    }
    if let Some(ssrc) = datagram.get(4..8) {
        report_time(datagram, u32::from_be_bytes(ssrc.try_into().unwrap()));
    }
    for suite in [Suite::Tag80, Suite::Tag32] {
        let (ours, theirs) = (Master::new(&[1; 30]), Master::new(&[2; 30]));
        // Nobody who lacks the key is heard. A tag of 32 bits could be guessed; the input is too poor.
        let mut stream = Stream::new(suite, &theirs);
        assert!(stream.open(&mut datagram.to_vec()).is_none(), "forged RTP was taken");
        assert!(stream.open_rtcp(&mut datagram.to_vec()).is_none(), "forged RTCP was taken");
        let (mut sender, mut receiver) = (Stream::new(suite, &ours), Stream::new(suite, &ours));
        let mut buffer = [0; LONGEST + MOST_ADDED];
        buffer[..datagram.len()].copy_from_slice(datagram);
        if let Some(length) = sender.protect(&mut buffer, datagram.len()) {
            let mut again = buffer;
            assert_eq!(receiver.open(&mut buffer[..length]), Some(datagram));
            assert!(receiver.open(&mut again[..length]).is_none(), "a repeated packet was taken");
        }
        buffer[..datagram.len()].copy_from_slice(datagram);
        if let Some(length) = sender.protect_rtcp(&mut buffer, datagram.len()) {
            assert_eq!(receiver.open_rtcp(&mut buffer[..length]), Some(datagram));
        }
    }
});
