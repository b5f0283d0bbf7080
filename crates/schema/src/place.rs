//! Where something is in a document, as a JSON pointer (RFC 6901).

use domain::schema::{Flaw, UnsafeSchema};

/// The longest pointer that is shown, in characters.
const SHOWN: usize = 120;

/// The pointer of a member or item of what `place` points at.
pub(crate) fn below(place: &str, token: &str) -> String {
    format!("{place}/{}", token.replace('~', "~0").replace('/', "~1"))
}

/// The pointer as it is told.
pub(crate) fn pointer(place: &str) -> String {
    plain(place, SHOWN)
}

/// What is wrong at a place.
pub(crate) fn refused<T>(place: &str, flaw: Flaw) -> Result<T, UnsafeSchema> {
    Err(UnsafeSchema { place: Some(pointer(place)), flaw })
}

/// The text's beginning on one line.
pub(crate) fn plain(text: &str, most: usize) -> String {
    shortened(text, most).chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// The text, or its beginning.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most.saturating_sub(1)) {
        Some((end, last)) if end + last.len_utf8() < text.len() => {
            format!("{}…", text.get(..end).unwrap_or_default())
        }
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slashes_and_tildes_are_escaped() {
        assert_eq!(below("/a", "b/c~d"), "/a/b~1c~0d");
    }

    #[test]
    fn a_long_text_is_cut_at_a_character() {
        assert_eq!(shortened("ééé", 3), "ééé");
        assert_eq!(shortened("éééé", 3), "éé…");
    }
}
