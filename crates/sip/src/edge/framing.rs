//! Where a message ends in a stream (RFC 3261 §18.3, RFC 5626 §3.5.1).

use super::scan::LONGEST_HEAD;

/// What a stream's bytes begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
    /// Nothing whole yet.
    Partial,
    /// A keep-alive of so many bytes, which asks for an answer.
    Ping(usize),
    /// So many bytes that mean nothing.
    Filler(usize),
    /// A message of so many bytes.
    Message(usize),
    /// What never becomes a message that we take; the stream is useless from here on.
    Unusable,
}

/// Finds the items of a stream that comes in pieces, and looks at no byte of a head twice.
#[derive(Clone, Copy, Debug, Default)]
pub struct Framer {
    /// So many bytes hold no end of a head.
    searched: usize,
    /// The length of the message that has begun, once its head is complete.
    length: Option<usize>,
}

impl Framer {
    /// Finds the first whole item; a message, head and body together, may have `longest` bytes. After
    /// [`Frame::Partial`] the same bytes must come again with more behind them, after anything else what
    /// follows the item.
    pub fn next(&mut self, stream: &[u8], longest: usize) -> Frame {
        let found = self.find(stream, longest);
        if found != Frame::Partial {
            *self = Self::default();
        }
        found
    }

    fn find(&mut self, stream: &[u8], longest: usize) -> Frame {
        let length = match self.length {
            Some(length) => length,
            None => match self.begin(stream, longest) {
                Ok(length) => *self.length.insert(length),
                Err(other) => return other,
            },
        };
        if length <= stream.len() { Frame::Message(length) } else { Frame::Partial }
    }

    /// The length of the message that begins here, or what there is instead.
    fn begin(&mut self, stream: &[u8], longest: usize) -> Result<usize, Frame> {
        if stream.starts_with(b"\r\n\r\n") {
            return Err(Frame::Ping(4));
        }
        if b"\r\n\r\n".starts_with(stream) {
            return Err(Frame::Partial);
        }
        if stream.starts_with(b"\r\n") {
            return Err(Frame::Filler(2));
        }
        let head = stream.get(..LONGEST_HEAD).unwrap_or(stream);
        let unread = head.get(self.searched..).unwrap_or_default();
        let Some(end) = unread.windows(4).position(|four| four == b"\r\n\r\n") else {
            if head.len() < stream.len() || stream.len() >= LONGEST_HEAD.min(longest) {
                return Err(Frame::Unusable);
            }
            // The end may have begun in the last three.
            self.searched = head.len().saturating_sub(3);
            return Err(Frame::Partial);
        };
        let end = self.searched.saturating_add(end);
        let body = head.get(..end).and_then(content_length).ok_or(Frame::Unusable)?;
        let length = end.checked_add(4).and_then(|head| head.checked_add(body)).ok_or(Frame::Unusable)?;
        if length > longest { Err(Frame::Unusable) } else { Ok(length) }
    }
}

/// The length of the body; 0 without a word about it, and `None` when it is no number or two.
fn content_length(head: &[u8]) -> Option<usize> {
    let mut length = None;
    for line in head.split(|byte| *byte == b'\n') {
        // It continues the line before it, as in the scan of the head (RFC 3261 §7.3.1).
        if line.first().is_some_and(|byte| matches!(byte, b' ' | b'\t')) {
            continue;
        }
        let Some(colon) = line.iter().position(|byte| *byte == b':') else { continue };
        let (name, value) = (line.get(..colon)?.trim_ascii(), line.get(colon + 1..)?.trim_ascii());
        if !name.eq_ignore_ascii_case(b"content-length") && !name.eq_ignore_ascii_case(b"l") {
            continue;
        }
        let digits = (1..=9).contains(&value.len()) && value.iter().all(u8::is_ascii_digit);
        let said: usize = std::str::from_utf8(value).ok().filter(|_| digits)?.parse().ok()?;
        if length.replace(said).is_some_and(|before| before != said) {
            return None;
        }
    }
    Some(length.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONGEST: usize = 65_536;

    fn frame(stream: &[u8], longest: usize) -> Frame {
        Framer::default().next(stream, longest)
    }

    #[test]
    fn a_folded_line_gives_no_length() {
        for (head, expected) in [
            ("BYE sip:x SIP/2.0\r\nX: 1\r\n Content-Length: 4\r\n\r\n", Frame::Message(0)),
            ("BYE sip:x SIP/2.0\r\nX: 1\r\n\tl: 4\r\nl: 0\r\n\r\n", Frame::Message(0)),
            ("BYE sip:x SIP/2.0\r\nContent-Length:\r\n 4\r\n\r\n", Frame::Unusable),
        ] {
            let expected =
                if let Frame::Message(_) = expected { Frame::Message(head.len()) } else { expected };
            assert_eq!(frame(format!("{head}NEXT").as_bytes(), LONGEST), expected, "{head:?}");
        }
    }

    #[test]
    fn pieces_of_a_byte_are_read_once_and_give_the_same() {
        let message = b"BYE sip:x SIP/2.0\r\nX: \r\r\n\rY: 1\r\nl: 4\r\n\r\nbody";
        let head = message.len() - 4;
        let mut framer = Framer::default();
        for end in 1..message.len() {
            assert_eq!(framer.next(&message[..end], LONGEST), Frame::Partial, "{end}");
            if end < head {
                assert_eq!(framer.searched, end.saturating_sub(3), "{end}");
            } else {
                assert_eq!(framer.length, Some(message.len()), "the head is not read again");
            }
        }
        assert_eq!(framer.next(message, LONGEST), Frame::Message(message.len()));
        assert_eq!((framer.searched, framer.length), (0, None));
    }

    #[test]
    fn messages_and_keep_alives_are_told_apart() {
        let message = "BYE sip:x SIP/2.0\r\nl: 4\r\n\r\nbodyNEXT";
        for (stream, expected) in [
            (message, Frame::Message(message.len() - 4)),
            ("BYE sip:x SIP/2.0\r\n\r\nNEXT", Frame::Message(21)),
            ("BYE sip:x SIP/2.0\r\nContent-Length: 4\r\n\r\nbod", Frame::Partial),
            ("BYE sip:x SIP/2.0\r\nContent-Le", Frame::Partial),
            ("", Frame::Partial),
            ("\r\n\r", Frame::Partial),
            ("\r\n\r\nBYE", Frame::Ping(4)),
            ("\r\nBYE", Frame::Filler(2)),
        ] {
            assert_eq!(frame(stream.as_bytes(), LONGEST), expected, "{stream:?}");
        }
    }

    #[test]
    fn what_is_too_long_or_of_unclear_length_is_unusable() {
        let with = |length: &str| format!("BYE sip:x SIP/2.0\r\n{length}\r\n\r\n");
        for length in [
            "Content-Length: 65536",
            "Content-Length: 999999999",
            "Content-Length: 18446744073709551615",
            "Content-Length: -1",
            "Content-Length: 4x",
            "Content-Length:",
            "Content-Length: 4\r\nl: 5",
        ] {
            assert_eq!(frame(with(length).as_bytes(), LONGEST), Frame::Unusable, "{length}");
        }
        assert_eq!(frame(with("Content-Length: 4\r\nl: 4").as_bytes(), LONGEST), Frame::Partial);
        assert_eq!(frame(&[b'x'; LONGEST_HEAD - 1], LONGEST), Frame::Partial);
        assert_eq!(frame(&[b'x'; LONGEST_HEAD], LONGEST), Frame::Unusable);
    }
}
