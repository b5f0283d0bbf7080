//! What lists show of a call, as a row.

use domain::call::{CallListing, CallType};
use domain::ids::{AssistantId, CallId, OrganizationId, TeamId};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::failure::Failure;
use crate::statement::row;

/// The columns of a call (`c`) with its assistant, team and number, as [`ListingRow`] reads them.
macro_rules! listing_columns {
    () => {
        "c.id, c.organization_id, c.call_type, c.assistant_id, a.name AS assistant_name, \
         t.id AS team_id, t.name AS team_name, n.number, c.started_at, c.ended_at, \
         c.duration_seconds, c.user_phone_number, c.created_at"
    };
}
pub(crate) use listing_columns;

/// Where [`listing_columns!`] come from.
macro_rules! listing_tables {
    () => {
        "calls c LEFT JOIN assistants a ON a.id = c.assistant_id \
         LEFT JOIN teams t ON t.id = a.team_id LEFT JOIN numbers n ON n.id = c.number_id"
    };
}
pub(crate) use listing_tables;

row! {
    ListingRow {
        id: Uuid,
        organization_id: Uuid,
        call_type: String,
        assistant_id: Option<Uuid>,
        assistant_name: Option<String>,
        team_id: Option<Uuid>,
        team_name: Option<String>,
        number: Option<String>,
        started_at: Option<OffsetDateTime>,
        ended_at: Option<OffsetDateTime>,
        duration_seconds: Option<i64>,
        user_phone_number: Option<String>,
        created_at: OffsetDateTime,
    }
}

impl ListingRow {
    pub(crate) fn into_listing(self) -> Result<CallListing, Failure> {
        let broken = |why| Failure::impossible("calls", self.id, why);
        let duration = self.duration_seconds.map(u64::try_from).transpose();
        Ok(CallListing {
            id: CallId::from_uuid(self.id),
            organization: OrganizationId::from_uuid(self.organization_id),
            call_type: CallType::parse(&self.call_type).ok_or_else(|| broken("the type is unknown"))?,
            agent: self.assistant_id.map(AssistantId::from_uuid).zip(self.assistant_name),
            team: self.team_id.map(TeamId::from_uuid).zip(self.team_name),
            number: self.number,
            started_at: self.started_at,
            ended_at: self.ended_at,
            duration: duration.map_err(|_| broken("the duration is negative"))?,
            user_number: self.user_phone_number,
            created_at: self.created_at,
        })
    }
}
