//! How a try went, in words.

use std::time::Duration;

use domain::ports::TryOutcome;

use super::words::Words;
use crate::causes::cause;
use crate::language::Language;

/// `204`, `No answer within 10 s`, or why there was none.
pub(super) fn text(outcome: &TryOutcome, words: &Words, language: Language) -> String {
    match outcome {
        TryOutcome::Answered(status) => format!("HTTP {status}"),
        TryOutcome::TimedOut => words.timed_out.to_owned(),
        TryOutcome::Broken(why) => words.broken.replace("{}", cause(why, language)),
        TryOutcome::Refused(why) => words.refused.replace("{}", cause(why, language)),
    }
}

/// `87 ms`, `1.2 s`.
pub(super) fn latency(took: Duration, language: Language) -> String {
    let ms = took.as_millis();
    if ms < 1_000 {
        return format!("{ms}\u{a0}ms");
    }
    let tenths = (ms + 50) / 100;
    let point = language.pick(".", ",");
    format!("{}{point}{}\u{a0}s", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_told_as_finely_as_they_matter() {
        let told = |ms, language| latency(Duration::from_millis(ms), language);
        assert_eq!(told(87, Language::English), "87\u{a0}ms");
        assert_eq!(told(1_249, Language::English), "1.2\u{a0}s");
        assert_eq!(told(10_000, Language::French), "10,0\u{a0}s");
    }
}
