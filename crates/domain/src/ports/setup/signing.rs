//! What signs an organization's callbacks.

use async_trait::async_trait;
use time::OffsetDateTime;

use super::SetupError;
use crate::audit::Deed;
use crate::callback::SigningSecrets;
use crate::ids::OrganizationId;
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

    /// Puts a new signing secret in force; the old one signs beside it until `overlap_until`.
    async fn rotate_signing_secret(
        &self,
        reach: Reach,
        id: OrganizationId,
        fresh: Secret<Vec<u8>>,
        overlap_until: OffsetDateTime,
        deed: Deed,
    ) -> Result<(), SetupError>;
}
