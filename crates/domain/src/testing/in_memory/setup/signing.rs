//! Signing secrets in memory.

use async_trait::async_trait;
use time::OffsetDateTime;

use super::within;
use crate::audit::{Action, Deed};
use crate::callback::{SigningOverview, SigningSecrets};
use crate::ids::{OrganizationId, SigningSecretId};
use crate::ports::{SetupError, Signing};
use crate::scope::Reach;
use crate::secret::Secret;
use crate::testing::InMemory;
use crate::testing::fixtures::fresh as fresh_id;

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
        replacing: Option<SigningSecretId>,
        fresh: Secret<Vec<u8>>,
        overlap_until: OffsetDateTime,
        deed: Deed,
    ) -> Result<bool, SetupError> {
        let mut state = self.reach()?;
        let own = state.reached(reach, id)?;
        let (owner, name) = (within(own), own.profile.name.clone());
        let entry = state.organizations.get_mut(&id).ok_or(SetupError::Unknown("organization"))?;
        if replacing.is_some_and(|wanted| entry.secret_id != wanted) {
            return Ok(false);
        }
        let old = std::mem::replace(&mut entry.secret, fresh);
        entry.previous = Some((old, overlap_until));
        entry.secret_id = fresh_id().into();
        state.note(&deed, owner, Action::SecretRotate, id, Some(&name));
        Ok(true)
    }

    async fn signing_overview(
        &self,
        reach: Reach,
        id: OrganizationId,
        now: OffsetDateTime,
    ) -> Result<SigningOverview, SetupError> {
        let state = self.reach()?;
        state.reached(reach, id)?;
        let entry = state.organizations.get(&id).ok_or(SetupError::Unknown("organization"))?;
        let previous_until = entry.previous.as_ref().map(|(_, until)| *until).filter(|until| *until > now);
        Ok(SigningOverview { current: entry.secret_id, previous_until })
    }
}
