//! RTP packets (RFC 3550 §5.1), read and written.

/// Bytes of a header without contributing sources or extension.
pub(crate) const HEADER_BYTES: usize = 12;

/// A received packet, borrowed from the datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Packet<'a> {
    pub(crate) marker: bool,
    pub(crate) payload_type: u8,
    pub(crate) sequence: u16,
    pub(crate) timestamp: u32,
    pub(crate) ssrc: u32,
    pub(crate) payload: &'a [u8],
}

impl<'a> Packet<'a> {
    /// Reads a datagram; none when it is not a whole RTP packet of version 2.
    pub(crate) fn parse(datagram: &'a [u8]) -> Option<Self> {
        let (header, rest) = datagram.split_first_chunk::<HEADER_BYTES>()?;
        let [flags, kind, s0, s1, t0, t1, t2, t3, r0, r1, r2, r3] = *header;
        if flags >> 6 != 2 {
            return None;
        }
        let mut payload = rest.get(usize::from(flags & 0x0F) * 4..)?;
        if flags & 0x10 != 0 {
            let ([_, _, high, low], rest) = payload.split_first_chunk::<4>()?;
            payload = rest.get(usize::from(u16::from_be_bytes([*high, *low])) * 4..)?;
        }
        if flags & 0x20 != 0 {
            let padding = usize::from(*payload.last()?);
            if padding == 0 {
                return None;
            }
            payload = payload.get(..payload.len().checked_sub(padding)?)?;
        }
        Some(Self {
            marker: kind & 0x80 != 0,
            payload_type: kind & 0x7F,
            sequence: u16::from_be_bytes([s0, s1]),
            timestamp: u32::from_be_bytes([t0, t1, t2, t3]),
            ssrc: u32::from_be_bytes([r0, r1, r2, r3]),
            payload,
        })
    }

    /// Writes the packet to the front of `buffer`; none when it does not fit.
    pub(crate) fn write<'b>(&self, buffer: &'b mut [u8]) -> Option<&'b [u8]> {
        let length = HEADER_BYTES + self.payload.len();
        let datagram = buffer.get_mut(..length)?;
        let (header, payload) = datagram.split_first_chunk_mut::<HEADER_BYTES>()?;
        let [s0, s1] = self.sequence.to_be_bytes();
        let [t0, t1, t2, t3] = self.timestamp.to_be_bytes();
        let [r0, r1, r2, r3] = self.ssrc.to_be_bytes();
        let kind = u8::from(self.marker) << 7 | self.payload_type & 0x7F;
        *header = [0x80, kind, s0, s1, t0, t1, t2, t3, r0, r1, r2, r3];
        payload.copy_from_slice(self.payload);
        Some(datagram)
    }
}

/// How far `later` is ahead of `earlier` on the circle of timestamps; negative when it is behind.
pub(crate) fn distance(later: u32, earlier: u32) -> i32 {
    later.wrapping_sub(earlier).cast_signed()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(datagram: &[u8]) -> Option<Packet<'_>> {
        Packet::parse(datagram)
    }

    const PLAIN: [u8; 14] = [0x80, 0x80, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 7, 8];

    #[test]
    fn a_plain_packet_is_read() {
        let packet = parse(&PLAIN).unwrap();
        let expected =
            Packet { marker: true, payload_type: 0, sequence: 1, timestamp: 2, ssrc: 3, payload: &[7, 8] };
        assert_eq!(packet, expected);
    }

    #[test]
    fn contributing_sources_extension_and_padding_are_skipped() {
        let mut datagram = vec![0xB1, 8, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3];
        datagram.extend([9; 4]);
        datagram.extend([0xBE, 0xDE, 0, 1, 5, 5, 5, 5]);
        datagram.extend([1, 2, 3, 0, 2]);
        assert_eq!(parse(&datagram).unwrap().payload, &[1, 2, 3]);
    }

    #[test]
    fn what_is_cut_short_or_of_another_version_is_refused() {
        assert_eq!(parse(&PLAIN[..11]), None);
        for flags in [0x00, 0x40, 0xC0, 0x8F, 0x90] {
            let mut datagram = PLAIN;
            datagram[0] = flags;
            assert_eq!(parse(&datagram), None, "{flags:02x}");
        }
        for padding in [0, 3, 255] {
            let mut datagram = PLAIN;
            datagram[0] = 0xA0;
            datagram[13] = padding;
            assert_eq!(parse(&datagram), None, "padding {padding}");
        }
    }

    #[test]
    fn distances_wrap_around() {
        assert_eq!(distance(5, u32::MAX - 4), 10);
        assert_eq!(distance(u32::MAX - 4, 5), -10);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_a_panic(datagram in proptest::collection::vec(any::<u8>(), 0..64)) {
            let _ = parse(&datagram);
        }

        #[test]
        fn what_is_written_is_read_back(
            marker: bool, payload_type in 0u8..128, sequence: u16, timestamp: u32, ssrc: u32,
            payload in proptest::collection::vec(any::<u8>(), 0..200),
        ) {
            let packet = Packet { marker, payload_type, sequence, timestamp, ssrc, payload: &payload };
            let mut buffer = [0; 256];
            prop_assert_eq!(parse(packet.write(&mut buffer).unwrap()), Some(packet));
        }
    }
}
