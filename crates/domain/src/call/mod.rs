//! A call's life: its states, the reasons for its end, and its record.

mod analysis;
mod artifact;
mod ended_reason;
mod facts;
mod final_answer;
mod log;
mod outbound;
pub mod outcome;
mod record;
mod summary;
mod transcript;

pub use analysis::{
    ANALYSIS_LEASE, ANALYSIS_TRIES, Analysis, Evidence, INTENT_BYTES, Sentiment, wait_after_analysis,
};
pub use artifact::{ArtifactKey, ArtifactKind};
pub use ended_reason::EndedReason;
pub use facts::{CallFacts, Fact};
pub use final_answer::FinalAnswer;
pub use log::{CallListing, CallLog, CallOrder, CallQuery, CallType};
pub use outbound::{Connected, Dialling, Ended, Live, Ringing};
pub use outcome::Outcome;
pub use record::{CallDetails, CallStatus, OutboundCall, OutboundStatus};
pub use transcript::{Speaker, TranscriptEntry, plain_text};
