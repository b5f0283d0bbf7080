//! Replacing an organization's metadata: what is stored was judged by the schema in force.

use std::sync::Arc;

use domain::audit::Deed;
use domain::ids::OrganizationId;
use domain::metadata::MetadataRecord;
use domain::ports::{
    CannotJudge, Judgement, MetadataRecords, Replaced, Replacement, SchemaJudge, StoreUnavailable,
};
use domain::schema::Mismatch;
use domain::scope::Scope;
use serde_json::{Map, Value};

/// The schema may change so often while data is judged; operators change it by hand.
const JUDGEMENTS_MAX: usize = 5;

/// Why nothing was replaced.
#[derive(Debug, thiserror::Error)]
pub enum ReplaceMetadataError {
    /// There is no such live organization within the scope.
    #[error("organization not found")]
    NotFound,
    /// The data does not match the schema, for this reason.
    #[error("the metadata does not match the schema: {0}")]
    Breaks(Mismatch),
    /// Somebody wrote another version since the one that was seen.
    #[error("another version was written meanwhile")]
    Overtaken,
    /// The schema changed each time that the data had been judged.
    #[error("the schema keeps changing")]
    SchemaKeepsChanging,
    /// See [`CannotJudge`].
    #[error(transparent)]
    CannotJudge(#[from] CannotJudge),
    /// See [`StoreUnavailable`].
    #[error(transparent)]
    Store(#[from] StoreUnavailable),
}

/// Replaces metadata records.
pub struct ReplaceMetadata {
    /// Keeps records and schemas.
    pub records: Arc<dyn MetadataRecords>,
    /// Judges data by schemas.
    pub judge: Arc<dyn SchemaJudge>,
}

impl ReplaceMetadata {
    /// Adds a version to the record of an organization; only after the version `seen`, if there is one.
    pub async fn replace(
        &self,
        scope: Scope,
        organization: OrganizationId,
        metadata: Map<String, Value>,
        seen: Option<u32>,
        deed: Deed,
    ) -> Result<MetadataRecord, ReplaceMetadataError> {
        for _ in 0..JUDGEMENTS_MAX {
            let schema = self.records.schema(scope, organization).await?;
            let schema = schema.ok_or(ReplaceMetadataError::NotFound)?;
            let judged_by = schema.id;
            if let Judgement::Breaks(reason) = self.judge.judge(schema, metadata.clone()).await? {
                return Err(ReplaceMetadataError::Breaks(reason));
            }
            let replacement =
                Replacement { organization, metadata: metadata.clone(), judged_by, seen, deed: deed.clone() };
            match self.records.replace(scope, replacement).await? {
                Replaced::Done(record) => return Ok(record),
                Replaced::Unknown => return Err(ReplaceMetadataError::NotFound),
                Replaced::Overtaken => return Err(ReplaceMetadataError::Overtaken),
                Replaced::SchemaChanged => {}
            }
        }
        Err(ReplaceMetadataError::SchemaKeepsChanging)
    }
}
