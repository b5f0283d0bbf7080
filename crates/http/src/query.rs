//! Reading the parameters of a query string: every problem is found and told at once.
//!
//! They are read as forms write them (`application/x-www-form-urlencoded`): `%20` and `+` are a
//! blank, and a `%` that begins no escape stands for itself. Unknown parameters are ignored, and a
//! text filter without any text filters nothing.

use std::borrow::Cow;

use actix_web::HttpRequest;
use percent_encoding::percent_decode_str;
use time::OffsetDateTime;

use crate::error::ApiError;
use crate::moment::{self, Moment};
use application::requests::{Code, Fault, Problem, TEXT_MAX};

/// The parameters of a query string.
pub(crate) struct Query<'a> {
    /// Names, without those that cannot be read, and values that are still escaped.
    pairs: Vec<(String, &'a str)>,
    problems: Vec<Problem>,
}

impl<'a> Query<'a> {
    /// The parameters of a request.
    pub(crate) fn of(request: &'a HttpRequest) -> Self {
        Self::parse(request.query_string())
    }

    fn parse(text: &'a str) -> Self {
        let pairs = text.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
        let pairs = pairs.filter_map(|(name, value)| Some((decoded(name).ok()?, value))).collect();
        Self { pairs, problems: Vec::new() }
    }

    /// Reads a parameter that has to be there.
    pub(crate) fn required<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&str) -> Result<T, Fault>,
    ) -> Option<T> {
        if !self.pairs.iter().any(|(other, _)| other == name) {
            self.problem(name, Fault::Missing);
        }
        self.optional(name, read)
    }

    /// Reads a parameter that may be missing.
    pub(crate) fn optional<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&str) -> Result<T, Fault>,
    ) -> Option<T> {
        let mut values = self.pairs.iter().filter(|(other, _)| other == name);
        let (_, value) = values.next()?;
        // Which of two values counts would be left to chance.
        let once = values.next().is_none();
        let read = if once {
            decoded(value).and_then(|value| read(&value))
        } else {
            Err(Fault::of_request(Code::Custom, "Must not be given more than once"))
        };
        read.map_err(|fault| self.problem(name, fault)).ok()
    }

    /// Tells of a problem that no single value has.
    pub(crate) fn problem(&mut self, name: &str, fault: Fault) {
        self.problems.push(fault.at(name));
    }

    /// What was read, when there was no problem at all.
    pub(crate) fn finish<T>(self, read: Option<T>) -> Result<T, ApiError> {
        match read {
            Some(value) if self.problems.is_empty() => Ok(value),
            _ => Err(ApiError::Invalid(self.problems)),
        }
    }
}

fn decoded(escaped: &str) -> Result<String, Fault> {
    let spaced = escaped.replace('+', " ");
    let text = percent_decode_str(&spaced).decode_utf8().map(Cow::into_owned);
    let text = text.map_err(|_| Fault::of_request(Code::InvalidString, "Must be UTF-8"))?;
    // The store's texts cannot hold it.
    if text.contains('\0') {
        return Err(Fault::of_request(Code::InvalidString, "Must not contain a NUL character"));
    }
    Ok(text)
}

/// A whole number from 1, in plain decimal digits.
pub(crate) fn number(largest: u32, text: &str) -> Result<u32, Fault> {
    // A number below zero is one all the same: it is too small.
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Fault::of_request(Code::InvalidType, "Expected integer, received string"));
    }
    let too_small = Fault::of_request(Code::TooSmall, "Number must be greater than or equal to 1");
    match digits.parse::<u32>() {
        _ if negative => Err(too_small),
        Ok(0) => Err(too_small),
        Ok(number) if number <= largest => Ok(number),
        // What is only digits and still no u32 is beyond it.
        _ => Err(Fault::of_request(
            Code::TooBig,
            format_args!("Number must be less than or equal to {largest}"),
        )),
    }
}

/// What a text filter looks for; none when it is empty.
pub(crate) fn filter(text: &str) -> Result<Option<String>, Fault> {
    if text.chars().count() > TEXT_MAX {
        return Err(Fault::TooLong(TEXT_MAX));
    }
    Ok((!text.is_empty()).then(|| text.to_owned()))
}

