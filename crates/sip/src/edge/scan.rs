//! What a SIP message names, read from its bytes before anything else looks at them (RFC 3261 §7.3,
//! §8.1.1). Nothing is allocated, and the work is bounded by [`LONGEST_HEAD`].

use crate::headers;

/// The start line and all header fields together may have so many bytes.
pub const LONGEST_HEAD: usize = 16 * 1024;

/// So many header fields may stand before the empty line.
const MOST_FIELDS: usize = 256;

/// A branch, tag or Call-ID that is longer names nothing of ours.
const LONGEST_NAME: usize = 1_024;

/// The kind of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start<'a> {
    /// A request with its method.
    Request(&'a [u8]),
    /// A response with its code, 100–999.
    Response(u16),
}

/// The transaction and the dialog that a message names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named<'a> {
    /// Request or response.
    pub start: Start<'a>,
    /// The branch of the top Via.
    pub branch: Option<&'a [u8]>,
    /// Host and port of the top Via.
    pub sent_by: &'a [u8],
    /// Call-ID.
    pub call_id: &'a [u8],
    /// The tag of From.
    pub from_tag: Option<&'a [u8]>,
    /// The tag of To.
    pub to_tag: Option<&'a [u8]>,
}

impl Named<'_> {
    /// Whether this is a request with that method.
    pub fn is(&self, method: &str) -> bool {
        self.start == Start::Request(method.as_bytes())
    }
}

/// Scans a datagram, or one whole message of a stream. Returns `None` unless the head is complete,
/// within the bounds, and has a Via and exactly one Call-ID, From, To and `CSeq`.
pub fn scan(message: &[u8]) -> Option<Named<'_>> {
    let head = message.get(..LONGEST_HEAD).unwrap_or(message);
    let (first, mut rest) = line(head)?;
    let start = start_line(first)?;
    // A continuation of the start line: parsers disagree about what it would continue.
    if begins_blank(rest) {
        return None;
    }
    let mut via = None;
    let [mut call_id, mut from, mut to, mut cseq] = [None; 4];
    let mut fields = 0;
    loop {
        let (field, after) = folded_line(rest)?;
        // Header fields are UTF-8 (RFC 3261 §7.3.1). Parsers stop at one that is not, and would read less
        // than is scanned.
        std::str::from_utf8(field).ok()?;
        if field.is_empty() {
            break;
        }
        rest = after;
        fields += 1;
        if fields > MOST_FIELDS {
            return None;
        }
        let Some((name, value)) = split_at(field, b':') else { continue };
        let name = trim(name);
        let once = match () {
            () if names(name, b"via", b'v') => {
                via = via.or(Some(value));
                continue;
            }
            () if names(name, b"call-id", b'i') => &mut call_id,
            () if names(name, b"from", b'f') => &mut from,
            () if names(name, b"to", b't') => &mut to,
            () if name.eq_ignore_ascii_case(b"cseq") => &mut cseq,
            () => continue,
        };
        // Two of them would name two dialogs: one that is admitted, and one that is read.
        if once.replace(value).is_some() {
            return None;
        }
    }
    cseq?;
    let (sent_by, branch) = top_via(via?)?;
    let call_id = trim(call_id?);
    let named = Named { start, branch, sent_by, call_id, from_tag: tag(from?), to_tag: tag(to?) };
    let fits = |name: Option<&[u8]>| name.is_none_or(|name| name.len() <= LONGEST_NAME);
    let all_fit = [named.branch, Some(call_id), named.from_tag, named.to_tag].into_iter().all(fits);
    (all_fit && !call_id.is_empty()).then_some(named)
}

/// The first line without its end, and what follows it; `None` when no line is complete.
fn line(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let (line, rest) = split_at(text, b'\n')?;
    Some((line.strip_suffix(b"\r").unwrap_or(line), rest))
}

/// The first line with the lines that continue it (RFC 3261 §7.3.1).
fn folded_line(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let (first, mut rest) = line(text)?;
    if first.is_empty() {
        return Some((first, rest));
    }
    while begins_blank(rest) {
        (_, rest) = line(rest)?;
    }
    let length = text.len().checked_sub(rest.len())?;
    let folded = text.get(..length)?;
    Some((trim(folded), rest))
}

fn start_line(line: &[u8]) -> Option<Start<'_>> {
    if let Some(status) = line.strip_prefix(b"SIP/") {
        let digits = status.strip_prefix(b"2.0 ")?.get(..3)?;
        let code = std::str::from_utf8(digits).ok()?.parse().ok()?;
        return (code >= 100).then_some(Start::Response(code));
    }
    let (method, rest) = split_at(line, b' ')?;
    let token = |byte: &u8| byte.is_ascii_alphanumeric() || b"-.!%*_+`'~".contains(byte);
    let is_method = (1..=32).contains(&method.len()) && method.iter().all(token);
    let version = rest.rsplit(|byte| is_blank(*byte)).next()?;
    (is_method && version.eq_ignore_ascii_case(b"SIP/2.0")).then_some(Start::Request(method))
}

