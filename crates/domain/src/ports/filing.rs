//! Filing the records of calls in the store.

use async_trait::async_trait;
use time::OffsetDateTime;

use super::StoreUnavailable;
use crate::call::{ArtifactKind, CallFacts, TranscriptEntry};
use crate::ids::{CallId, OrganizationId, TenantId};

/// Whose a call is: where its artifacts go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The tenant.
    pub tenant: TenantId,
    /// The organization.
    pub organization: OrganizationId,
}

/// The store of transcripts, and of where artifacts are.
#[async_trait]
pub trait Filing: Send + Sync {
    /// Files what was said and makes its analysis due, together; again changes nothing. Tells whose the
    /// call is; none when there is no such call.
    async fn file_transcript(
        &self,
        call: CallId,
        transcript: &[TranscriptEntry],
        facts: &CallFacts,
        at: OffsetDateTime,
    ) -> Result<Option<Owner>, StoreUnavailable>;

    /// Notes that an artifact is stored: from here on the record shows it. Again changes nothing.
    async fn file_artifact(
        &self,
        call: CallId,
        kind: ArtifactKind,
        bytes: u64,
        at: OffsetDateTime,
    ) -> Result<(), StoreUnavailable>;
}
