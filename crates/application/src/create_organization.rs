//! Creating an organization: its id, its owner, and the secret that signs its callbacks.

use std::sync::Arc;

use domain::audit::Deed;
use domain::idempotency::{Earlier, Once};
use domain::ids::{NewId, TenantId};
use domain::organization::{Organization, Profile};
use domain::ports::{CreateOrganizationError, Created, Entropy, NewOrganization, Organizations};
use domain::secret::Secret;

/// Bytes of a signing secret: 256 bits, as Standard Webhooks asks for (24 to 64 bytes).
const SIGNING_SECRET_BYTES: usize = 32;

/// What became of a creation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CreatedOrganization {
    /// It is there.
    Fresh(Organization),
    /// An earlier request with the same idempotency key created this one.
    Replayed(Organization),
    /// The idempotency key belongs to an earlier request that asked for something else.
    KeyTaken,
}

/// Creates organizations.
pub struct CreateOrganization {
    /// Records them.
    pub organizations: Arc<dyn Organizations>,
    /// Makes ids and secrets unpredictable.
    pub entropy: Arc<dyn Entropy>,
}

impl CreateOrganization {
    /// Creates an organization that is owned by whoever does it.
    pub async fn create(
        &self,
        tenant: TenantId,
        profile: Profile,
        deed: Deed,
        once: Option<Once>,
    ) -> Result<CreatedOrganization, CreateOrganizationError> {
        let organization = self.organization(tenant, profile, &deed);
        let new = NewOrganization {
            organization: organization.clone(),
            signing_secret: signing_secret(self.entropy.as_ref()),
            once,
            deed,
        };
        Ok(match self.organizations.create(new).await? {
            Created::Fresh => CreatedOrganization::Fresh(organization),
            Created::Earlier(Earlier::Same(earlier)) => CreatedOrganization::Replayed(*earlier),
            Created::Earlier(Earlier::Different) => CreatedOrganization::KeyTaken,
        })
    }

    fn organization(&self, tenant: TenantId, profile: Profile, deed: &Deed) -> Organization {
        let (now, by) = (deed.at, deed.actor.id());
        let mut random = [0; 10];
        self.entropy.fill(&mut random);
        Organization {
            id: NewId::at(now, random).into(),
            tenant,
            profile,
            owner_id: by.clone(),
            created_by: by,
            last_modified_by: None,
            created_at: now,
            updated_at: now,
            deleted_at: None,
        }
    }
}

/// A fresh secret that signs an organization's callbacks.
pub fn signing_secret(entropy: &dyn Entropy) -> Secret<Vec<u8>> {
    let mut bytes = vec![0; SIGNING_SECRET_BYTES];
    entropy.fill(&mut bytes);
    Secret::new(bytes)
}
