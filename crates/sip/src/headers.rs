//! Reading header values as text: addresses, parameters and lists (RFC 3261 §20, §25).

use domain::call::FinalAnswer;
use rsipstack::sip::{Header, Headers, Response};

/// A reason phrase longer than this is cut: it is only shown to people.
const LONGEST_PHRASE: usize = 120;

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

/// The leading number of the first header with this name, before any parameter.
pub(crate) fn number(headers: &Headers, name: &str) -> Option<u64> {
    first(headers, name)?.split(';').next()?.trim().parse().ok()
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

/// The number and method of `CSeq`.
pub(crate) fn cseq(headers: &Headers) -> Option<(u32, &str)> {
    let (number, method) = first(headers, "CSeq")?.trim().split_once(char::is_whitespace)?;
    Some((number.parse().ok()?, method.trim()))
}

/// The tag of To.
pub(crate) fn to_tag(headers: &Headers) -> Option<&str> {
    parameter(first(headers, "To")?, "tag")
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
    fn a_list_is_split_outside_quotes_and_brackets() {
        let parts: Vec<_> = split_list("<sip:a;x=1,2>, \"q,\\\",\" <sip:b>,,c").collect();
        assert_eq!(parts, ["<sip:a;x=1,2>", "\"q,\\\",\" <sip:b>", "c"]);
    }
}