/// Sent-by and branch of the first element of a Via: `SIP/2.0/UDP host:port;branch=…`.
fn top_via(value: &[u8]) -> Option<(&[u8], Option<&[u8]>)> {
    let end = outside_quotes(value, |byte| byte == b',').unwrap_or(value.len());
    let element = value.get(..end)?;
    let (head, parameters) = split_at(element, b';').unwrap_or((element, &[]));
    let (_, protocol) = split_at(head, b'/')?;
    let (_, transport) = split_at(protocol, b'/')?;
    let transport = trim(transport);
    let gap = transport.iter().position(|byte| is_space(*byte))?;
    let sent_by = trim(transport.get(gap..)?);
    (!sent_by.is_empty()).then_some((sent_by, parameter(parameters, b"branch")))
}

/// The tag of From or To, read as a call reads it, so that no message passes under a tag that it does not
/// have behind the edge.
fn tag(value: &[u8]) -> Option<&[u8]> {
    let tag = headers::parameter(std::str::from_utf8(value).ok()?, "tag")?;
    (!tag.is_empty()).then_some(tag.as_bytes())
}

/// The value of a parameter in `a=1;b=2`; empty values name nothing.
fn parameter<'a>(mut parameters: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    loop {
        let end = outside_quotes(parameters, |byte| byte == b';').unwrap_or(parameters.len());
        let (one, rest) = (parameters.get(..end)?, parameters.get(end..)?);
        if let Some((key, value)) = split_at(one, b'=')
            && trim(key).eq_ignore_ascii_case(name)
        {
            let value = trim(value);
            return (!value.is_empty()).then_some(value);
        }
        parameters = rest.get(1..)?;
    }
}

/// The place of the first byte that is wanted and does not stand in a quoted string.
fn outside_quotes(text: &[u8], wanted: impl Fn(u8) -> bool) -> Option<usize> {
    let (mut quoted, mut escaped) = (false, false);
    text.iter().position(|byte| {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            byte => return !quoted && wanted(*byte),
        }
        false
    })
}

/// What stands before and after the first `separator`.
fn split_at(text: &[u8], separator: u8) -> Option<(&[u8], &[u8])> {
    let at = text.iter().position(|byte| *byte == separator)?;
    Some((text.get(..at)?, text.get(at.checked_add(1)?..)?))
}

fn names(name: &[u8], long: &[u8], short: u8) -> bool {
    name.eq_ignore_ascii_case(long) || name.eq_ignore_ascii_case(&[short])
}

fn begins_blank(text: &[u8]) -> bool {
    text.first().is_some_and(|byte| is_blank(*byte))
}

const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

