//! Recordings and transcripts as files that may be fetched for an hour.
//!
//! [`LocalArtifacts`] keeps them on the local disk; the HTTP interface serves them behind addresses that
//! this crate signs and checks. [`S3Artifacts`] keeps them in a bucket of S3, or of whatever speaks its
//! language, and signs addresses that lead there.

mod local;
mod s3;

pub use local::LocalArtifacts;
pub use s3::{BadSettings, S3Artifacts, Settings as S3Settings};

use domain::ports::ArtifactsUnavailable;

/// Wraps the cause, which is for the log only.
fn unavailable(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> ArtifactsUnavailable {
    ArtifactsUnavailable(cause.into())
}