/// The start of a range: a date alone is the day's first moment.
pub(crate) fn start(text: &str) -> Result<OffsetDateTime, Fault> {
    moment::parse(text).map(Moment::first).ok_or_else(not_a_moment)
}

/// The end of a range, itself in it: a date alone is the day's last millisecond.
pub(crate) fn end(text: &str) -> Result<OffsetDateTime, Fault> {
    moment::parse(text).map(Moment::last).ok_or_else(not_a_moment)
}

fn not_a_moment() -> Fault {
    Fault::of_request(
        Code::InvalidString,
        "Invalid datetime. Expected e.g. 2026-03-01T09:30:00Z or 2026-03-01, from 1970 to 9999",
    )
}

#[cfg(test)]
#[allow(clippy::panic, clippy::indexing_slicing, reason = "these are tests")]
mod tests {
    use super::*;

    fn read(query: &str) -> Result<String, Code> {
        let mut query = Query::parse(query);
        let read = query.required("search", |text| Ok(text.to_owned()));
        match (read, query.finish(Some(()))) {
            (Some(text), Ok(())) => Ok(text),
            (None, Err(ApiError::Invalid(problems))) => Err(problems[0].fault.code()),
            (read, finished) => panic!("{read:?} {finished:?}"),
        }
    }

    fn code<T: std::fmt::Debug>(read: Result<T, Fault>) -> Code {
        read.unwrap_err().code()
    }

    #[test]
    fn names_and_values_are_read_as_forms_write_them() {
        for (query, expected) in [
            ("search=a", "a"),
            ("x=1&search=a&y", "a"),
            ("search=", ""),
            ("search", ""),
            ("search=a=b", "a=b"),
            ("s%65arch=a", "a"),
            ("search=a%20b+c%2Bd", "a b c+d"),
            ("search=Zo%C3%AB", "Zoë"),
            ("search=100%&x=%FF", "100%"),
            ("search=%zz", "%zz"),
            ("Search=b&search=a", "a"),
        ] {
            assert_eq!(read(query).as_deref(), Ok(expected), "{query}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_a_problem() {
        for (query, expected) in [
            ("", Code::InvalidType),
            ("Search=a", Code::InvalidType),
            ("search=a&search=a", Code::Custom),
            ("search=a&s%65arch=b", Code::Custom),
            ("search=%FF", Code::InvalidString),
            ("search=%ED%A0%80", Code::InvalidString),
            ("search=a%00b", Code::InvalidString),
        ] {
            assert_eq!(read(query), Err(expected), "{query}");
        }
    }

    #[test]
    fn a_number_is_plain_digits_within_its_bounds() {
        assert_eq!(number(50, "1"), Ok(1));
        assert_eq!(number(50, "0050"), Ok(50));
        assert_eq!(number(2_147_483_647, "2147483647"), Ok(2_147_483_647));
        for text in
            ["", " 1", "1 ", "+1", "-", "--1", "-1.0", "−1", "1.0", "1e1", "0x1", "１", "ten", "NaN", "null"]
        {
            assert_eq!(code(number(50, text)), Code::InvalidType, "{text}");
        }
        for text in ["0", "000", "-0", "-1", "-99999999999999999999999"] {
            assert_eq!(code(number(50, text)), Code::TooSmall, "{text}");
        }
        for text in ["51", "4294967296", "99999999999999999999999"] {
            assert_eq!(code(number(50, text)), Code::TooBig, "{text}");
        }
        assert_eq!(code(number(2_147_483_647, "2147483648")), Code::TooBig);
    }

    #[test]
    fn an_empty_filter_filters_nothing_and_a_long_one_is_refused() {
        assert_eq!(filter(""), Ok(None));
        assert_eq!(filter(&"ü".repeat(255)).unwrap().unwrap().chars().count(), 255);
        assert_eq!(code(filter(&"u".repeat(256))), Code::TooBig);
    }
}
