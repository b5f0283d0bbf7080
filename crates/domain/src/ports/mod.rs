//! What the application needs from outside, named by role; each method is one atomic decision.

mod access;
mod accounts;
mod admissions;
mod analyses;
mod artifacts;
mod audit;
mod call_board;
mod call_records;
mod callbacks;
mod clock;
mod deliveries;
mod directory;
mod filing;
mod housekeeping;
mod key_ring;
mod metadata;
mod nodes;
mod organizations;
mod outbound_calls;
mod passwords;
mod rate_limit;
mod recorder;
mod seen;
mod sessions;
mod setup;
mod speech;
mod spool;
mod telephony;
mod trunk_reports;
mod voice_agent;

pub use access::{Access, IssueError};
pub use accounts::{Accounts, AddUserError, Admission, ListedUser, NewPassword, USERS_MAX, UserChange};
pub use admissions::{FirstSetUp, Invitations, SetUp};
pub use analyses::{Analyses, AnalysisSettled, DueAnalysis, LanguageModel, ModelError, Prompt};
pub use artifacts::{ArtifactBody, Artifacts, ArtifactsUnavailable, Opened, SignedFiles, URL_LIFE};
pub use audit::AuditLog;
pub use call_board::{CallBoard, Watched};
pub use call_records::CallRecords;
pub use callbacks::{
    CallbackSender, Callbacks, ClaimedAgain, ClaimedCallback, Settled, TryOutcome, TryRecord,
};
pub use clock::{Clock, Entropy};
pub use deliveries::{Deliveries, Delivery, DeliveryTry};
pub use directory::{Directory, Placeable};
pub use filing::{Filing, Owner};
pub use housekeeping::Housekeeping;
pub use key_ring::{FixedKeys, KeyRing};
pub use metadata::{
    CannotJudge, Judgement, MetadataRecords, Replaced, Replacement, SchemaJudge, StoredSchemas,
};
pub use nodes::{Beat, Command, Nodes, ObservedNode, Orphan};
pub use organizations::{CreateOrganizationError, Created, NewOrganization, Organizations, Reachable};
pub use outbound_calls::{
    Acceptance, Accepted, Concluded, Conclusion, Dispatch, Fence, OutboundCalls, Recorded,
};
pub use passwords::{Busy, Passwords, Requester, Verdict};
pub use rate_limit::{OwnWindow, RateLimitWindow};
pub use recorder::{CompleteRecord, RecordShelf, Recorder, Recording, ShelfError};
pub use seen::{ReviseError, Seen};
pub use sessions::{Attempt, Sessions, SignIn, SignInTries, Trial};
pub use setup::{
    Added, Assistants, CarriedNumber, FreshTestLine, Numbers, ReviseTrunkError, SetupError, Signing, Tenants,
    TestLines, Trunks,
};
pub use speech::{Line, Speech, SpeechError};
pub use spool::{Spool, SpoolError};
pub use telephony::{
    Answered, Detects, DialIntent, DialPlan, HangUp, HeardFrame, Leg, LegEnd, LegEvent, PreparedLeg, Refused,
    SavedLeg, SendFailed, Telephony, TrunkState,
};
pub use trunk_reports::{NoAnswer, PingReport, RegistrationReport, Standing, TrunkReport, TrunkReports};
pub use voice_agent::{
    AgentEvent, AgentFailure, AgentOrder, AgentSession, AgentSpec, TurnId, UtteranceId, VoiceAgent,
};

/// The store could not be asked, or did not answer; the cause is for the log only.
#[derive(Debug, thiserror::Error)]
#[error("the store is unavailable")]
pub struct StoreUnavailable(#[source] pub Box<dyn std::error::Error + Send + Sync>);

impl StoreUnavailable {
    /// Wraps the driver's own error.
    pub fn because(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self(cause.into())
    }
}
