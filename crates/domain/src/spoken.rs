//! What a model wrote, as a voice may read it: words, without markup or pictures.

/// The longest piece between `<` and `>` that counts as a tag, in characters.
const LONGEST_TAG: usize = 200;

/// What a tag leaves behind: a picture, as it parts words like one and is heard as little.
const TAG: char = '\u{2500}';

/// Entities that models write, and how they are read.
const ENTITIES: [(&str, char); 7] = [
    ("&amp;", '&'),
    ("&nbsp;", ' '),
    ("&quot;", '"'),
    ("&apos;", '\''),
    ("&#39;", '\''),
    ("&lt;", ' '),
    ("&gt;", ' '),
];

/// The words of a text, in one line: tags (HTML, SSML), Markdown, emoji and control characters are
/// gone, a link is its text, and a heading or an item of a list ends like a sentence. The keys `*` and
/// `#` stay when they stand alone, as in "press * or #".
pub fn speakable(text: &str) -> String {
    let mut spoken = String::with_capacity(text.len());
    for line in without_tags(text).lines() {
        let (body, alone) = without_block_marks(line.trim());
        let words = words(&without_inline_marks(body));
        if words.is_empty() {
            continue;
        }
        if !spoken.is_empty() {
            spoken.push(' ');
        }
        spoken.push_str(&words);
        if alone && words.ends_with(|last: char| last.is_alphanumeric()) {
            spoken.push('.');
        }
    }
    spoken
}

/// Leaves tags out and reads entities. A `<` that begins no tag is left for later.
fn without_tags(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['<', '&']) {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        plain.push_str(before);
        if let Some(after) = after_tag(from) {
            plain.push(TAG);
            rest = after;
        } else if let Some((entity, read)) = ENTITIES.iter().find(|(entity, _)| from.starts_with(entity)) {
            plain.push(*read);
            rest = from.get(entity.len()..).unwrap_or("");
        } else {
            let mut characters = from.chars();
            plain.extend(characters.next());
            rest = characters.as_str();
        }
    }
    plain.push_str(rest);
    plain
}

/// What follows a tag at the beginning of `text`, if there is one: `<b>`, `</speak>`, `<!-- -->`.
fn after_tag(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('<')?;
    if !inner.starts_with(|first: char| first.is_ascii_alphabetic() || matches!(first, '/' | '!' | '?')) {
        return None;
    }
    let (end, _) = inner.char_indices().take(LONGEST_TAG).find(|(_, character)| *character == '>')?;
    inner.get(end + 1..)
}

/// Leaves out what marks a line as a heading, an item, a quotation, a rule or a fence; and whether what
/// is left stands alone.
fn without_block_marks(line: &str) -> (&str, bool) {
    let marks_only = |marks: &[char]| line.chars().all(|mark| marks.contains(&mark) || mark == ' ');
    let is_rule =
        line.len() > 2 && [&['-'][..], &['*'], &['_'], &['='], &['|', '-', ':']].into_iter().any(marks_only);
    if is_rule || line.starts_with("```") || line.starts_with("~~~") {
        return ("", false);
    }
    let line = line.trim_start_matches(['>', ' ']);
    let heading = line.trim_start_matches('#');
    if heading.len() < line.len() && heading.starts_with(' ') && !heading.trim().is_empty() {
        return (heading.trim().trim_end_matches('#').trim_end(), true);
    }
    for bullet in ["- ", "* ", "+ ", "• ", "– "] {
        if let Some(item) = line.strip_prefix(bullet) {
            let item = item.trim_start();
            let item =
                ["[ ] ", "[x] ", "[X] "].iter().find_map(|ticked| item.strip_prefix(ticked)).unwrap_or(item);
            return (item, true);
        }
    }
    let number = line.trim_start_matches(|digit: char| digit.is_ascii_digit());
    (line, number.len() < line.len() && number.starts_with(". "))
}

/// Leaves out emphasis, code marks, link targets and the bars of tables.
fn without_inline_marks(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        if let Some((text, after)) = link(rest) {
            plain.push_str(&without_inline_marks(text));
            rest = after;
            continue;
        }
        let after = rest.trim_start_matches(first);
        let run = (rest.len() - after.len()) / first.len_utf8();
        let glued = |character: Option<char>| character.is_some_and(|near| !near.is_whitespace());
        let (before, next) = (plain.chars().next_back(), after.chars().next());
        let within_word =
            before.is_some_and(char::is_alphanumeric) && next.is_some_and(char::is_alphanumeric);
        let marks = match first {
            '`' => true,
            '~' => run > 1,
            '*' => run > 1 || (glued(before) && !within_word) || next.is_some_and(char::is_alphabetic),
            // The underscores of a name are part of it.
            '_' => !within_word && (glued(before) || glued(next)),
            _ => false,
        };
        let (this, following) = rest.split_at_checked(rest.len() - after.len()).unwrap_or((rest, ""));
        if first == '|' {
            plain.push(' ');
        } else if !marks {
            plain.push_str(this);
        }
        rest = following;
    }
    plain
}

