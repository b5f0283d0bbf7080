//! A call's life: its states, the reasons for its end, and its record.

mod analysis;
mod artifact;
mod board;
mod ended_reason;
mod facts;
mod final_answer;
mod log;
mod outbound;
pub mod outcome;
mod record;
mod story;
mod summary;
mod transcript;

pub use analysis::{
    ANALYSIS_LEASE, ANALYSIS_TRIES, Analysis, Evidence, INTENT_BYTES, Sentiment, wait_after_analysis,
};
pub use artifact::{ArtifactKey, ArtifactKind};
pub use board::{Board, BoardCall, BoardQuery, CallCursor, CallState, ChartBounds, Outcomes};
pub use ended_reason::EndedReason;
pub use facts::{CallFacts, Fact};
pub use final_answer::FinalAnswer;
pub use log::{CallListing, CallLog, CallOrder, CallQuery, CallType};
pub use outbound::{Connected, Dialling, Ended, Live, Ringing};
pub use outcome::Outcome;
pub use record::{CallDetails, CallStatus, OutboundCall, OutboundStatus};
pub use story::{
    Account, CallStory, Dialled, Happening, Provenance, Report, ReportState, TimelineEntry, timeline,
};
pub use transcript::{Speaker, TranscriptEntry, plain_text};
