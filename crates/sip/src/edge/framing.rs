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

/// Finds the first whole item; a message, head and body together, may have `longest` bytes.
pub fn frame(stream: &[u8], longest: usize) -> Frame {
    if stream.starts_with(b"\r\n\r\n") {
        return Frame::Ping(4);
    }
    if b"\r\n\r\n".starts_with(stream) {
        return Frame::Partial;
    }
    if stream.starts_with(b"\r\n") {
        return Frame::Filler(2);
    }
    let head = stream.get(..LONGEST_HEAD).unwrap_or(stream);
    let Some(end) = head.windows(4).position(|four| four == b"\r\n\r\n") else {
        return if head.len() < stream.len() || stream.len() >= LONGEST_HEAD.min(longest) {
            Frame::Unusable
        } else {
            Frame::Partial
        };
    };
    let Some(body) = head.get(..end).and_then(content_length) else { return Frame::Unusable };
    match end.checked_add(4).and_then(|head| head.checked_add(body)) {
        Some(length) if length > longest => Frame::Unusable,
        Some(length) if length <= stream.len() => Frame::Message(length),
        Some(_) => Frame::Partial,
        None => Frame::Unusable,
    }
}

/// The length of the body; 0 without a word about it, and `None` when it is no number or two.
fn content_length(head: &[u8]) -> Option<usize> {
    let mut length = None;
    for line in head.split(|byte| *byte == b'\n') {
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
