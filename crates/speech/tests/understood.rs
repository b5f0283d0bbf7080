//! What Pico says is understood at the far end of a telephone line.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test says what it means")]

use domain::assistant::Language;
use domain::audio::AudioFormat;
use domain::ports::{Line, Speech};
use media::codec::Decoder;
use speech::{PicoSpeech, Settings};
use test_ears::{hear, words_match};

const WORDS: &str = "Good morning, this is the dental clinic calling about your appointment on Tuesday. \
                     Would you like to keep it, or shall we find another time? \
                     I am sorry, I did not understand. Could you please repeat that? \
                     Thank you very much, have a nice day. Goodbye.";

#[tokio::test]
async fn two_voices_are_understood_through_every_codec() {
    let program = env!("CARGO_BIN_EXE_pico-speak").into();
    let speech =
        PicoSpeech::start(&Settings { program, args: Vec::new(), processes: 1, cache_bytes: 1 << 20 });
    for (language, format) in [
        (Language::EnglishGreatBritain, AudioFormat::Pcmu),
        (Language::EnglishUnitedStates, AudioFormat::Pcma),
        (Language::EnglishUnitedStates, AudioFormat::G722),
    ] {
        let line = Line { language, text: WORDS.to_owned(), format };
        let encoded = speech.say(line).await.unwrap();
        let mut decoder = Decoder::new(format);
        let samples: Vec<i16> =
            encoded.frames.iter().flat_map(|frame| decoder.decode_narrow(frame)).collect();
        let heard = hear(&samples);
        let share = words_match(WORDS, &heard);
        assert!(share >= 0.9, "{share} of the words in {heard:?}");
        // Nothing but the words makes them up.
        assert!(words_match("the weather will be rainy with snow in the mountains", &heard) < 0.4);
    }
}
