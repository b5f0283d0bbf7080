//! Where a call stands: one prepared statement on a shared connection.

use domain::call::{CallStatus, Ended, EndedReason, OutboundStatus};
use domain::ids::{CallId, ContactId, OrganizationId};
use domain::scope::Scope;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::failure::Failure;
use crate::statement::{row, statement};
use crate::store::Store;

pub(crate) const STATUS: &str = "
SELECT o.call_id, o.contact_id, o.status, c.started_at, c.ended_at, c.ended_reason
FROM outbound_calls o JOIN calls c ON c.id = o.call_id
WHERE o.call_id = $1 AND o.tenant_id = $2 AND ($3 IS NULL OR o.organization_id = $3)";

row! {
    StatusRow {
        call_id: Uuid,
        contact_id: Uuid,
        status: String,
        started_at: Option<OffsetDateTime>,
        ended_at: Option<OffsetDateTime>,
        ended_reason: Option<String>,
    }
}

pub(super) async fn status(
    store: &Store,
    scope: Scope,
    call: CallId,
) -> Result<Option<OutboundStatus>, Failure> {
    let make = || {
        statement(STATUS)
            .bind(call.uuid())
            .bind(scope.tenant().uuid())
            .bind(scope.organization().map(OrganizationId::uuid))
    };
    store.read::<StatusRow>(make).await?.into_iter().next().map(StatusRow::into_status).transpose()
}

impl StatusRow {
    fn into_status(self) -> Result<OutboundStatus, Failure> {
        let broken = |why| Failure::impossible("outbound_calls", self.call_id, why);
        let status = CallStatus::parse(&self.status).ok_or_else(|| broken("the status is unknown"))?;
        let details = match (status, self.ended_at, self.ended_reason.as_deref()) {
            (CallStatus::Calling, None, None) => None,
            (CallStatus::Calling, ..) => return Err(broken("a live call has an end")),
            (_, Some(ended_at), Some(reason)) => {
                let reason = EndedReason::parse(reason).ok_or_else(|| broken("the reason is unknown"))?;
                let ended = Ended { reason, started_at: self.started_at, ended_at };
                if ended.status() != status {
                    return Err(broken("status and reason do not fit"));
                }
                Some(ended.details())
            }
            _ => return Err(broken("a final call has no end")),
        };
        Ok(OutboundStatus {
            call: CallId::from_uuid(self.call_id),
            contact: ContactId::from_uuid(self.contact_id),
            status,
            details,
        })
    }
}
