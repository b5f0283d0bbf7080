//! Cutting a text into sentences while it is being written, so that the first is spoken before the
//! last is thought of.

/// Sentences shorter than this are spoken with the next one, in characters: alone they sound clipped.
const SHORTEST: usize = 12;
/// What has no sentence's end within so many characters is cut at a clause, or between words.
const LONGEST: usize = 240;
/// A clause has at least so many characters.
const SHORTEST_CLAUSE: usize = 80;

/// Words that a full stop follows without ending a sentence, in the languages that we speak; those with
/// stops inside are written without the last.
const ABBREVIATIONS: &[&str] = &[
    "mr", "mrs", "ms", "dr", "prof", "st", "sr", "jr", "vs", "no", "nr", "e.g", "i.e", "approx", "dept",
    "ext", "inc", "ave", "blvd", "fig", "gen", "gov", "rev", "hon", "capt", "sgt", "lt", "col", "mt", "z.b",
    "d.h", "u.a", "bzw", "ca", "evtl", "ggf", "inkl", "str", "tel", "vgl", "zzgl", "hr", "fr", "mme", "mlle",
    "mm", "av", "env", "sra", "srta", "ud", "uds", "dña", "núm", "pág", "p.ej", "sig", "sig.ra", "dott",
    "ing", "avv", "pag", "es", "jan", "feb", "aug", "sept", "oct", "okt", "nov", "dec", "dez",
];

/// Cuts a growing text; how it grows makes no difference to where it is cut.
#[derive(Debug, Default)]
pub(crate) struct Sentences(String);

impl Sentences {
    /// Takes more of the text, and appends the sentences that are complete to `sentences`.
    pub(crate) fn push(&mut self, text: &str, sentences: &mut Vec<String>) {
        self.0.push_str(text);
        while let Some(end) = cut(&self.0) {
            let rest = self.0.split_off(end);
            let sentence = std::mem::replace(&mut self.0, rest);
            append(&sentence, sentences);
        }
    }

    /// The text is complete: what is left is a sentence.
    pub(crate) fn finish(self, sentences: &mut Vec<String>) {
        append(&self.0, sentences);
    }
}

fn append(sentence: &str, sentences: &mut Vec<String>) {
    let sentence = sentence.trim();
    if !sentence.is_empty() {
        sentences.push(sentence.to_owned());
    }
}

/// Where the first sentence ends, if that can be told whatever follows.
fn cut(text: &str) -> Option<usize> {
    let limit = text.char_indices().nth(LONGEST).map(|(at, _)| at);
    let head = limit.and_then(|limit| text.get(..limit)).unwrap_or(text);
    sentence_end(head).or_else(|| limit.map(|limit| clause_end(head).unwrap_or(limit)))
}

/// The end of the first sentence of a sensible length. What follows it must be there, as it decides.
fn sentence_end(head: &str) -> Option<usize> {
    for (characters, (at, mark)) in head.char_indices().enumerate() {
        let end = at + mark.len_utf8();
        let before = head.get(..at)?;
        let end = match mark {
            '\n' if !before.trim().is_empty() => Some(end),
            '。' | '！' | '？' => Some(end),
            '.' | '!' | '?' | '…' => {
                let after = head.get(end..)?.trim_start_matches(is_closing);
                // Without these two it cannot be told yet, and nor can what comes later.
                let (gap, next) = (after.chars().next()?, after.trim_start().chars().next());
                let ends = if gap.is_whitespace() { ends_at(mark, before, next?) } else { false };
                ends.then_some(head.len() - after.len())
            }
            _ => None,
        };
        if let Some(end) = end
            && characters + 1 >= SHORTEST
        {
            return Some(end);
        }
    }
    None
}

/// Marks that belong to the sentence that they follow.
const fn is_closing(mark: char) -> bool {
    matches!(mark, '"' | '\'' | ')' | ']' | '»' | '”' | '’' | '*' | '_')
}

/// Whether a mark with a space after it ends a sentence.
fn ends_at(mark: char, before: &str, next: char) -> bool {
    match mark {
        '.' => !next.is_lowercase() && !is_abbreviation(before),
        '…' => !next.is_lowercase(),
        _ => true,
    }
}

/// Whether the stop after `before` belongs to its last word: an abbreviation, an initial, a number.
fn is_abbreviation(before: &str) -> bool {
    let word =
        before.rsplit(|near: char| near.is_whitespace() || matches!(near, '(' | '"' | '\'' | '“' | '«'));
    let word = word.into_iter().next().unwrap_or_default();
    let mut letters = word.chars();
    let is_initial = letters.next().is_some_and(char::is_uppercase) && letters.next().is_none();
    let is_ordinal = (1..=2).contains(&word.len()) && word.chars().all(|digit| digit.is_ascii_digit());
    is_initial || is_ordinal || ABBREVIATIONS.contains(&word.to_lowercase().as_str())
}

