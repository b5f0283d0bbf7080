//! The six voices, built into the program.

use domain::assistant::Language;

/// A voice: its text analysis and its sound, as Pico's resource files hold them.
#[derive(Clone, Copy)]
pub(crate) struct Lingware {
    pub(crate) text_analysis: &'static [u8],
    pub(crate) signal_generation: &'static [u8],
}

macro_rules! voice {
    ($analysis:literal, $signal:literal) => {
        Lingware {
            text_analysis: include_bytes!(concat!(env!("PICO_VOICES"), "/", $analysis)),
            signal_generation: include_bytes!(concat!(env!("PICO_VOICES"), "/", $signal)),
        }
    };
}

static ENGLISH_UNITED_STATES: Lingware = voice!("en-US_ta.bin", "en-US_lh0_sg.bin");
static ENGLISH_GREAT_BRITAIN: Lingware = voice!("en-GB_ta.bin", "en-GB_kh0_sg.bin");
static FRENCH: Lingware = voice!("fr-FR_ta.bin", "fr-FR_nk0_sg.bin");
static GERMAN: Lingware = voice!("de-DE_ta.bin", "de-DE_gl0_sg.bin");
static SPANISH: Lingware = voice!("es-ES_ta.bin", "es-ES_zl0_sg.bin");
static ITALIAN: Lingware = voice!("it-IT_ta.bin", "it-IT_cm0_sg.bin");

/// The voice of a language.
pub(crate) fn of(language: Language) -> Lingware {
    match language {
        Language::EnglishUnitedStates => ENGLISH_UNITED_STATES,
        Language::EnglishGreatBritain => ENGLISH_GREAT_BRITAIN,
        Language::French | Language::FrenchCanada => FRENCH,
        Language::German => GERMAN,
        Language::Spanish => SPANISH,
        Language::Italian => ITALIAN,
    }
}
