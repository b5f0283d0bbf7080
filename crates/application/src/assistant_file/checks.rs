//! Reads single values; each reader says what it allows.

use std::ops::RangeInclusive;
use std::time::Duration;

use domain::assistant::Language;

use super::BadFile;
use crate::rules::Rule;
use crate::values;

/// The longest line, in characters.
const LINE_MAX: usize = 4_000;

pub(super) fn bad(key: &str, rule: Rule) -> BadFile {
    BadFile::Value { key: key.to_owned(), rule }
}

pub(super) fn name(key: &str, text: &str) -> Result<String, BadFile> {
    values::name(text).map_err(|rule| bad(key, rule))
}

/// Text of bounded length, in characters.
pub(super) fn text(key: &str, text: String, longest: usize) -> Result<String, BadFile> {
    let fits = !text.trim().is_empty() && text.chars().count() <= longest && !text.contains('\0');
    if fits { Ok(text) } else { Err(bad(key, Rule::Text(longest))) }
}

/// Something to say.
pub(super) fn line(key: &str, words: String) -> Result<String, BadFile> {
    text(key, words, LINE_MAX)
}

pub(super) fn optional_line(key: &str, words: Option<String>) -> Result<Option<String>, BadFile> {
    words.map(|words| line(key, words)).transpose()
}

pub(super) fn optional_name(key: &str, text: Option<&str>) -> Result<Option<String>, BadFile> {
    text.map(|text| name(key, text)).transpose()
}

pub(super) fn language(tag: Option<&str>) -> Result<Language, BadFile> {
    let Some(tag) = tag else { return Ok(Language::EnglishUnitedStates) };
    let all = || Language::ALL.map(Language::as_str).to_vec();
    Language::parse(tag).ok_or_else(|| bad("language", Rule::OneOf(all())))
}

pub(super) fn seconds(
    key: &str,
    value: Option<u64>,
    allowed: &RangeInclusive<u64>,
    usual: Duration,
) -> Result<Duration, BadFile> {
    match value {
        None => Ok(usual),
        Some(value) if allowed.contains(&value) => Ok(Duration::from_secs(value)),
        Some(_) => {
            let rule = Rule::Seconds(*allowed.start(), *allowed.end());
            Err(bad(&format!("limits.{key}"), rule))
        }
    }
}
