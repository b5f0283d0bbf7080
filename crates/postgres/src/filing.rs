//! Filing what calls leave: transcripts, with their analyses due, and which artifacts are stored.

use async_trait::async_trait;
use domain::call::{ArtifactKind, CallFacts, TranscriptEntry};
use domain::ids::{CallId, OrganizationId, TenantId};
use domain::ports::{Filing, Owner, StoreUnavailable};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::rows::{entries_json, facts_json};
use crate::statement::{row, statement};
use crate::store::Store;

// An analysis is due as soon as there is a transcript, and only once.
const FILE_TRANSCRIPT: &str = "
WITH call AS (
    SELECT id, tenant_id, organization_id FROM calls WHERE id = $1
), filed AS (
    INSERT INTO call_transcripts (call_id, entries, facts, created_at)
    SELECT id, $2, $3, $4 FROM call
    ON CONFLICT (call_id) DO NOTHING
    RETURNING call_id
), due AS (
    INSERT INTO analyses (call_id, due_at) SELECT call_id, $4 FROM filed
)
SELECT tenant_id, organization_id FROM call";

const FILE_ARTIFACT: &str = "
INSERT INTO call_artifacts (call_id, kind, bytes, stored_at)
SELECT id, $2, $3, $4 FROM calls WHERE id = $1
ON CONFLICT (call_id, kind) DO NOTHING";

row! {
    OwnerRow { tenant_id: Uuid, organization_id: Uuid }
}

#[async_trait]
impl Filing for Store {
    async fn file_transcript(
        &self,
        call: CallId,
        transcript: &[TranscriptEntry],
        facts: &CallFacts,
        at: OffsetDateTime,
    ) -> Result<Option<Owner>, StoreUnavailable> {
        let filing = statement(FILE_TRANSCRIPT)
            .bind(call.uuid())
            .bind(entries_json(transcript))
            .bind(facts_json(facts))
            .bind(at);
        let owner = self.write::<OwnerRow>(filing).await?.into_iter().next();
        Ok(owner.map(|owner| Owner {
            tenant: TenantId::from_uuid(owner.tenant_id),
            organization: OrganizationId::from_uuid(owner.organization_id),
        }))
    }

    async fn file_artifact(
        &self,
        call: CallId,
        kind: ArtifactKind,
        bytes: u64,
        at: OffsetDateTime,
    ) -> Result<(), StoreUnavailable> {
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        let filing = statement(FILE_ARTIFACT).bind(call.uuid()).bind(kind.as_str()).bind(bytes).bind(at);
        Ok(self.with(async |connection| filing.run(connection).await).await?)
    }
}
