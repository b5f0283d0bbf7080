//! A speech recogniser for tests: Whisper tiny.en in a child process, brought by `./just ears`.
//!
//! It needs about 0.4 s to start, once a test program, and 0.3 s for each 30 s of sound or part of
//! them. It hears English; of Pico's voices over G.711 it gets nearly every word.

#![allow(
    clippy::panic,
    clippy::expect_used,
    clippy::missing_panics_doc,
    clippy::disallowed_methods,
    reason = "for tests only: without ears a test fails, and says why"
)]

mod child;
mod words;

use parking_lot::Mutex;

use child::Child;
pub use words::words_match;

/// One for a test program, as it takes 200 MB; those who listen at a time take turns.
static CHILD: Mutex<Option<Child>> = Mutex::new(None);

/// What is said in these samples (8,000 a second), as text with capitals and punctuation; empty when
/// it is silence. Blocks. It panics, saying how to get it, when the recogniser is missing.
pub fn hear(samples: &[i16]) -> String {
    let mut child = CHILD.lock();
    // One that failed is not used again: taken out first, put back when it has answered.
    let mut listener = child.take().unwrap_or_else(Child::start);
    let heard = listener.hear(samples);
    *child = Some(listener);
    heard
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_has_no_words() {
        assert_eq!(hear(&vec![0; 16_000]), "");
        assert_eq!(hear(&[]), "");
    }
}