/// The text of a link or picture at the beginning of `rest`, and what follows it.
fn link(rest: &str) -> Option<(&str, &str)> {
    let inner = rest.strip_prefix('!').unwrap_or(rest).strip_prefix('[')?;
    let (text, after) = inner.split_once(']')?;
    let (_, after) = after.strip_prefix('(')?.split_once(')')?;
    Some((text, after))
}

/// The words, without what makes no sound, one space apart.
fn words(line: &str) -> String {
    let mut words = String::with_capacity(line.len());
    let (mut space, mut after_picture) = (false, false);
    for character in line.chars().filter(|character| !is_unheard(*character)) {
        if matches!(character, '<' | '>') || character.is_control() || character.is_whitespace() {
            (space, after_picture) = (true, false);
            continue;
        }
        if is_picture(character) {
            (space, after_picture) = (true, true);
            continue;
        }
        // What closes a sentence after a picture closes it after the word before.
        let closes = after_picture && matches!(character, '.' | ',' | '!' | '?' | ';' | ':');
        if space && !words.is_empty() && !(closes && words.ends_with(char::is_alphanumeric)) {
            words.push(' ');
        }
        words.push(character);
        (space, after_picture) = (false, false);
    }
    words
}

/// Byte order marks, joiners, directions, variation selectors and their like.
const fn is_unheard(character: char) -> bool {
    matches!(
        character,
        '\u{AD}'
            | '\u{200B}'..='\u{200F}'
            | '\u{202A}'..='\u{202E}'
            | '\u{2060}'..='\u{2069}'
            | '\u{20E3}'
            | '\u{FE00}'..='\u{FE0F}'
            | '\u{FEFF}'
            | '\u{E0000}'..='\u{E007F}'
    )
}

/// Emoji, arrows, dingbats and their like.
const fn is_picture(character: char) -> bool {
    matches!(
        character,
        '\u{2190}'..='\u{21FF}'
            | '\u{2300}'..='\u{23FF}'
            | '\u{2500}'..='\u{27BF}'
            | '\u{2900}'..='\u{297F}'
            | '\u{2B00}'..='\u{2BFF}'
            | '\u{1F000}'..='\u{1FAFF}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_only_for_the_eye_is_not_read() {
        for (written, read) in [
            ("Hello, **Ben**! How *are* you?", "Hello, Ben! How are you?"),
            ("__Yes__, _really_: ~~no~~ `snake_case`", "Yes, really: no snake_case"),
            ("<speak>One<break time=\"1s\"/> two</speak>", "One two"),
            ("Hi, <b>Ben</b>, <i>hello</i>!", "Hi, Ben, hello!"),
            ("Ben &amp; Co &lt;x&gt; isn&#39;t", "Ben & Co x isn't"),
            ("See [our site](https://example.com/a_b) ![logo](x.png).", "See our site logo."),
            ("C’est l’été !", "C’est l’été !"),
            ("Great! 🎉👍🏽 See you ☀\u{FE0F}.", "Great! See you."),
            ("Done ✅, next → home", "Done, next home"),
            ("a\u{200B}b\u{0}c\u{FEFF}", "ab c"),
            ("| a | b |\n|---|---|\n| 1 | 2 |", "a b 1 2"),
            ("", ""),
            ("🎉", ""),
            ("***", ""),
        ] {
            assert_eq!(speakable(written), read, "{written}");
        }
    }

    #[test]
    fn headings_and_items_end_like_sentences_and_wrapped_lines_do_not() {
        let written = "# Our hours\n\n- Monday\n* [ ] Tuesday,\n+ both!\n1. first\n2. second.\n---\n> We are\n> open.\n```text\nx\n```";
        assert_eq!(
            speakable(written),
            "Our hours. Monday. Tuesday, both! 1. first. 2. second. We are open. x"
        );
    }

    #[test]
    fn what_a_voice_can_read_stays_as_it_is() {
        for text in [
            "Press * or #.",
            "Dial *69, then #.",
            "It costs $3.50 (2 * 2 is 4), i.e. 10 % less – isn't it?",
            "L\u{2019}été, c\u{2019}est « déjà » fini… Ünïcödé №5 日本",
            "file_name_1 and a-b, 3 < 4",
            "[pressed 1]",
        ] {
            let expected = text.replace(" < ", " ");
            assert_eq!(speakable(text), expected);
        }
    }

    #[test]
    fn marks_that_a_cut_left_open_are_not_read_either() {
        assert_eq!(speakable("**Hello there."), "Hello there.");
        assert_eq!(speakable("How are you?**"), "How are you?");
        assert_eq!(speakable("*softly"), "softly");
        assert_eq!(speakable("<unclosed"), "unclosed");
    }
}
