//! One call with all that is known of it: one prepared statement on a shared connection.

use domain::call::{ArtifactKey, ArtifactKind, CallLog, EndedReason};
use domain::ids::{CallId, OrganizationId, TenantId};
use domain::scope::Scope;
use uuid::Uuid;

use super::record::{ListingRow, listing_columns, listing_tables};
use crate::failure::Failure;
use crate::rows::Both;
use crate::statement::{row, statement};
use crate::store::Store;

/// The columns of a call (`c`) beyond those of lists, as [`DetailRow`] reads them.
macro_rules! detail_columns {
    () => {
        "c.ended_reason, c.user_name, c.user_primary_intent, c.user_sentiment, c.outcome, c.summary, c.summary_fr, \
         c.tenant_id, ARRAY(SELECT f.kind FROM call_artifacts f WHERE f.call_id = c.id ORDER BY f.kind) AS artifacts"
    };
}
pub(crate) use detail_columns;

pub(crate) const READ: &str = concat!(
    "SELECT ",
    listing_columns!(),
    ", ",
    detail_columns!(),
    " FROM ",
    listing_tables!(),
    " WHERE c.id = $1 AND c.tenant_id = $2 AND ($3 IS NULL OR c.organization_id = $3)"
);

row! {
    DetailRow {
        ended_reason: Option<String>,
        user_name: Option<String>,
        user_primary_intent: Option<String>,
        user_sentiment: Option<String>,
        outcome: Option<String>,
        summary: Option<String>,
        summary_fr: Option<String>,
        tenant_id: Uuid,
        artifacts: Vec<String>,
    }
}

pub(super) async fn read(store: &Store, scope: Scope, call: CallId) -> Result<Option<CallLog>, Failure> {
    let make = || {
        statement(READ)
            .bind(call.uuid())
            .bind(scope.tenant().uuid())
            .bind(scope.organization().map(OrganizationId::uuid))
    };
    let found = store.read::<Both<ListingRow, DetailRow>>(make).await?.into_iter().next();
    found.map(|Both(listing, detail)| detail.into_log(listing)).transpose()
}

impl DetailRow {
    pub(crate) fn into_log(self, listing: ListingRow) -> Result<CallLog, Failure> {
        let unknown = || Failure::impossible("calls", listing.id, "the reason is unknown");
        let ended_reason = match &self.ended_reason {
            Some(reason) => Some(EndedReason::parse(reason).ok_or_else(unknown)?),
            None => None,
        };
        let no_artifact = || Failure::impossible("call_artifacts", listing.id, "the kind is unknown");
        let artifact = |kind: &String| {
            Ok(ArtifactKey {
                tenant: TenantId::from_uuid(self.tenant_id),
                organization: OrganizationId::from_uuid(listing.organization_id),
                call: CallId::from_uuid(listing.id),
                kind: ArtifactKind::parse(kind).ok_or_else(no_artifact)?,
            })
        };
        let artifacts = self.artifacts.iter().map(artifact).collect::<Result<_, Failure>>()?;
        Ok(CallLog {
            listing: listing.into_listing()?,
            ended_reason,
            user_name: self.user_name,
            user_primary_intent: self.user_primary_intent,
            user_sentiment: self.user_sentiment,
            outcome: self.outcome,
            summary: self.summary,
            summary_fr: self.summary_fr,
            artifacts,
        })
    }
}
