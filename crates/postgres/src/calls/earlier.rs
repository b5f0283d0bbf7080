//! What an earlier request with the same idempotency key was answered with.

use domain::call::EndedReason;
use domain::idempotency::{Earlier, Once};
use domain::ids::{CallId, ContactId};
use domain::ports::Recorded;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::failure::Failure;
use crate::idempotency::{key_binds, taken};
use crate::statement::{row, statement};
use crate::store::Store;

// A call that was placed has a leg for ever, and one that was not has its reason from the start.
const EARLIER: &str = concat!(
    "
WITH ",
    taken!("outbound"),
    "
SELECT k.fingerprint, o.call_id, o.contact_id, CASE WHEN l.call_id IS NULL THEN c.ended_reason END AS failed
FROM taken k
JOIN outbound_calls o ON o.call_id = k.resource_id
JOIN calls c ON c.id = o.call_id
LEFT JOIN call_legs l ON l.call_id = o.call_id AND l.leg = 1"
);

// The key is ours only as long as it leads to our call. Spelt out, because no index finds
// `IS NOT DISTINCT FROM`.
const GIVE_BACK: &str = "
DELETE FROM idempotency_keys
WHERE tenant_id = $1 AND (organization_id = $2 OR (organization_id IS NULL AND $2 IS NULL))
    AND operation = 'outbound' AND key = $3 AND created_at >= $4 AND resource_id = $5";

row! {
    EarlierRow { fingerprint: Vec<u8>, call_id: Uuid, contact_id: Uuid, failed: Option<String> }
}

pub(super) async fn earlier(
    store: &Store,
    once: &Once,
    now: OffsetDateTime,
) -> Result<Option<Earlier<Recorded>>, Failure> {
    let rows = store.read::<EarlierRow>(|| key_binds(statement(EARLIER), once, now)).await?;
    rows.into_iter().next().map(|row| row.into_earlier(once)).transpose()
}

/// Makes the key of a call that nobody was told of free again.
pub(super) async fn give_back(
    store: &Store,
    once: &Once,
    call: CallId,
    now: OffsetDateTime,
) -> Result<(), Failure> {
    let query = key_binds(statement(GIVE_BACK), once, now).bind(call.uuid());
    store.with(async |connection| query.run(connection).await).await
}

impl EarlierRow {
    fn into_earlier(self, once: &Once) -> Result<Earlier<Recorded>, Failure> {
        if self.fingerprint != once.fingerprint {
            return Ok(Earlier::Different);
        }
        let unknown = || Failure::impossible("calls", self.call_id, "the reason is unknown");
        let failed = self.failed.as_deref().map(|reason| EndedReason::parse(reason).ok_or_else(unknown));
        Ok(Earlier::Same(Recorded {
            call: CallId::from_uuid(self.call_id),
            contact: ContactId::from_uuid(self.contact_id),
            failed: failed.transpose()?,
        }))
    }
}
