//! What signs an organization's callbacks.

use async_trait::async_trait;
use time::OffsetDateTime;

use super::SetupError;
use crate::audit::Deed;
use crate::callback::{SigningOverview, SigningSecrets};
use crate::ids::{OrganizationId, SigningSecretId};
use crate::scope::Reach;
use crate::secret::Secret;

/// The signing secrets of organizations, deleted ones included: callbacks may still be due.
#[async_trait]
pub trait Signing: Send + Sync {
    /// The secrets in force at the time of the deed, which is noted: whoever sees them can sign.
    async fn show_signing_secrets(
        &self,
        reach: Reach,
        id: OrganizationId,
        deed: Deed,
    ) -> Result<SigningSecrets, SetupError>;

    /// Puts a new signing secret in force; the old one signs beside it until `overlap_until`. When
    /// `replacing` is named, only in its place: `false` when another is in force, and nothing was done.
    async fn rotate_signing_secret(
        &self,
        reach: Reach,
        id: OrganizationId,
        replacing: Option<SigningSecretId>,
        fresh: Secret<Vec<u8>>,
        overlap_until: OffsetDateTime,
        deed: Deed,
    ) -> Result<bool, SetupError>;

    /// Which secret is in force, and how long the one before still signs; nothing is noted.
    async fn signing_overview(
        &self,
        reach: Reach,
        id: OrganizationId,
        now: OffsetDateTime,
    ) -> Result<SigningOverview, SetupError>;
}
