//! What Pico says is understood at the far end of a telephone line.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test says what it means")]

use audio_codec_algorithms::{decode_alaw, decode_ulaw};
use domain::assistant::Language;
use domain::audio::AudioFormat;
use domain::ports::{Line, Speech};
use speech::{PicoSpeech, Settings};
use test_ears::{hear, words_match};

const WORDS: &str = "Good morning, this is the dental clinic calling about your appointment on Tuesday. \
                     Would you like to keep it, or shall we find another time? \
                     I am sorry, I did not understand. Could you please repeat that? \
                     Thank you very much, have a nice day. Goodbye.";

#[tokio::test]
async fn two_voices_are_understood_through_both_laws() {
    let program = env!("CARGO_BIN_EXE_pico-speak").into();
    let speech =
        PicoSpeech::start(&Settings { program, args: Vec::new(), processes: 1, cache_bytes: 1 << 20 });
    for (language, format, decode) in [
        (Language::EnglishGreatBritain, AudioFormat::Pcmu, decode_ulaw as fn(u8) -> i16),
        (Language::EnglishUnitedStates, AudioFormat::Pcma, decode_alaw),
    ] {
        let line = Line { language, text: WORDS.to_owned(), format };
        let encoded = speech.say(line).await.unwrap();
        let samples: Vec<i16> = encoded.frames.iter().flatten().map(|byte| decode(*byte)).collect();
        let heard = hear(&samples);
        let share = words_match(WORDS, &heard);
        assert!(share >= 0.9, "{share} of the words in {heard:?}");
        // Nothing but the words makes them up.
        assert!(words_match("the weather will be rainy with snow in the mountains", &heard) < 0.4);
    }
}
