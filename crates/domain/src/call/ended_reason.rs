//! Why a call ended: the closed list of `endedReason` values.

use super::CallStatus;

/// Why a call ended; the list is closed and documented.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EndedReason {
    /// The callee hung up.
    CustomerEndedCall,
    /// The assistant said all it had to say, or decided to end.
    AssistantEndedCall,
    /// The call was handed to a person.
    AssistantForwardedCall,
    /// Nobody spoke for the silence limit.
    SilenceTimedOut,
    /// The length limit was reached.
    ExceededMaxDuration,
    /// A machine answered.
    Voicemail,
    /// The callee was engaged.
    CustomerBusy,
    /// The callee declined.
    CustomerDeclined,
    /// It rang, and nobody answered.
    NoAnswer,
    /// No such number.
    InvalidNumber,
    /// The trunk refused us, also after our credentials.
    TrunkRejected,
    /// The trunk answered with any other failure.
    TrunkError,
    /// The trunk could not be reached.
    TrunkUnreachable,
    /// No free line, or too many new calls a second.
    CapacityExceeded,
    /// The assistant could not start, or broke.
    AssistantError,
    /// No audio came from the callee's side.
    MediaTimeout,
    /// The machine that carried the call died.
    ServiceInterrupted,
    /// An operator or the API hung up.
    ManuallyEnded,
}

impl EndedReason {
    /// Every reason.
    pub const ALL: [Self; 18] = [
        Self::CustomerEndedCall,
        Self::AssistantEndedCall,
        Self::AssistantForwardedCall,
        Self::SilenceTimedOut,
        Self::ExceededMaxDuration,
        Self::Voicemail,
        Self::CustomerBusy,
        Self::CustomerDeclined,
        Self::NoAnswer,
        Self::InvalidNumber,
        Self::TrunkRejected,
        Self::TrunkError,
        Self::TrunkUnreachable,
        Self::CapacityExceeded,
        Self::AssistantError,
        Self::MediaTimeout,
        Self::ServiceInterrupted,
        Self::ManuallyEnded,
    ];

    /// The reason's written form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::CustomerEndedCall => "customer-ended-call",
            Self::AssistantEndedCall => "assistant-ended-call",
            Self::AssistantForwardedCall => "assistant-forwarded-call",
            Self::SilenceTimedOut => "silence-timed-out",
            Self::ExceededMaxDuration => "exceeded-max-duration",
            Self::Voicemail => "voicemail",
            Self::CustomerBusy => "customer-busy",
            Self::CustomerDeclined => "customer-declined",
            Self::NoAnswer => "no-answer",
            Self::InvalidNumber => "invalid-number",
            Self::TrunkRejected => "trunk-rejected",
            Self::TrunkError => "trunk-error",
            Self::TrunkUnreachable => "trunk-unreachable",
            Self::CapacityExceeded => "capacity-exceeded",
            Self::AssistantError => "assistant-error",
            Self::MediaTimeout => "media-timeout",
            Self::ServiceInterrupted => "service-interrupted",
            Self::ManuallyEnded => "manually-ended",
        }
    }

    /// Reads the written form.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == text)
    }

    /// The final status that goes with this reason, for a call that was or was not connected.
    pub const fn status(self, connected: bool) -> CallStatus {
        match self {
            Self::CustomerEndedCall
            | Self::AssistantEndedCall
            | Self::AssistantForwardedCall
            | Self::SilenceTimedOut
            | Self::ExceededMaxDuration
            | Self::Voicemail => CallStatus::Completed,
            Self::ManuallyEnded if connected => CallStatus::Completed,
            Self::CustomerBusy | Self::CustomerDeclined => CallStatus::Busy,
            Self::NoAnswer => CallStatus::NoAnswer,
            Self::InvalidNumber
            | Self::TrunkRejected
            | Self::TrunkError
            | Self::TrunkUnreachable
            | Self::CapacityExceeded
            | Self::AssistantError
            | Self::MediaTimeout
            | Self::ServiceInterrupted
            | Self::ManuallyEnded => CallStatus::Failed,
        }
    }
}
