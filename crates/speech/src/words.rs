//! The words of a line as Pico may read them.

/// The longest piece that is spoken in one go, in characters.
const LONGEST_PIECE: usize = 400;

/// The text without control characters and without what Pico takes for markup (`<`, `>`, `&`),
/// with plain quotation marks and single spaces.
pub(crate) fn speakable(text: &str) -> String {
    let plain = |character: char| match character {
        '<' | '>' | '&' => ' ',
        '’' | '‘' | '‛' | '′' => '\'',
        '“' | '”' | '„' | '″' => '"',
        '–' | '—' => '-',
        // Byte order marks, joiners and directions are not heard.
        '\u{AD}'
        | '\u{200B}'..='\u{200F}'
        | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{2069}'
        | '\u{FEFF}' => '\u{AD}',
        other if other.is_control() || other.is_whitespace() => ' ',
        other => other,
    };
    let plain: String = text.chars().map(plain).filter(|character| *character != '\u{AD}').collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text in pieces: whole sentences as long as one fits, else up to a comma, a space, or the
/// last character that fits.
pub(crate) fn pieces(text: &str) -> Vec<&str> {
    let (mut pieces, mut rest) = (Vec::new(), text.trim());
    while let Some((limit, _)) = rest.char_indices().nth(LONGEST_PIECE) {
        let head = rest.get(..limit).unwrap_or(rest);
        let at = last_end(head, &['.', '!', '?', '…'])
            .or_else(|| last_end(head, &[',', ';', ':']))
            .or_else(|| head.rfind(' '))
            .unwrap_or(limit);
        let (piece, more) = rest.split_at_checked(at).unwrap_or((rest, ""));
        pieces.push(piece.trim());
        rest = more.trim();
    }
    if !rest.is_empty() {
        pieces.push(rest);
    }
    pieces
}

/// The end of the last of these marks that a space follows.
fn last_end(text: &str, marks: &[char]) -> Option<usize> {
    let mut ends = text.rmatch_indices(' ').map(|(space, _)| space);
    ends.find(|space| text.get(..*space).is_some_and(|before| before.ends_with(marks)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_and_control_characters_are_gone() {
        assert_eq!(
            speakable("  Hi\u{0}\u{7}<play file=\"/etc/passwd\"/>\r\nBen &amp; Co\u{AD}"),
            "Hi play file=\"/etc/passwd\"/ Ben amp; Co"
        );
        assert_eq!(speakable("l\u{2019}heure – “d\u{2019}été”"), "l'heure - \"d'été\"");
        assert_eq!(speakable(" \u{200B}\n<> "), "");
    }

    #[test]
    fn long_texts_are_split_at_sentences_and_nothing_is_lost() {
        let sentence = "This is number 3.5 of many, as you can hear. ";
        let text = sentence.repeat(40);
        let pieces = pieces(&text);
        assert!(pieces.len() > 4);
        for piece in &pieces {
            assert!(piece.chars().count() <= LONGEST_PIECE && piece.ends_with("hear."), "{piece}");
        }
        assert_eq!(pieces.join(" "), text.trim());
    }

    #[test]
    fn a_text_without_sentences_is_split_at_commas_then_spaces_then_anywhere() {
        let split = |text: &str| pieces(text).iter().map(|piece| piece.chars().count()).collect::<Vec<_>>();
        assert_eq!(split(&"ä".repeat(900)), [400, 400, 100]);
        assert_eq!(split(&"word ".repeat(100)), [399, 99]);
        assert!(pieces(&"one, two three ".repeat(40))[0].ends_with("one,"));
        assert_eq!(split("   "), [0_usize; 0]);
    }
}
