//! Telephone numbers: what may be asked for, and what is dialled (E.164).

use std::fmt;

/// A number in E.164 form: `+`, then 7 to 15 digits, the first not zero.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct E164(String);

impl E164 {
    /// Reads a strict E.164 number such as `+14155550123`.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('+')?;
        let fits = (7..=15).contains(&digits.len())
            && digits.bytes().all(|byte| byte.is_ascii_digit())
            && !digits.starts_with('0');
        fits.then(|| Self(text.to_owned()))
    }

    /// The number with its `+`.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for E164 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A destination as a customer wrote it: 10–20 characters of digits, `+ - . ( )` and spaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destination(String);

/// Why a destination cannot be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadDestination {
    /// Fewer than 10 characters.
    TooShort,
    /// More than 20 characters.
    TooLong,
    /// A character that no telephone number has, a `+` that is not first, or no digit at all.
    NotANumber,
}

/// A country calling code, 1 to 3 digits, e.g. `1` or `49`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountryCode(String);

impl CountryCode {
    /// Reads a calling code, with or without its `+`.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('+').unwrap_or(text);
        let fits = (1..=3).contains(&digits.len())
            && digits.bytes().all(|byte| byte.is_ascii_digit())
            && !digits.starts_with('0');
        fits.then(|| Self(digits.to_owned()))
    }

    /// The digits without `+`.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Destination {
    /// The fewest characters (interface, Limits).
    pub const LENGTH_MIN: usize = 10;
    /// The most characters (interface, Limits).
    pub const LENGTH_MAX: usize = 20;

    /// Takes a number as it was sent.
    pub fn parse(text: &str) -> Result<Self, BadDestination> {
        match text.chars().count() {
            ..Self::LENGTH_MIN => return Err(BadDestination::TooShort),
            Self::LENGTH_MIN..=Self::LENGTH_MAX => {}
            _ => return Err(BadDestination::TooLong),
        }
        let allowed = |c: char| c.is_ascii_digit() || matches!(c, '+' | ' ' | '-' | '.' | '(' | ')');
        let plus_inside = text.trim_start().chars().skip(1).any(|c| c == '+');
        let digit = text.chars().any(|c| c.is_ascii_digit());
        if !text.chars().all(allowed) || plus_inside || !digit {
            return Err(BadDestination::NotANumber);
        }
        Ok(Self(text.to_owned()))
    }

    /// The number as it was sent, as the call record shows it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The E.164 number to dial; `None` when no number can be made of it.
    ///
    /// A number without `+` is national (its one leading trunk zero falls away) and takes the
    /// trunk's default country; eleven digits that already begin with country code 1 keep it.
    pub fn dialled(&self, default_country: Option<&CountryCode>) -> Option<E164> {
        let digits: String = self.0.chars().filter(char::is_ascii_digit).collect();
        if self.0.trim_start().starts_with('+') {
            return E164::parse(&format!("+{digits}"));
        }
        if let Some(international) = digits.strip_prefix("00") {
            return E164::parse(&format!("+{international}"));
        }
        let Some(country) = default_country else {
            return E164::parse(&format!("+{digits}"));
        };
        let country = country.as_str();
        if country == "1" {
            let national = digits.strip_prefix('1').unwrap_or(&digits);
            return (national.len() == 10).then(|| E164::parse(&format!("+1{national}"))).flatten();
        }
        let national = digits.strip_prefix('0').unwrap_or(&digits);
        E164::parse(&format!("+{country}{national}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dialled(text: &str, country: &str) -> Option<String> {
        let number = Destination::parse(text).unwrap();
        number.dialled(CountryCode::parse(country).as_ref()).map(|n| n.to_string())
    }

    #[test]
    fn a_destination_is_dialled_as_e164_with_the_trunks_default_country() {
        for (written, country, expected) in [
            ("+1 (415) 555-0123", "", Some("+14155550123")),
            ("(415) 555-0123", "1", Some("+14155550123")),
            ("1-415-555-0123", "1", Some("+14155550123")),
            ("030 123456 78", "49", Some("+493012345678")),
            ("0049 30 12345678", "1", Some("+493012345678")),
            ("14155550123", "", Some("+14155550123")),
            ("415555012345", "1", None),
            ("+0123456789", "", None),
            ("(          1)", "", None),
        ] {
            assert_eq!(dialled(written, country).as_deref(), expected, "{written}");
        }
    }

    #[test]
    fn a_destination_has_10_to_20_characters_of_a_telephone_number() {
        assert_eq!(Destination::parse("123456789"), Err(BadDestination::TooShort));
        assert_eq!(Destination::parse("123456789012345678901"), Err(BadDestination::TooLong));
        assert_eq!(Destination::parse("12345+67890"), Err(BadDestination::NotANumber));
        assert_eq!(Destination::parse("+1 415 555 O123"), Err(BadDestination::NotANumber));
        assert_eq!(Destination::parse("(........)"), Err(BadDestination::NotANumber));
    }
}
