//! Long texts where many stand side by side.

/// Characters that are shown of one.
const SHOWN_MAX: usize = 80;

/// The beginning of a long text, so that a page of many stays small; the whole of any other.
pub(crate) fn shortened(text: &str) -> String {
    if text.chars().nth(SHOWN_MAX).is_none() {
        return text.to_owned();
    }
    let mut beginning: String = text.chars().take(SHOWN_MAX - 1).collect();
    beginning.push('…');
    beginning
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_too_long_is_cut() {
        let fits = "é".repeat(SHOWN_MAX);
        assert_eq!(shortened(&fits), fits);
        assert_eq!(shortened(&format!("{fits}!")), format!("{}…", "é".repeat(SHOWN_MAX - 1)));
    }
}
