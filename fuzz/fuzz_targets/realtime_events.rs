//! A session of a Realtime provider: its events, line by line, with orders of ours between them.
#![no_main]

use domain::assistant::Dialect;
use libfuzzer_sys::fuzz_target;
use voice::fuzzing::play;

fuzz_target!(|bytes: &[u8]| {
    let Ok(lines) = std::str::from_utf8(bytes) else { return };
    let dialects = [Dialect::OpenAi, Dialect::Azure, Dialect::XAi, Dialect::LocalAi, Dialect::Speaches];
    // Resamplers are slow to make: one dialect an input.
    let dialect = dialects[bytes.len() % dialects.len()];
    let played = play(lines, dialect);
    // Base64 of 24 kHz with 16 bits becomes 8 kHz with 8: nothing is made up, but for the tail of what the
    // resampler holds.
    assert!(played.sound <= bytes.len() / 4 + 2_048 * (1 + played.events), "{dialect}: {played:?}");
    // An answer is told once, and only if one was ordered.
    assert!(played.answered <= played.ordered, "{dialect}: {played:?}");
});
