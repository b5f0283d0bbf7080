//! A call's life: its states, the reasons for its end, and its record.

mod analysis;
mod artifact;
mod ended_reason;
mod facts;
mod final_answer;
mod log;
mod outbound;
mod record;
mod transcript;

pub use analysis::{ANALYSIS_LEASE, Analysis, Sentiment};
pub use artifact::{ArtifactKey, ArtifactKind};
pub use ended_reason::EndedReason;
pub use facts::{CallFacts, Fact};
pub use final_answer::FinalAnswer;
pub use log::{CallListing, CallLog, CallOrder, CallQuery, CallType};
pub use outbound::{Connected, Dialling, Ended, Live, Ringing};
pub use record::{CallDetails, CallStatus, OutboundCall, OutboundStatus};
pub use transcript::{Speaker, TranscriptEntry, plain_text};
