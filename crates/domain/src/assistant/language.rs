//! The languages that assistants speak.

/// A language with a built-in voice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// `en-US`
    EnglishUnitedStates,
    /// `en-GB`
    EnglishGreatBritain,
    /// `fr-FR`
    French,
    /// `fr-CA`; the built-in voice is that of `fr-FR`.
    FrenchCanada,
    /// `de-DE`
    German,
    /// `es-ES`
    Spanish,
    /// `it-IT`
    Italian,
}

impl Language {
    /// Every language that can be chosen.
    pub const ALL: [Self; 7] = [
        Self::EnglishUnitedStates,
        Self::EnglishGreatBritain,
        Self::French,
        Self::FrenchCanada,
        Self::German,
        Self::Spanish,
        Self::Italian,
    ];

    /// The BCP 47 tag.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::EnglishUnitedStates => "en-US",
            Self::EnglishGreatBritain => "en-GB",
            Self::French => "fr-FR",
            Self::FrenchCanada => "fr-CA",
            Self::German => "de-DE",
            Self::Spanish => "es-ES",
            Self::Italian => "it-IT",
        }
    }

    /// Reads a BCP 47 tag from the list.
    pub fn parse(tag: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.as_str() == tag)
    }
}
