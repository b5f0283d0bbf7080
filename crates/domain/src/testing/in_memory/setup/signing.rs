//! Signing secrets in memory.

use async_trait::async_trait;
use time::OffsetDateTime;

use super::within;
use crate::audit::{Action, Deed};
use crate::callback::SigningSecrets;
use crate::ids::OrganizationId;
use crate::ports::{SetupError, Signing};
use crate::scope::Reach;
use crate::secret::Secret;
use crate::testing::InMemory;

#[async_trait]
impl Signing for InMemory {
    async fn show_signing_secrets(
        &self,
        reach: Reach,
        id: OrganizationId,
        deed: Deed,
    ) -> Result<SigningSecrets, SetupError> {
        let mut state = self.reach()?;
        let own = state.reached(reach, id)?;
        let (owner, name) = (within(own), own.profile.name.clone());
        let entry = state.organizations.get(&id).ok_or(SetupError::Unknown("organization"))?;
        let secrets = entry.secrets_at(deed.at);
        state.note(&deed, owner, Action::SecretShow, id, Some(&name));
        Ok(secrets)
    }

    async fn rotate_signing_secret(
        &self,
        reach: Reach,
        id: OrganizationId,
        fresh: Secret<Vec<u8>>,
        overlap_until: OffsetDateTime,
        deed: Deed,
    ) -> Result<(), SetupError> {
        let mut state = self.reach()?;
        let own = state.reached(reach, id)?;
        let (owner, name) = (within(own), own.profile.name.clone());
        let entry = state.organizations.get_mut(&id).ok_or(SetupError::Unknown("organization"))?;
        let old = std::mem::replace(&mut entry.secret, fresh);
        entry.previous = Some((old, overlap_until));
        state.note(&deed, owner, Action::SecretRotate, id, Some(&name));
        Ok(())
    }
}
