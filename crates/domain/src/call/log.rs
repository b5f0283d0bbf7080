//! Call logs: what is listed of calls of all three types, and by which filters.

use time::OffsetDateTime;

use super::{ArtifactKey, EndedReason};
use crate::ids::{AssistantId, CallId, OrganizationId, TeamId};
use crate::page::PageRequest;

/// How a call came about (interface, Call record).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallType {
    /// Somebody called a number of the organization.
    Inbound,
    /// The organization called somebody.
    Outbound,
    /// Somebody spoke to an assistant on a web page.
    Web,
}

impl CallType {
    /// Every type, as the interface lists them.
    pub const ALL: [Self; 3] = [Self::Inbound, Self::Outbound, Self::Web];

    /// The type's written form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Inbound => "Inbound",
            Self::Outbound => "Outbound",
            Self::Web => "Web",
        }
    }

    /// Reads the written form.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|own| own.as_str() == text)
    }
}

/// What a list shows of a call (interface, Call record, List item fields).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallListing {
    /// Its identity.
    pub id: CallId,
    /// Whose call it is.
    pub organization: OrganizationId,
    /// How it came about.
    pub call_type: CallType,
    /// The assistant that handled it, by id and its present name.
    pub agent: Option<(AssistantId, String)>,
    /// The team that owns the assistant, by id and name.
    pub team: Option<(TeamId, String)>,
    /// The organization's number.
    pub number: Option<String>,
    /// The moment of the answer; none when it was never answered.
    pub started_at: Option<OffsetDateTime>,
    /// The moment of the end; none while it goes on.
    pub ended_at: Option<OffsetDateTime>,
    /// Whole seconds of conversation; none when there was no answer, or while it goes on.
    pub duration: Option<u64>,
    /// The other side's number.
    pub user_number: Option<String>,
    /// When the record was made.
    pub created_at: OffsetDateTime,
}

/// All that is known of a call (interface, Call record, Detail record).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallLog {
    /// What lists show.
    pub listing: CallListing,
    /// Why it ended.
    pub ended_reason: Option<EndedReason>,
    /// The other side's name.
    pub user_name: Option<String>,
    /// What the other side wanted.
    pub user_primary_intent: Option<String>,
    /// How the other side felt.
    pub user_sentiment: Option<String>,
    /// What came of it.
    pub outcome: Option<String>,
    /// Summary in English.
    pub summary: Option<String>,
    /// Summary in Canadian French.
    pub summary_fr: Option<String>,
    /// Its files that are stored, by kind.
    pub artifacts: Vec<ArtifactKey>,
}

/// The order of a list of calls. Ties go by id, in the same direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallOrder {
    /// Newest record first.
    Newest,
    /// Oldest record first.
    Oldest,
    /// Longest first; calls without a duration last.
    Longest,
    /// Shortest first; calls without a duration last.
    Shortest,
}

/// Which calls are listed; filters that are set must all hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallQuery {
    /// Whose calls.
    pub organization: OrganizationId,
    /// Which page of them.
    pub page: PageRequest,
    /// Of this type.
    pub call_type: Option<CallType>,
    /// By an assistant whose name contains this, in any case; `%` and `_` stand for themselves.
    pub agent_name: Option<String>,
    /// With exactly this intent, in any case.
    pub user_primary_intent: Option<String>,
    /// Made at this moment or later.
    pub from: Option<OffsetDateTime>,
    /// Made at this moment or earlier.
    pub to: Option<OffsetDateTime>,
    /// In this order.
    pub order: CallOrder,
}
