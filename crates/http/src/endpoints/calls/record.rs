//! A call on the wire: what lists show, and all of it.

use domain::call::{CallListing, CallLog, EndedReason};
use domain::timestamp::rfc3339;
use serde::Serialize;
use url::Url;

/// What lists show.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ListItem {
    id: String,
    organization_id: String,
    call_type: &'static str,
    agent_id: Option<String>,
    agent_name: Option<String>,
    team_id: Option<String>,
    team_name: Option<String>,
    phone_number: Option<String>,
    call_started_at: Option<String>,
    call_ended_at: Option<String>,
    /// The interface carries it as a string.
    call_duration_seconds: Option<String>,
    user_phone_number: Option<String>,
    created_at: String,
}

/// All that is known of a call.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DetailRecord {
    #[serde(flatten)]
    listed: ListItem,
    call_ended_reason: Option<&'static str>,
    user_name: Option<String>,
    user_primary_intent: Option<String>,
    user_sentiment: Option<String>,
    call_outcome: Option<String>,
    call_summary: Option<String>,
    call_summary_fr: Option<String>,
    transcript_url: Option<String>,
    recording_url: Option<String>,
}

/// Where the files of a call can be fetched for an hour; none of what is not stored.
#[derive(Default)]
pub(super) struct Addresses {
    pub(super) transcript: Option<Url>,
    pub(super) recording: Option<Url>,
}

impl From<CallListing> for ListItem {
    fn from(call: CallListing) -> Self {
        let (agent_id, agent_name) = call.agent.map(|(id, name)| (id.to_string(), name)).unzip();
        let (team_id, team_name) = call.team.map(|(id, name)| (id.to_string(), name)).unzip();
        Self {
            id: call.id.to_string(),
            organization_id: call.organization.to_string(),
            call_type: call.call_type.as_str(),
            agent_id,
            agent_name,
            team_id,
            team_name,
            phone_number: call.number,
            call_started_at: call.started_at.map(rfc3339),
            call_ended_at: call.ended_at.map(rfc3339),
            call_duration_seconds: call.duration.map(|seconds| seconds.to_string()),
            user_phone_number: call.user_number,
            created_at: rfc3339(call.created_at),
        }
    }
}

impl DetailRecord {
    pub(super) fn new(call: CallLog, addresses: Addresses) -> Self {
        Self {
            listed: call.listing.into(),
            call_ended_reason: call.ended_reason.map(EndedReason::as_str),
            user_name: call.user_name,
            user_primary_intent: call.user_primary_intent,
            user_sentiment: call.user_sentiment,
            call_outcome: call.outcome,
            call_summary: call.summary,
            call_summary_fr: call.summary_fr,
            transcript_url: addresses.transcript.map(String::from),
            recording_url: addresses.recording.map(String::from),
        }
    }
}
