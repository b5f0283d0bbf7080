//! Words as they are spoken: without tags, and without asterisks that are meant for the eye.

/// The text without markup: tags such as `<break/>`, and asterisks of emphasis and of lists. An
/// asterisk that stands for the key stays.
pub(crate) fn plain(text: &str) -> String {
    without_asterisks(&without_tags(text))
}

fn without_tags(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        kept.push_str(before);
        let opens_tag = after.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'));
        match after.split_once('>') {
            Some((_, tail)) if opens_tag => {
                // `one<br/>two` are two words.
                let joins = kept.ends_with(char::is_alphanumeric) && tail.starts_with(char::is_alphanumeric);
                if joins {
                    kept.push(' ');
                }
                rest = tail;
            }
            // A lone bracket cannot be spoken either.
            _ => rest = after,
        }
    }
    kept.push_str(rest);
    kept
}

fn without_asterisks(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('*') {
        kept.push_str(before);
        let tail = after.trim_start_matches('*');
        let run = 1 + after.len() - tail.len();
        let begins_line = kept.chars().rfind(|c| *c != ' ' && *c != '\t').is_none_or(|c| c == '\n');
        let lists = begins_line && run == 1 && tail.starts_with(' ');
        let emphasises = kept.ends_with(|c: char| !c.is_whitespace())
            || tail.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '"' | '\'' | '(' | '“' | '«'));
        if !lists && !emphasises && run == 1 {
            kept.push('*');
        }
        rest = if lists { tail.trim_start_matches(' ') } else { tail };
    }
    kept.push_str(rest);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_taken_out_and_what_stands_between_them_stays() {
        assert_eq!(plain("<speak>Hello <break time=\"1s\"/>Ada</speak>."), "Hello Ada.");
        assert_eq!(plain("one<br>two </p>three"), "one two three");
        assert_eq!(plain("<play file=\"/etc/passwd\"/>Hi"), "Hi");
        assert_eq!(plain("5 < 6 and <open"), "5  6 and open");
    }

    #[test]
    fn asterisks_of_emphasis_and_lists_are_taken_out_and_the_key_stays() {
        assert_eq!(plain("That is **very** *kind*!"), "That is very kind!");
        assert_eq!(plain("We have:\n* tea\n * milk"), "We have:\ntea\n milk");
        assert_eq!(plain("Press * to go on, or *."), "Press * to go on, or *.");
        assert_eq!(plain("(**now**)"), "(now)");
    }

    #[test]
    fn plain_text_stays_as_it_is() {
        for text in ["", "Grüß Gott, où ça?", "1 > 0 & more"] {
            assert_eq!(plain(text), text);
        }
    }
}
