//! Metadata records, and the schemas that judge them.

use async_trait::async_trait;
use serde_json::{Map, Value};

use super::{ReviseError, Seen, SetupError, StoreUnavailable};
use crate::audit::Deed;
use crate::ids::{OrganizationId, SchemaId};
use crate::metadata::{MetadataRecord, SchemaOwner, StoredSchema};
use crate::schema::{Mismatch, UnsafeSchema};
use crate::scope::{Reach, Scope};

/// A metadata record's next version.
#[derive(Clone, Debug)]
pub struct Replacement {
    /// Whose record it is.
    pub organization: OrganizationId,
    /// The new data, judged fit.
    pub metadata: Map<String, Value>,
    /// By which schema it was judged.
    pub judged_by: Option<SchemaId>,
    /// The version that the writer has seen, where it matters to them.
    pub seen: Option<u32>,
    /// Who writes it.
    pub deed: Deed,
}

/// What became of a replacement.
#[derive(Clone, Debug, PartialEq)]
pub enum Replaced {
    /// This is the new version.
    Done(MetadataRecord),
    /// Another schema came into force since the data was judged: nothing was written.
    SchemaChanged,
    /// Somebody wrote another version since the one that was seen: nothing was written.
    Overtaken,
    /// There is no such live organization.
    Unknown,
}

/// The metadata records. History is kept; only the newest version is read.
#[async_trait]
pub trait MetadataRecords: Send + Sync {
    /// The newest version of a live organization's record.
    async fn read_metadata(
        &self,
        scope: Scope,
        organization: OrganizationId,
    ) -> Result<Option<MetadataRecord>, StoreUnavailable>;

    /// The schema in force for a live organization: its own, else the tenant's, else
    /// [`StoredSchema::any_object`]. None when there is no such organization.
    async fn schema(
        &self,
        scope: Scope,
        organization: OrganizationId,
    ) -> Result<Option<StoredSchema>, StoreUnavailable>;

    /// Adds a version, while the schema that judged it is still in force and the version that was seen
    /// is the newest. Versions have no gaps,
    /// however many come at once.
    async fn replace(&self, scope: Scope, replacement: Replacement) -> Result<Replaced, StoreUnavailable>;
}

/// The schemas. A tenant's own is out of reach for whoever is limited to an organization.
#[async_trait]
pub trait StoredSchemas: Send + Sync {
    /// Puts a schema in force under a fresh id, in place of the owner's earlier one, if the one in force
    /// is still what was `seen`, if anything was. Unknown owners and deleted organizations are refused,
    /// and so is what is out of reach.
    async fn put(
        &self,
        reach: Reach,
        owner: SchemaOwner,
        id: SchemaId,
        document: Value,
        seen: Option<Seen<Value>>,
        deed: Deed,
    ) -> Result<(), ReviseError>;

    /// The schema in force for the owner: what [`MetadataRecords::schema`] would say.
    async fn get(&self, reach: Reach, owner: SchemaOwner) -> Result<StoredSchema, SetupError>;
}

/// Whether data matches a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// It does.
    Fits,
    /// It does not, for this reason.
    Breaks(Mismatch),
}

/// Data could not be judged: the stored schema is broken, or the judge is.
#[derive(Debug, thiserror::Error)]
#[error("the schema cannot be applied")]
pub struct CannotJudge(#[source] pub Box<dyn std::error::Error + Send + Sync>);

/// Judges schemas, and data by schemas; never on the caller's thread for long.
#[async_trait]
pub trait SchemaJudge: Send + Sync {
    /// Whether a document may be stored: a valid schema that cannot be made to cost too much, nor
    /// to reach outside.
    async fn examine(&self, document: Value) -> Result<(), UnsafeSchema>;

    /// Judges data by a stored schema.
    async fn judge(
        &self,
        schema: StoredSchema,
        metadata: Map<String, Value>,
    ) -> Result<Judgement, CannotJudge>;
}
