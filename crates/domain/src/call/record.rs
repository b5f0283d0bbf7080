//! What is known of a call from outside.

use time::OffsetDateTime;

use super::EndedReason;
use crate::callback::CallbackUrl;
use crate::ids::{AssistantId, CallId, ContactId, NumberId, OrganizationId, TenantId, TrunkId};
use crate::number::Destination;
use crate::variables::Variables;

/// The status of an outbound call (interface, Outbound call status).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallStatus {
    /// Dispatched and in progress.
    Calling,
    /// Connected and ended normally.
    Completed,
    /// Could not be completed due to an error.
    Failed,
    /// The destination was busy or declined.
    Busy,
    /// Rang and was not answered.
    NoAnswer,
}

impl CallStatus {
    /// Every status.
    pub const ALL: [Self; 5] = [Self::Calling, Self::Completed, Self::Failed, Self::Busy, Self::NoAnswer];

    /// The status's written form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Calling => "calling",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Busy => "busy",
            Self::NoAnswer => "no-answer",
        }
    }

    /// Reads the written form.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }
}

/// An outbound call as it was accepted; nothing of it changes afterwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutboundCall {
    /// Its identity, also that of its record.
    pub id: CallId,
    /// The contact made for it.
    pub contact: ContactId,
    /// The tenant that placed it.
    pub tenant: TenantId,
    /// The organization that placed it.
    pub organization: OrganizationId,
    /// The assistant that speaks.
    pub assistant: AssistantId,
    /// The number that it is placed from.
    pub number: NumberId,
    /// The trunk that carries it.
    pub trunk: TrunkId,
    /// The number to call, as it was sent.
    pub destination: Destination,
    /// The customer's name, if one was sent.
    pub customer_name: Option<String>,
    /// Values for the assistant's lines; empty when none were sent.
    pub variables: Variables,
    /// Where the end of the call is reported.
    pub callback_url: Option<CallbackUrl>,
    /// When it was accepted.
    pub created_at: OffsetDateTime,
}

/// How a finished call went (interface, `callDetails`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallDetails {
    /// The moment of the answer; none when it was never answered.
    pub started_at: Option<OffsetDateTime>,
    /// The moment of the end.
    pub ended_at: OffsetDateTime,
    /// Whole seconds of conversation; none when there was no answer.
    pub duration: Option<u64>,
    /// Why it ended.
    pub reason: EndedReason,
}

/// What the status endpoint answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutboundStatus {
    /// The call.
    pub call: CallId,
    /// Its contact.
    pub contact: ContactId,
    /// Where it stands.
    pub status: CallStatus,
    /// How it went; only in a final status.
    pub details: Option<CallDetails>,
}
