//! An organization's metadata record, and the schema that it has to match.

use serde_json::{Map, Value, json};
use time::OffsetDateTime;

use crate::ids::{MetadataId, OrganizationId, SchemaId, TenantId};

/// One version of an organization's metadata record (interface, Organization metadata record).
#[derive(Clone, Debug, PartialEq)]
pub struct MetadataRecord {
    /// The record's identity: the same for all its versions.
    pub id: MetadataId,
    /// The organization that it belongs to.
    pub organization: OrganizationId,
    /// From 1, and one more with each replace.
    pub version: u32,
    /// The data itself.
    pub metadata: Map<String, Value>,
    /// When this version was written.
    pub created_at: OffsetDateTime,
    /// The id of the key or user that wrote this version, or `operator`.
    pub created_by: String,
}

/// Whose metadata a schema judges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SchemaOwner {
    /// Every organization of the tenant that has no schema of its own.
    Tenant(TenantId),
    /// One organization.
    Organization(OrganizationId),
}

/// A schema as it is in force (JSON Schema 2020-12).
#[derive(Clone, Debug, PartialEq)]
pub struct StoredSchema {
    /// Changes with the document; none for the schema that is in force when none was stored.
    pub id: Option<SchemaId>,
    /// The schema's document.
    pub document: Value,
}

impl StoredSchema {
    /// What is in force when neither the organization nor its tenant has a schema: any object.
    pub fn any_object() -> Self {
        Self { id: None, document: json!({ "type": "object" }) }
    }
}