fn trim(text: &[u8]) -> &[u8] {
    text.trim_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    const INVITE: &str = "INVITE sip:x@y SIP/2.0\r\n\
        Via: SIP/2.0/UDP 10.0.0.1:5060;rport;branch=z9hG4bKa, SIP/2.0/TCP 10.0.0.2;branch=z9hG4bKb\r\n\
        Max-Forwards: 70\r\nFrom: \"A;tag=no, <\" <sip:a@b;tag=uri>;tag=from1\r\nTo: <sip:x@y>\r\n\
        Call-ID: id1@b\r\nCSeq: 1 INVITE\r\nContent-Length: 4\r\n\r\nbody";

    fn text(name: Option<&[u8]>) -> Option<&str> {
        name.map(|name| std::str::from_utf8(name).unwrap())
    }

    #[test]
    fn request_names_its_transaction_and_dialog() {
        let named = scan(INVITE.as_bytes()).unwrap();
        assert!(named.is("INVITE") && !named.is("invite"));
        assert_eq!(text(named.branch), Some("z9hG4bKa"));
        assert_eq!(text(Some(named.sent_by)), Some("10.0.0.1:5060"));
        assert_eq!(text(Some(named.call_id)), Some("id1@b"));
        assert_eq!((text(named.from_tag), text(named.to_tag)), (Some("from1"), None));
    }

    #[test]
    fn response_in_compact_form_and_folded_is_read() {
        let message = "SIP/2.0 200 OK\r\nv:\r\n SIP / 2.0 / UDP\r\n\thost.example : 5070 \r\n ;BRANCH = z9hG4bKc\r\n\
            f: sip:a@b;tag=f\r\nt : Bob <sip:b@c>;x=\"; tag=q\";Tag=t\r\ni: 7\r\nCSEQ: 1 BYE\r\n\r\n";
        let named = scan(message.as_bytes()).unwrap();
        assert_eq!(named.start, Start::Response(200));
        assert_eq!(text(named.branch), Some("z9hG4bKc"));
        assert_eq!(text(Some(named.sent_by)), Some("host.example : 5070"));
        assert_eq!(text(Some(named.call_id)), Some("7"));
        assert_eq!((text(named.from_tag), text(named.to_tag)), (Some("f"), Some("t")));
    }

    #[test]
    fn message_without_a_name_or_with_two_is_refused() {
        for (from, to) in [
            ("INVITE sip", "IN\u{e9}ITE sip"),
            ("SIP/2.0\r\nVia", "HTTP/1.1\r\nVia"),
            ("SIP/2.0\r\nVia", "SIP/2.0\r\n Via"),
            ("Via:", "Vla:"),
            ("SIP/2.0/UDP 10.0.0.1:5060;", ";"),
            ("Call-ID: id1@b", "Call-ID:"),
            ("Call-ID: id1@b", "X: 1"),
            ("Call-ID: id1@b", "Call-ID: id1@b\r\ni: id2"),
            ("To: <sip:x@y>", "To: <sip:x@y>\r\nTo: <sip:x@y>;tag=1"),
            ("CSeq: 1 INVITE\r\n", ""),
            ("\r\n\r\nbody", "\r\n"),
        ] {
            let message = INVITE.replacen(from, to, 1);
            assert_ne!(message, INVITE, "{from}");
            assert_eq!(scan(message.as_bytes()), None, "{to}");
        }
        for message in ["", "\r\n\r\n", "\n", "SIP/2.0 99 x\r\n\r\n", "SIP/2.0 ", "A", "\0\0\0\0"] {
            assert_eq!(scan(message.as_bytes()), None, "{message:?}");
        }
    }

    #[test]
    fn tag_behind_a_comma_is_none() {
        let tag = |from: &str| {
            let message = INVITE.replacen("To: <sip:x@y>", &format!("To: {from}"), 1).into_bytes();
            scan(&message).unwrap().to_tag.map(<[u8]>::to_vec)
        };
        assert_eq!(tag("\"x, y\" <sip:a,b>;tag=1"), Some(b"1".to_vec()));
        for value in ["sip:a,b;tag=1", "x, y <sip:a>;tag=1", "<sip:a>, <sip:b>;tag=1", "<sip:a>;x=1,;tag=1"] {
            assert_eq!(tag(value), None, "{value}");
        }
    }

    #[test]
    fn header_that_is_no_utf8_is_refused() {
        let with = |bytes: &[u8]| {
            INVITE
                .replacen("70", "7X", 1)
                .into_bytes()
                .iter()
                .flat_map(|byte| match byte {
                    b'X' => bytes.to_vec(),
                    byte => vec![*byte],
                })
                .collect::<Vec<u8>>()
        };
        assert!(scan(&with("\u{e9}".as_bytes())).is_some());
        assert_eq!(scan(&with(&[0xe9])), None);
        assert!(scan(&[INVITE.as_bytes(), &[0xe9]].concat()).is_some(), "a body is what it is");
    }

    #[test]
    fn what_is_beyond_the_bounds_is_refused() {
        let with = |extra: &str| INVITE.replacen("Max-Forwards: 70\r\n", extra, 1);
        let long = format!("X: {}\r\n", "x".repeat(LONGEST_HEAD));
        assert_eq!(scan(with(&long).as_bytes()), None);
        assert!(scan(with(&"X: 1\r\n".repeat(200)).as_bytes()).is_some());
        assert_eq!(scan(with(&"X: 1\r\n".repeat(300)).as_bytes()), None);
        let named = |length| INVITE.replacen("id1@b", &"i".repeat(length), 1);
        assert!(scan(named(LONGEST_NAME).as_bytes()).is_some());
        assert_eq!(scan(named(LONGEST_NAME + 1).as_bytes()), None);
    }

    #[test]
    fn every_cut_and_every_changed_byte_is_survived() {
        for end in 0..INVITE.len() {
            let cut = scan(&INVITE.as_bytes()[..end]);
            assert_eq!(cut.is_some(), end >= INVITE.len() - 4, "{end}");
        }
        for at in 0..INVITE.len() {
            for byte in [0, b'\n', b'\r', b';', b'"', b'<', b'\\', b':', 0xff] {
                let mut message = INVITE.as_bytes().to_vec();
                message[at] = byte;
                let _ = scan(&message);
            }
        }
    }
}
