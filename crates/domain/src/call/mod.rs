//! A call's life: its states, the reasons for its end, and its record.

mod ended_reason;
mod final_answer;
mod log;
mod outbound;
mod record;

pub use ended_reason::EndedReason;
pub use final_answer::FinalAnswer;
pub use log::{CallListing, CallLog, CallOrder, CallQuery, CallType};
pub use outbound::{Connected, Dialling, Ended, Live, Ringing};
pub use record::{CallDetails, CallStatus, OutboundCall, OutboundStatus};
