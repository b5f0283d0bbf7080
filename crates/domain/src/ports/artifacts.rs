//! Recordings and transcripts as files that may be fetched for a while.

use std::path::PathBuf;
use std::time::Duration;

use async_trait::async_trait;
use time::OffsetDateTime;
use url::Url;

use crate::call::ArtifactKey;

/// How long a signed address works (interface, Call record).
pub const URL_LIFE: Duration = Duration::from_hours(1);

/// What is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArtifactBody {
    /// A file, read in pieces.
    File(PathBuf),
    /// A short text.
    Text(String),
}

/// The artifact store could not be asked, or refused.
#[derive(Debug, thiserror::Error)]
#[error("the artifact store is unavailable")]
pub struct ArtifactsUnavailable(#[source] pub Box<dyn std::error::Error + Send + Sync>);

/// The store of artifacts.
#[async_trait]
pub trait Artifacts: Send + Sync {
    /// Stores it, whole or not at all; again replaces it. Tells how many bytes it has.
    async fn put(&self, key: &ArtifactKey, body: ArtifactBody) -> Result<u64, ArtifactsUnavailable>;

    /// An address that works without a key from `now` on for [`URL_LIFE`].
    async fn sign(&self, key: &ArtifactKey, now: OffsetDateTime) -> Result<Url, ArtifactsUnavailable>;
}
