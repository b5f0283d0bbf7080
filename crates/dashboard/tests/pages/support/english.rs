//! English that has no place on a French page.

/// Words that French does not have, and no key of an assistant's file is.
const WORDS: [&str; 59] = [
    "and",
    "are",
    "at",
    "be",
    "boolean",
    "but",
    "by",
    "cannot",
    "characters",
    "choose",
    "expected",
    "field",
    "goes",
    "has",
    "have",
    "integer",
    "invalid",
    "is",
    "it",
    "keys",
    "least",
    "longer",
    "many",
    "matches",
    "may",
    "missing",
    "more",
    "most",
    "must",
    "names",
    "needs",
    "not",
    "nothing",
    "of",
    "only",
    "out",
    "plain",
    "property",
    "should",
    "stands",
    "string",
    "such",
    "than",
    "that",
    "the",
    "there",
    "this",
    "too",
    "twice",
    "under",
    "unknown",
    "valid",
    "value",
    "was",
    "what",
    "which",
    "with",
    "without",
    "wrong",
];

/// The first English word of a French text.
pub(crate) fn english_word(text: &str) -> Option<&str> {
    let words = text.split(|character: char| !character.is_alphanumeric() && !"_-".contains(character));
    let mut words = words.filter(|word| !word.is_empty());
    words.find(|word| WORDS.contains(&word.to_lowercase().as_str()))
}

/// What people read of a page: its text, without what stands in fields and code, and its labels.
#[allow(dead_code, reason = "not every test has pages")]
pub(crate) fn read_of(page: &str) -> String {
    let (mut read, mut hidden) = (String::new(), None);
    for part in page.split('<').skip(1) {
        let (tag, text) = part.split_once('>').unwrap_or((part, ""));
        let name = tag.split([' ', '\n']).next().unwrap_or_default();
        if hidden.is_some_and(|own: &str| name.strip_prefix('/') == Some(own)) {
            hidden = None;
        } else if hidden.is_none() && ["script", "style", "textarea", "code", "pre"].contains(&name) {
            hidden = Some(name);
        }
        // The names of time zones are everybody's.
        if hidden.is_some() || (name == "option" && tag.contains('/')) {
            continue;
        }
        for label in ["aria-label=\"", "placeholder=\"", "title=\"", "alt=\""] {
            read.extend(tag.split(label).skip(1).filter_map(|rest| rest.split('"').next()));
            read.push('\n');
        }
        read.push_str(text);
        read.push('\n');
    }
    for (escaped, plain) in [("&#34;", "\""), ("&#39;", "'"), ("&#60;", "<"), ("&#62;", ">"), ("&#38;", "&")]
    {
        read = read.replace(escaped, plain);
    }
    read
}
