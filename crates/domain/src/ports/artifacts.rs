//! Recordings and transcripts as files that may be fetched for a while.

use std::fs::File;
use std::path::PathBuf;
use std::time::Duration;

use async_trait::async_trait;
use time::OffsetDateTime;
use url::{Origin, Url};

use crate::call::{ArtifactKey, ArtifactKind};

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

    /// Where all signed addresses lead, for pages that say beforehand what they load.
    fn origin(&self) -> Origin;
}

/// What is behind a signed address.
#[derive(Debug)]
pub enum Opened {
    /// The file, open for reading: what replaces it later changes nothing of what is read.
    File {
        /// What it is.
        kind: ArtifactKind,
        /// Its bytes.
        file: File,
    },
    /// Nobody signed this, or its hour is over; whether there is a file does not show.
    Forbidden,
    /// It is signed, but no longer there, or on another node.
    Missing,
}

/// Artifacts that this installation serves itself, where the store does not.
#[async_trait]
pub trait SignedFiles: Send + Sync {
    /// Opens what [`Artifacts::sign`] made an address for; all texts as they were in the request.
    async fn open(
        &self,
        path: &str,
        expires: &str,
        signature: &str,
        now: OffsetDateTime,
    ) -> Result<Opened, ArtifactsUnavailable>;
}
