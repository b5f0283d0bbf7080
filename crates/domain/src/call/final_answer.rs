//! What a final SIP failure says about the call.

use super::EndedReason;

/// A final response of SIP (RFC 3261 §21); that to our INVITE is kept beside the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinalAnswer {
    /// The status code, 200–699; 300 or more where it refuses.
    pub code: u16,
    /// The reason phrase as it came.
    pub phrase: String,
}

impl FinalAnswer {
    /// Why the call ended, given whether it had rung before.
    pub const fn reason(&self, rang: bool) -> EndedReason {
        match self.code {
            486 | 600 => EndedReason::CustomerBusy,
            603 | 607 | 608 => EndedReason::CustomerDeclined,
            408 | 480 | 487 if rang => EndedReason::NoAnswer,
            404 | 410 | 484 | 604 => EndedReason::InvalidNumber,
            401 | 403 | 407 => EndedReason::TrunkRejected,
            _ => EndedReason::TrunkError,
        }
    }
}
