//! What Pico says is taken for speech and never for the beep of a machine, in any voice.
#![allow(clippy::unwrap_used, reason = "a test says what it means")]

use domain::assistant::Language;
use domain::audio::AudioFormat;
use domain::ports::{Detects, Line, Speech};
use media::Listening;
use speech::{PicoSpeech, Settings};

/// Much of what each voice can say: open and closed vowels, nasals, numbers, drawn-out words.
const TEXTS: [(Language, &str); 6] = [
    (
        Language::EnglishUnitedStates,
        "Hmm. Oh no, who knew? You may move soon. Please leave a message after the tone: one, two, three, four, \
         five, six, seven, eight, nine, zero. Mum, come home. Aha, ooh, eee. We were away all year long.",
    ),
    (
        Language::EnglishGreatBritain,
        "Hello, you have reached the voicemail of Moira Noonan. I am away until Monday morning. Leave your name \
         and number, and I will ring you soon. Ooh, mmm, aah.",
    ),
    (
        Language::French,
        "Bonjour, vous êtes bien chez nous. Nous ne sommes pas là en ce moment. Un, deux, trois, quatre, cinq, \
         six, sept, huit, neuf. Où, ouh, oui, mmm, merci de nous laisser un message.",
    ),
    (
        Language::German,
        "Guten Tag, Sie sind mit dem Anrufbeantworter von Ute Bohm verbunden. Bitte sprechen Sie nach dem Ton. \
         Eins, zwei, drei, vier, fünf, sechs, sieben. Uhu, mmm, ohne Mühe, immer im Sommer.",
    ),
    (
        Language::Spanish,
        "Hola, ha llamado al contestador de Juan Muñoz. Ahora no puedo atenderle. Uno, dos, tres, cuatro, cinco, \
         seis, siete, ocho, nueve. Uuh, mmm, mi mamá me mima mucho.",
    ),
    (
        Language::Italian,
        "Buongiorno, risponde la segreteria di Luigi Nonno. Lasciate un messaggio dopo il segnale. Uno, due, tre, \
         quattro, cinque, sei, sette, otto, nove. Uuh, mmm, un uomo nuovo, nonna mia.",
    ),
];

#[tokio::test]
async fn no_voice_is_a_beep_and_every_voice_is_speech() {
    let program = env!("CARGO_BIN_EXE_pico-speak").into();
    let speech =
        PicoSpeech::start(&Settings { program, args: Vec::new(), processes: 1, cache_bytes: 1 << 20 });
    for (language, text) in TEXTS {
        for format in [AudioFormat::Pcmu, AudioFormat::Pcma, AudioFormat::G722] {
            let encoded = speech.say(Line { language, text: text.to_owned(), format }).await.unwrap();
            let mut listening = Listening::new(Detects::ALL);
            let judged: Vec<_> =
                encoded.frames.iter().map(|frame| listening.hear(format, Some(frame))).collect();
            let speech = judged.iter().filter(|frame| frame.speech).count();
            let beeps: Vec<_> =
                (0..judged.len()).filter(|at| judged.get(*at).is_some_and(|frame| frame.tone)).collect();
            assert!(
                judged.len() > 400 && speech * 10 > judged.len() * 4,
                "{language:?}: {speech}/{}",
                judged.len()
            );
            assert!(beeps.is_empty(), "{language:?}: frames {beeps:?} of {}", judged.len());
        }
    }
}
