//! Reading header values as text: addresses, parameters and lists (RFC 3261 §20, §25).

use std::time::Duration;

use domain::call::FinalAnswer;
use rsipstack::sip::{Header, Headers, Response};

/// A reason phrase longer than this is cut: it is only shown to people.
const LONGEST_PHRASE: usize = 120;

/// The longest time that a header may name. A longer one counts as this: no session and no
/// registration needs more, and a moment so far away can be computed on every system.
pub(crate) const LONGEST_TIME: Duration = Duration::from_hours(24);

/// A `CSeq` number is lower than this (RFC 3261 §8.1.1.5).
const CSEQ_END: u32 = 1 << 31;

/// A longer tag makes no dialog: every request of it would have to carry it.
const LONGEST_TAG: usize = 256;

/// The values of every header with this name, in order.
pub(crate) fn all<'a>(headers: &'a Headers, name: &str) -> impl Iterator<Item = &'a str> {
    headers.iter().filter(move |header| header.name().eq_ignore_ascii_case(name)).map(Header::value)
}

/// The value of the first header with this name.
pub(crate) fn first<'a>(headers: &'a Headers, name: &str) -> Option<&'a str> {
    all(headers, name).next()
}

/// The elements of every header with this name that may carry a comma-separated list.
pub(crate) fn list(headers: &Headers, name: &str) -> Vec<String> {
    all(headers, name).flat_map(split_list).map(str::to_owned).collect()
}

/// Whether a list of tokens, such as Supported or Allow, names `token`.
pub(crate) fn names(headers: &Headers, name: &str, token: &str) -> bool {
    all(headers, name).flat_map(split_list).any(|element| element.eq_ignore_ascii_case(token))
}

/// The time that the first header with this name states in seconds, before any parameter; at most
/// [`LONGEST_TIME`].
pub(crate) fn seconds(headers: &Headers, name: &str) -> Option<Duration> {
    delta_seconds(first(headers, name)?.split(';').next()?.trim())
}

/// Reads `delta-seconds` (RFC 3261 §25.1); at most [`LONGEST_TIME`], however many digits there are.
pub(crate) fn delta_seconds(text: &str) -> Option<Duration> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // All digits and still no number: it is too large for one.
    Some(text.parse().map_or(LONGEST_TIME, |seconds| Duration::from_secs(seconds).min(LONGEST_TIME)))
}

/// The number of a reliable provisional answer, from 1 on (RFC 3262 §7.1).
pub(crate) fn rseq(headers: &Headers) -> Option<u32> {
    first(headers, "RSeq")?.trim().parse().ok().filter(|number| *number > 0)
}

/// Splits at the commas that are neither quoted nor inside angle brackets.
pub(crate) fn split_list(value: &str) -> impl Iterator<Item = &str> {
    split_outside(value, ',').map(str::trim).filter(|element| !element.is_empty())
}

/// The URI of an address header such as Contact: what stands in `<…>`, or what stands before the
/// header's parameters.
pub(crate) fn address_uri(value: &str) -> Option<&str> {
    let element = split_list(value).next()?;
    let uri = match bracketed(element) {
        Some((uri, _)) => uri,
        None => element.split(';').next()?,
    };
    let uri = uri.trim();
    (!uri.is_empty()).then_some(uri)
}

/// A parameter of an address header, e.g. the tag of From; quotes are taken off.
pub(crate) fn parameter<'a>(value: &'a str, name: &str) -> Option<&'a str> {
    let element = split_list(value).next()?;
    let parameters = match bracketed(element) {
        Some((_, parameters)) => parameters,
        None => element.split_once(';').map_or("", |(_, parameters)| parameters),
    };
    uri_parameter_in(parameters, name)
}

/// A parameter of a bare URI or header value: `;name=value`.
pub(crate) fn uri_parameter<'a>(uri: &'a str, name: &str) -> Option<&'a str> {
    uri.split_once(';').and_then(|(_, parameters)| uri_parameter_in(parameters, name))
}

/// The number and method of `CSeq`; none when the number is out of its range.
pub(crate) fn cseq(headers: &Headers) -> Option<(u32, &str)> {
    let (number, method) = first(headers, "CSeq")?.trim().split_once(char::is_whitespace)?;
    let number = number.parse().ok().filter(|number| *number < CSEQ_END)?;
    Some((number, method.trim()))
}

/// The tag of To; none when it is too long to be sent back.
pub(crate) fn to_tag(headers: &Headers) -> Option<&str> {
    parameter(first(headers, "To")?, "tag").filter(|tag| tag.len() <= LONGEST_TAG && is_plain(tag))
}

