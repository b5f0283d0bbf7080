//! What an analysis says of a call.

use std::time::Duration;

/// How long a claimed analysis is its claimant's.
pub const ANALYSIS_LEASE: Duration = Duration::from_mins(2);

/// How the callee felt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sentiment {
    /// Content or friendly.
    Positive,
    /// Neither.
    Neutral,
    /// Annoyed, worried or sad.
    Negative,
}

impl Sentiment {
    /// Every sentiment.
    pub const ALL: [Self; 3] = [Self::Positive, Self::Neutral, Self::Negative];

    /// The written form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Positive => "positive",
            Self::Neutral => "neutral",
            Self::Negative => "negative",
        }
    }

    /// Reads the written form.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|own| own.as_str() == text)
    }
}

/// What an analysis says of a call; nothing is said that is not known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Analysis {
    /// What the callee wanted, at most 512 bytes.
    pub intent: Option<String>,
    /// How the callee felt.
    pub sentiment: Option<Sentiment>,
    /// What came of the call: a standard outcome, or one of the assistant's own.
    pub outcome: Option<String>,
    /// Summary in English.
    pub summary: Option<String>,
    /// Summary in Canadian French.
    pub summary_fr: Option<String>,
    /// The model that wrote it; none when it was made from facts alone.
    pub model: Option<String>,
}
