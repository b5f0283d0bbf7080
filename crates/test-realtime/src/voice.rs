//! The double's voice.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use domain::assistant::Language;
use parking_lot::Mutex;

type Said = HashMap<(Language, String), Arc<[i16]>>;

/// What was said before; Pico is asked for one line at a time.
static SAID: LazyLock<Mutex<Said>> = LazyLock::new(Mutex::default);

/// A line in Pico's voice, 8,000 samples a second. Blocks for some milliseconds.
pub fn say(language: Language, text: &str) -> Arc<[i16]> {
    let mut said = SAID.lock();
    let line = said.entry((language, text.to_owned()));
    let line = line.or_insert_with(|| speech::child::say(language, text).expect("Pico speaks").into());
    Arc::clone(line)
}