/// The end of the last clause of a head without a sentence's end; or else of its last word.
fn clause_end(head: &str) -> Option<usize> {
    let shortest = head.char_indices().nth(SHORTEST_CLAUSE).map_or(0, |(at, _)| at);
    let spaces = || head.rmatch_indices(char::is_whitespace).map(|(at, _)| at).filter(|at| *at >= shortest);
    let after_mark =
        |at: &usize| head.get(..*at).is_some_and(|clause| clause.ends_with([',', ';', ':', '–', '—']));
    spaces().find(after_mark).or_else(|| spaces().next())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn split(pieces: &[&str]) -> Vec<String> {
        let (mut text, mut sentences) = (Sentences::default(), Vec::new());
        for piece in pieces {
            text.push(piece, &mut sentences);
        }
        text.finish(&mut sentences);
        sentences
    }

    #[test]
    fn sentences_end_where_a_reader_would_pause() {
        for (text, sentences) in [
            ("It is open today. Shall I book? Yes!", &["It is open today.", "Shall I book?", "Yes!"][..]),
            (
                "Dr. Smith sees you at 3.30 p.m. on St. John's Ave. at No. 5. Is that fine?",
                &["Dr. Smith sees you at 3.30 p.m. on St. John's Ave. at No. 5. Is that fine?"],
            ),
            (
                "It costs 3.50 dollars. That is version 2.0 of it.",
                &["It costs 3.50 dollars.", "That is version 2.0 of it."],
            ),
            (
                "He said \"wait for me.\" Then he left (at once!) for good.",
                &["He said \"wait for me.\"", "Then he left (at once!)", "for good."],
            ),
            ("Yes. No. Certainly, I can do that.", &["Yes. No. Certainly, I can do that."]),
            ("Well... it depends on you. Really", &["Well... it depends on you.", "Really"]),
            (
                "Am 3. Mai um 8 Uhr, d.h. z.B. morgens. Passt das?",
                &["Am 3. Mai um 8 Uhr, d.h. z.B. morgens.", "Passt das?"],
            ),
            (
                "J. R. Tolkien wrote it, i.e. the book.\nSecond line here\n\nThird",
                &["J. R. Tolkien wrote it, i.e. the book.", "Second line here", "Third"],
            ),
            (
                "これは文章です。これも文章なのですよ。はい",
                &["これは文章です。これも文章なのですよ。", "はい"],
            ),
            ("Visit www.example.com or ask us. Bye.", &["Visit www.example.com or ask us.", "Bye."]),
            ("  \n ", &[]),
        ] {
            assert_eq!(split(&[text]), sentences, "{text}");
        }
    }

    #[test]
    fn the_first_sentence_is_there_as_soon_as_the_second_begins() {
        let (mut text, mut sentences) = (Sentences::default(), Vec::new());
        text.push("Good morning, Ben.", &mut sentences);
        assert!(sentences.is_empty(), "it may go on with a quotation mark");
        text.push(" H", &mut sentences);
        assert_eq!(sentences, ["Good morning, Ben."]);
    }

    #[test]
    fn what_never_ends_is_cut_at_clauses_then_at_words_then_anywhere() {
        let clauses = "one two three four five, ".repeat(20);
        let clauses = split(&[&clauses]);
        assert!(clauses.len() == 3 && clauses.iter().all(|piece| piece.ends_with("five,")));
        let words = "word ".repeat(100);
        assert!(split(&[&words]).iter().all(|piece| piece.starts_with("word") && piece.ends_with("word")));
        assert_eq!(split(&[&"x".repeat(500)]).iter().map(String::len).collect::<Vec<_>>(), [240, 240, 20]);
    }

    proptest! {
        #[test]
        fn how_a_text_grows_makes_no_difference_and_no_word_is_lost(
            words in proptest::collection::vec("[A-Za-zäé日0-9]{1,9}[.!?,…。]{0,2}[\"')]?[ \n]{1,2}", 0..90),
            cuts in proptest::collection::vec(any::<proptest::sample::Index>(), 0..30),
        ) {
            let whole = words.concat();
            let bounds: Vec<usize> = whole.char_indices().map(|(at, _)| at).chain([whole.len()]).collect();
            let mut at: Vec<usize> = cuts.iter().map(|cut| bounds[cut.index(bounds.len())]).collect();
            at.extend([0, whole.len()]);
            at.sort_unstable();
            let pieces: Vec<&str> = at.windows(2).map(|pair| &whole[pair[0]..pair[1]]).collect();
            let sentences = split(&pieces);
            prop_assert_eq!(&sentences, &split(&[&whole]));
            let all = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>().concat();
            prop_assert_eq!(all(&sentences.concat()), all(&whole));
            prop_assert!(sentences.iter().all(|sentence| sentence.chars().count() <= LONGEST));
        }
    }
}
