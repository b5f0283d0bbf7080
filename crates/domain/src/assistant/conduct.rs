//! What an assistant does on every call, whatever its engine.

/// What an assistant does on every call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conduct {
    /// Whether the sound of its calls is recorded; the transcript is kept in any case.
    pub records: bool,
    /// Said before all else on a call that is recorded; may hold `{{variables}}`.
    pub recording_notice: Option<String>,
    /// What it does when a machine answers; without it, nothing listens for one.
    pub voicemail: Option<OnVoicemail>,
    /// Outcomes of its own that `callOutcome` may name besides the standard ones, e.g. `quote_sent`.
    pub outcomes: Vec<String>,
}

/// What an assistant does when a machine answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OnVoicemail {
    /// It hangs up.
    HangUp,
    /// After the beep it says this, and hangs up; may hold `{{variables}}`.
    LeaveMessage(String),
}

impl Default for Conduct {
    fn default() -> Self {
        Self { records: true, recording_notice: None, voicemail: None, outcomes: Vec::new() }
    }
}
