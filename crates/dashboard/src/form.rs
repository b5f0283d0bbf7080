//! Form fields as browsers send them (`application/x-www-form-urlencoded`), from a query or a body.

use percent_encoding::percent_decode_str;

/// The most fields that are read.
const FIELDS_MAX: usize = 500;

/// Names and values, in order. A text that is not UTF-8, or has a NUL in it, makes the field vanish.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Form(Vec<(String, String)>);

impl Form {
    pub(crate) fn parse(text: &str) -> Self {
        let pairs = text.split('&').filter(|pair| !pair.is_empty()).take(FIELDS_MAX);
        let pairs = pairs.filter_map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Some((decoded(name)?, decoded(value)?))
        });
        Self(pairs.collect())
    }

    /// A field's value without blanks around it; none when it is missing or empty.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.raw(name).map(str::trim).filter(|value| !value.is_empty())
    }

    /// A field's value as it was typed, e.g. a password; none when it is missing.
    pub(crate) fn raw(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// All values of a field that may stand several times.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// Whether a box was ticked.
    pub(crate) fn ticked(&self, name: &str) -> bool {
        self.raw(name).is_some()
    }
}

/// How long a text is in a form, in bytes.
pub(crate) fn encoded_length(text: &str) -> usize {
    let length = |byte: u8| match byte {
        b'\n' => "%0D%0A".len(),
        b' ' | b'*' | b'-' | b'.' | b'_' => 1,
        byte if byte.is_ascii_alphanumeric() => 1,
        _ => "%00".len(),
    };
    text.bytes().map(length).sum()
}

/// `+` is a blank; the line ends of text areas become `\n`.
fn decoded(text: &str) -> Option<String> {
    let blanks = text.replace('+', " ");
    let decoded = percent_decode_str(&blanks).decode_utf8().ok()?;
    (!decoded.contains('\0')).then(|| decoded.replace("\r\n", "\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_decoded_and_trimmed_only_where_asked() {
        let form = Form::parse("a=+x%20y+&p=+secret+&t=1%0D%0A2&t=3&broken=%FF&nul=%00&empty=");
        assert_eq!(form.text("a"), Some("x y"));
        assert_eq!(form.raw("p"), Some(" secret "));
        assert_eq!(form.all("t").collect::<Vec<_>>(), ["1\n2", "3"]);
        assert_eq!((form.text("broken"), form.text("nul"), form.text("empty")), (None, None, None));
        assert!(form.ticked("empty") && !form.ticked("missing"));
    }

    #[test]
    fn the_length_of_a_text_in_a_form_is_known_beforehand() {
        let encoded = "%7B%0D%0A++%22caf%C3%A9_1%22%3A+-2.5*%0D%0A%7D";
        assert_eq!(encoded_length("{\n  \"café_1\": -2.5*\n}"), encoded.len());
        assert_eq!(Form::parse(&format!("t={encoded}")).raw("t"), Some("{\n  \"café_1\": -2.5*\n}"));
    }
}
