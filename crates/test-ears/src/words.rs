//! How much of what was said was heard.

/// The share of the expected words that were heard, in their order, between 0 and 1. Capitals and
/// punctuation do not count, nor does what was heard besides. A word that was not written as
/// expected is one that was not heard: numbers are best avoided.
pub fn words_match(expected: &str, heard: &str) -> f32 {
    let (expected, heard) = (words(expected), words(heard));
    assert!(!expected.is_empty(), "no words are expected");
    share(common(&expected, &heard), expected.len())
}

/// The length of the longest common subsequence.
fn common(expected: &[String], heard: &[String]) -> usize {
    let mut row = vec![0; heard.len() + 1];
    for word in expected {
        let (mut before, mut last) = (0, 0);
        for (other, best) in heard.iter().zip(row.iter_mut().skip(1)) {
            let above = *best;
            *best = if word == other { before + 1 } else { above.max(last) };
            (before, last) = (above, *best);
        }
    }
    row.last().copied().unwrap_or(0)
}

fn words(text: &str) -> Vec<String> {
    let spoken = text.replace(['\'', '’'], "").to_lowercase();
    let parts = spoken.split(|c: char| !c.is_alphanumeric());
    parts.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn share(part: usize, whole: usize) -> f32 {
    let number = |count| u16::try_from(count).map_or(f32::MAX, f32::from);
    number(part) / number(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_counts_is_the_words_and_their_order() {
        for (expected, heard, share) in [
            ("Hello, Mr. Smith!", "hello mr smith", 1.0),
            ("We're glad.", "Well, were GLAD to hear it", 1.0),
            ("one two three four", "four one three", 0.5),
            ("good morning", "", 0.0),
        ] {
            assert!((words_match(expected, heard) - share).abs() < 1e-6, "{expected} / {heard}");
        }
    }
}
