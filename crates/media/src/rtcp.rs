//! RTCP packets (RFC 3550 §6), the few that a call of two needs.

use std::time::Duration;

use crate::reception::Figures;

const SENDER_REPORT: u8 = 200;
const RECEIVER_REPORT: u8 = 201;
const SOURCE_DESCRIPTION: u8 = 202;
const GOODBYE: u8 = 203;
const CNAME: u8 = 1;

/// Room for the longest compound packet that is written: reports 52, description 268, BYE 8.
pub(crate) const MOST_BYTES: usize = 336;

/// What a compound packet tells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Compound<'a> {
    pub(crate) ssrc: u32,
    pub(crate) cname: &'a str,
    /// None when we sent nothing: a receiver report then.
    pub(crate) sent: Option<Sent>,
    pub(crate) block: Option<Block>,
    pub(crate) goodbye: bool,
}

/// What we sent so far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    /// Time since the session began: a relative clock, as RFC 3550 §4 allows.
    pub(crate) at: Duration,
    pub(crate) timestamp: u32,
    pub(crate) packets: u32,
    pub(crate) octets: u32,
}

/// What we received from one source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) ssrc: u32,
    pub(crate) figures: Figures,
    /// Middle bits of the source's last report and how long ago it came.
    pub(crate) last_report: Option<(u32, Duration)>,
}

impl Compound<'_> {
    /// Writes the packet to the front of `buffer`; none when it does not fit.
    pub(crate) fn write<'b>(&self, buffer: &'b mut [u8; MOST_BYTES]) -> Option<&'b [u8]> {
        let mut at = Writer { buffer, length: 0 };
        self.write_report(&mut at)?;
        self.write_description(&mut at)?;
        if self.goodbye {
            at.put(&[0x81, GOODBYE, 0, 1])?;
            at.put(&self.ssrc.to_be_bytes())?;
        }
        let Writer { buffer, length } = at;
        buffer.get(..length)
    }

    fn write_report(&self, at: &mut Writer<'_>) -> Option<()> {
        let blocks = u8::from(self.block.is_some());
        let (kind, words) = if self.sent.is_some() { (SENDER_REPORT, 6) } else { (RECEIVER_REPORT, 1) };
        at.put(&[0x80 | blocks, kind, 0, words + 6 * blocks])?;
        at.put(&self.ssrc.to_be_bytes())?;
        if let Some(sent) = self.sent {
            at.put(&fixed_point(sent.at).to_be_bytes())?;
            for word in [sent.timestamp, sent.packets, sent.octets] {
                at.put(&word.to_be_bytes())?;
            }
        }
        if let Some(Block { ssrc, figures, last_report }) = self.block {
            let (time, since) = last_report.unwrap_or_default();
            let [_, lost @ ..] = figures.lost.to_be_bytes();
            at.put(&ssrc.to_be_bytes())?;
            at.put(&[figures.fraction_lost])?;
            at.put(&lost)?;
            for word in [figures.highest, figures.jitter, time, middle(fixed_point(since))] {
                at.put(&word.to_be_bytes())?;
            }
        }
        Some(())
    }

    fn write_description(&self, at: &mut Writer<'_>) -> Option<()> {
        let name = self.cname.as_bytes();
        let length = u8::try_from(name.len()).ok()?;
        // SSRC, item head, name, and one to four zeros up to a whole word (RFC 3550 §6.5).
        let padding = 4 - (2 + name.len()) % 4;
        let words = u8::try_from((4 + 2 + name.len() + padding) / 4).ok()?;
        at.put(&[0x81, SOURCE_DESCRIPTION, 0, words])?;
        at.put(&self.ssrc.to_be_bytes())?;
        at.put(&[CNAME, length])?;
        at.put(name)?;
        at.put([0; 4].get(..padding)?)
    }
}

/// Finds the middle bits of the NTP time of `ssrc`'s sender report in a received datagram; whatever
/// else is in it, or wrong with it, is passed over.
pub(crate) fn report_time(mut datagram: &[u8], ssrc: u32) -> Option<u32> {
    while let Some(([flags, kind, high, low], rest)) = datagram.split_first_chunk::<4>() {
        let length = usize::from(u16::from_be_bytes([*high, *low])) * 4;
        let body = rest.get(..length)?;
        if flags >> 6 != 2 {
            return None;
        }
        if let (SENDER_REPORT, Some((head, _))) = (*kind, body.split_first_chunk::<12>()) {
            let [s0, s1, s2, s3, _, _, n0, n1, n2, n3, ..] = *head;
            if u32::from_be_bytes([s0, s1, s2, s3]) == ssrc {
                return Some(u32::from_be_bytes([n0, n1, n2, n3]));
            }
        }
        datagram = rest.get(length..)?;
    }
    None
}

