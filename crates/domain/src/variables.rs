//! Templates: texts with `{{name}}` placeholders, and the values that fill them.

use std::collections::BTreeMap;

/// The values of placeholders by name.
pub type Variables = BTreeMap<String, String>;

/// A part of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// Text that stays as it is.
    Literal(&'a str),
    /// The name between `{{` and `}}`, trimmed.
    Placeholder(&'a str),
}

/// The parts of a template, in order. An unclosed `{{` is literal text.
pub(crate) fn pieces(template: &str) -> Pieces<'_> {
    Pieces { rest: template, placeholder: None }
}

/// Iterator of [`pieces`].
pub(crate) struct Pieces<'a> {
    rest: &'a str,
    /// Follows the literal that was returned last.
    placeholder: Option<&'a str>,
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        if let Some(name) = self.placeholder.take() {
            return Some(Piece::Placeholder(name));
        }
        if self.rest.is_empty() {
            return None;
        }
        let opened = self.rest.split_once("{{");
        let closed = opened.and_then(|(before, after)| Some((before, after.split_once("}}")?)));
        let Some((before, (name, tail))) = closed else {
            return Some(Piece::Literal(std::mem::take(&mut self.rest)));
        };
        self.rest = tail;
        self.placeholder = Some(name.trim());
        Some(Piece::Literal(before))
    }
}

/// The text with every placeholder replaced by its value, piece by piece. An unknown name is empty.
///
/// A value is taken as it is: braces inside it are not filled again.
fn filled<'a>(template: &'a str, value: impl Fn(&str) -> Option<&'a str>) -> impl Iterator<Item = &'a str> {
    pieces(template).map(move |piece| match piece {
        Piece::Literal(text) => text,
        Piece::Placeholder(name) => value(name).unwrap_or(""),
    })
}

/// Replaces every placeholder by its value.
pub(crate) fn fill<'a>(template: &'a str, value: impl Fn(&str) -> Option<&'a str>) -> String {
    filled(template, value).collect()
}

/// The characters of the filled template, without building it. Counting stops beyond `most`: a larger
/// result means "more than `most`" and nothing else.
pub(crate) fn filled_length<'a>(
    template: &'a str,
    value: impl Fn(&str) -> Option<&'a str>,
    most: usize,
) -> usize {
    let mut length = 0_usize;
    for text in filled(template, value) {
        let left = most.saturating_sub(length).saturating_add(1);
        length = length.saturating_add(text.chars().take(left).count());
        if length > most {
            break;
        }
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(name: &str) -> Option<&'static str> {
        [("a", "{{b}}"), ("b", "x"), ("é", "üü")]
            .into_iter()
            .find(|(known, _)| *known == name)
            .map(|(_, v)| v)
    }

    #[test]
    fn placeholders_are_filled_once_and_unknown_are_empty() {
        for (template, expected) in [
            ("{{a}} {{ b }} {{c}}| {{open", "{{b}} x | {{open"),
            ("", ""),
            ("{{}}{{{{b}}", ""),
            ("}}{{b}}}}", "}}x}}"),
            ("{{é}}{{é}}", "üüüü"),
        ] {
            assert_eq!(fill(template, value), expected, "{template}");
            assert_eq!(filled_length(template, value, 100), expected.chars().count(), "{template}");
        }
    }

    #[test]
    fn filled_length_stops_one_character_beyond_the_limit() {
        assert_eq!(filled_length("{{é}}{{é}}", value, 4), 4);
        assert_eq!(filled_length("{{é}}{{é}}", value, 2), 3);
        assert_eq!(filled_length("ab", value, 0), 1);
        assert_eq!(filled_length("ab", value, usize::MAX), 2);
    }
}