/// Whether a text may be sent back in a header: a control character could begin another one.
pub(crate) fn is_plain(text: &str) -> bool {
    !text.contains(char::is_control)
}

/// What a final response says, for the record.
pub(crate) fn final_answer(response: &Response) -> FinalAnswer {
    let phrase = match &response.wire_reason {
        Some(phrase) => phrase.clone(),
        None => response.status_code.text().to_owned(),
    };
    let phrase = phrase.chars().filter(|c| !c.is_control()).take(LONGEST_PHRASE).collect();
    // A code of no class says no more than that something failed (RFC 3261 §8.1.3.2).
    let code = Some(response.status_code.code()).filter(|code| (200..700).contains(code)).unwrap_or(500);
    FinalAnswer { code, phrase }
}

fn uri_parameter_in<'a>(parameters: &'a str, name: &str) -> Option<&'a str> {
    split_outside(parameters, ';').find_map(|parameter| {
        let (key, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        key.trim().eq_ignore_ascii_case(name).then(|| value.trim().trim_matches('"'))
    })
}

/// The URI in angle brackets and what follows them; a display name may be quoted before.
fn bracketed(element: &str) -> Option<(&str, &str)> {
    let mut quoted = false;
    let mut escaped = false;
    for (at, c) in element.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '<' if !quoted => return element.get(at + 1..)?.split_once('>'),
            _ => {}
        }
    }
    None
}

fn split_outside(value: &str, separator: char) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    let mut escaped = false;
    let mut bracketed = false;
    value.split(move |c: char| {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '<' if !quoted => bracketed = true,
            '>' if !quoted => bracketed = false,
            _ => return c == separator && !quoted && !bracketed,
        }
        false
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_gives_its_uri_and_parameters() {
        for (value, uri, tag) in [
            ("<sip:a@b:5060;lr>;tag=x1", "sip:a@b:5060;lr", Some("x1")),
            ("\"A, <B>\" <sip:a@b>;tag=x2;q=1", "sip:a@b", Some("x2")),
            ("sip:a@b;tag=x3", "sip:a@b", Some("x3")),
            ("sip:a@b", "sip:a@b", None),
            ("<sip:a@b>, <sip:c@d>;tag=no", "sip:a@b", None),
        ] {
            assert_eq!(address_uri(value), Some(uri), "{value}");
            assert_eq!(parameter(value, "tag"), tag, "{value}");
        }
        assert_eq!(address_uri(""), None);
        assert_eq!(uri_parameter("sip:a@b;transport=TCP;lr", "transport"), Some("TCP"));
        assert_eq!(uri_parameter("sip:a@b;transport=TCP;lr", "lr"), Some(""));
    }

    #[test]
    fn times_and_numbers_of_a_peer_are_bounded() {
        for (text, seconds) in [
            ("90", Some(90)),
            ("86401", Some(86_400)),
            ("18446744073709551615", Some(86_400)),
            ("99999999999999999999999", Some(86_400)),
            ("0", Some(0)),
            ("", None),
            ("+90", None),
            ("-1", None),
            ("9e9", None),
        ] {
            assert_eq!(delta_seconds(text).map(|time| time.as_secs()), seconds, "{text}");
        }
        let long = "x".repeat(LONGEST_TAG + 1);
        let parse = |number: &str, tag: &str| {
            let text = format!(
                "SIP/2.0 200 OK\r\nCSeq: {number} INVITE\r\nRSeq: {number}\r\nTo: <sip:a@b>;tag={tag}\r\n\r\n"
            );
            Response::try_from(text.as_bytes()).unwrap().headers
        };
        let highest = parse("2147483647", "t");
        assert_eq!((cseq(&highest), rseq(&highest)), (Some((2_147_483_647, "INVITE")), Some(2_147_483_647)));
        assert_eq!(to_tag(&highest), Some("t"));
        let beyond = parse("2147483648", &long);
        assert_eq!((cseq(&beyond), to_tag(&beyond)), (None, None));
        assert_eq!(rseq(&parse("0", "a\rb")), None);
        assert_eq!(to_tag(&parse("0", "a\rb")), None);
    }

    #[test]
    fn a_list_is_split_outside_quotes_and_brackets() {
        let parts: Vec<_> = split_list("<sip:a;x=1,2>, \"q,\\\",\" <sip:b>,,c").collect();
        assert_eq!(parts, ["<sip:a;x=1,2>", "\"q,\\\",\" <sip:b>", "c"]);
    }
}