/// Seconds in the 32.32 fixed point of NTP.
fn fixed_point(time: Duration) -> u64 {
    let fraction = (u64::from(time.subsec_nanos()) << 32) / 1_000_000_000;
    time.as_secs() << 32 | fraction
}

fn middle(ntp: u64) -> u32 {
    let [_, _, a, b, c, d, _, _] = ntp.to_be_bytes();
    u32::from_be_bytes([a, b, c, d])
}

struct Writer<'b> {
    buffer: &'b mut [u8; MOST_BYTES],
    length: usize,
}

impl Writer<'_> {
    fn put(&mut self, bytes: &[u8]) -> Option<()> {
        let end = self.length + bytes.len();
        self.buffer.get_mut(self.length..end)?.copy_from_slice(bytes);
        self.length = end;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn compound(cname: &str) -> Compound<'_> {
        let figures = Figures { fraction_lost: 51, lost: 258, highest: 0x1_0005, jitter: 6 };
        Compound {
            ssrc: 7,
            cname,
            sent: Some(Sent { at: Duration::from_millis(1_500), timestamp: 3, packets: 4, octets: 5 }),
            block: Some(Block { ssrc: 9, figures, last_report: Some((11, Duration::from_millis(500))) }),
            goodbye: true,
        }
    }

    /// Kind and body of each packet in a compound one.
    fn parts(mut bytes: &[u8]) -> Vec<(u8, &[u8])> {
        let mut parts = Vec::new();
        while let [flags, kind, high, low, rest @ ..] = bytes {
            assert_eq!(flags >> 6, 2);
            let (body, others) = rest.split_at(usize::from(u16::from_be_bytes([*high, *low])) * 4);
            parts.push((*kind, body));
            bytes = others;
        }
        assert!(bytes.is_empty());
        parts
    }

    #[test]
    fn a_compound_packet_is_report_description_and_goodbye() {
        let mut buffer = [0; MOST_BYTES];
        let bytes = compound("abc").write(&mut buffer).unwrap();
        let parts = parts(bytes);
        assert_eq!(parts.iter().map(|(kind, _)| *kind).collect::<Vec<_>>(), [200, 202, 203]);
        let mut report = vec![0, 0, 0, 7, 0, 0, 0, 1, 0x80, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 5];
        report.extend([0, 0, 0, 9, 51, 0, 1, 2, 0, 1, 0, 5, 0, 0, 0, 6, 0, 0, 0, 11, 0, 0, 0x80, 0]);
        assert_eq!(parts[0].1, report);
        assert_eq!(parts[1].1, [0, 0, 0, 7, 1, 3, b'a', b'b', b'c', 0, 0, 0]);
        assert_eq!(parts[2].1, [0, 0, 0, 7]);
        assert_eq!(report_time(bytes, 7), Some(0x0001_8000));
        assert_eq!(report_time(bytes, 8), None);
    }

    #[test]
    fn names_of_any_length_end_with_a_zero_on_a_whole_word() {
        for length in 0..=255 {
            let name = "x".repeat(length);
            let mut buffer = [0; MOST_BYTES];
            let compound = Compound { goodbye: length % 2 == 0, ..compound(&name) };
            let bytes = compound.write(&mut buffer).unwrap();
            assert_eq!(parts(bytes)[1].1.last(), Some(&0));
        }
        assert!(compound(&"x".repeat(256)).write(&mut [0; MOST_BYTES]).is_none());
    }

    #[test]
    fn who_sent_nothing_writes_a_receiver_report() {
        let mut buffer = [0; MOST_BYTES];
        let compound = Compound { sent: None, block: None, ..compound("a") };
        assert_eq!(parts(compound.write(&mut buffer).unwrap())[0], (201, &[0, 0, 0, 7][..]));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..100), ssrc: u32) {
            report_time(&bytes, ssrc);
        }
    }
}
