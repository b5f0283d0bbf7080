//! A tenant's organizations in memory.

use std::cmp::Ordering;

use async_trait::async_trait;
use serde_json::Map;
use uuid::Uuid;

use super::{InMemory, OrganizationEntry, State};
use crate::audit::{Action, Deed};
use crate::ids::{MetadataId, OrganizationId};
use crate::metadata::MetadataRecord;
use crate::organization::{Organization, OrganizationField, OrganizationQuery, Profile, Revision, folded};
use crate::page::Page;
use crate::ports::{
    CreateOrganizationError, Created, NewOrganization, Organizations, Reachable, ReviseError, Seen,
    StoreUnavailable,
};
use crate::scope::{Reach, Scope};
use crate::secret::Secret;

#[async_trait]
impl Organizations for InMemory {
    async fn create(&self, new: NewOrganization) -> Result<Created, CreateOrganizationError> {
        let mut state = self.reach()?;
        let NewOrganization { organization, signing_secret, once, deed } = new;
        if !state.tenants.contains_key(&organization.tenant) {
            return Err(CreateOrganizationError::UnknownTenant);
        }
        let at = organization.created_at;
        if let Some(earlier) = once.as_ref().and_then(|once| state.created.earlier(once, at)) {
            return Ok(Created::Earlier(earlier));
        }
        if state.organizations.contains_key(&organization.id) {
            return Err(StoreUnavailable::because("the id is known already").into());
        }
        if let Some(once) = once {
            state.created.keep(once, at, Box::new(organization.clone()));
        }
        let (within, name) =
            (Scope::Organization(organization.tenant, organization.id), &organization.profile.name);
        state.note(&deed, within, Action::OrganizationCreate, organization.id, Some(name));
        let entry = OrganizationEntry::new(organization, signing_secret);
        state.organizations.insert(entry.organization.id, entry);
        Ok(Created::Fresh)
    }

    async fn page(
        &self,
        scope: Scope,
        query: &OrganizationQuery,
    ) -> Result<Page<Organization>, StoreUnavailable> {
        let state = self.reach()?;
        let wanted = query.search.as_deref().map(folded);
        let mut found: Vec<_> = state
            .live_organizations(scope)
            .filter(|own| wanted.as_ref().is_none_or(|part| folded(&own.profile.name).contains(part)))
            .collect();
        found.sort_by(|one, other| {
            let order = compare(query.sort, one, other).then(one.id.cmp(&other.id));
            if query.descending { order.reverse() } else { order }
        });
        let before = usize::try_from(query.page.offset()).unwrap_or(usize::MAX);
        let size = usize::try_from(query.page.size).unwrap_or(usize::MAX);
        let total = found.len().try_into().unwrap_or(u64::MAX);
        Ok(Page { items: found.into_iter().skip(before).take(size).cloned().collect(), total })
    }

    async fn read(&self, scope: Scope, id: OrganizationId) -> Result<Option<Reachable>, StoreUnavailable> {
        let state = self.reach()?;
        let entry = state.organizations.get(&id);
        let entry = entry.filter(|entry| scope.covers(entry.organization.tenant, id));
        Ok(entry.map(|entry| {
            let mut all: Vec<_> = state.live_organizations(scope).cloned().collect();
            all.sort_by_key(|own| (own.created_at, own.id));
            Reachable { current: entry.organization.clone(), all }
        }))
    }

    async fn find(&self, scope: Scope, id: OrganizationId) -> Result<Option<Organization>, StoreUnavailable> {
        let state = self.reach()?;
        let found = state.live_organizations(scope).find(|own| own.id == id);
        Ok(found.cloned())
    }

    async fn revise(
        &self,
        scope: Scope,
        id: OrganizationId,
        revision: Revision,
        seen: Option<Seen<Profile>>,
        deed: Deed,
    ) -> Result<Organization, ReviseError> {
        let mut state = self.reach()?;
        let entry = state.live_entry(Reach::Within(scope), id).ok_or(ReviseError::Unknown("organization"))?;
        let own = &mut entry.organization;
        let revised = own.profile.revised(revision);
        if seen.is_some_and(|seen| seen.misses(&own.profile, Some(&revised))) {
            return Err(ReviseError::Overtaken);
        }
        own.profile = revised;
        own.updated_at = deed.at;
        own.last_modified_by = Some(deed.actor.id());
        let own = own.clone();
        let within = Scope::Organization(own.tenant, id);
        state.note(&deed, within, Action::OrganizationUpdate, id, Some(&own.profile.name));
        Ok(own)
    }

    async fn remove(&self, reach: Reach, id: OrganizationId, deed: Deed) -> Result<bool, StoreUnavailable> {
        let mut state = self.reach()?;
        let Some(entry) = state.live_entry(reach, id) else { return Ok(false) };
        let own = &mut entry.organization;
        own.deleted_at = Some(deed.at);
        own.updated_at = deed.at;
        own.last_modified_by = Some(deed.actor.id());
        let (within, name) = (Scope::Organization(own.tenant, id), own.profile.name.clone());
        state.note(&deed, within, Action::OrganizationDelete, id, Some(&name));
        Ok(true)
    }
}

fn compare(by: OrganizationField, one: &Organization, other: &Organization) -> Ordering {
    let (left, right) = (&one.profile, &other.profile);
    match by {
        OrganizationField::CreatedAt => one.created_at.cmp(&other.created_at),
        OrganizationField::UpdatedAt => one.updated_at.cmp(&other.updated_at),
        OrganizationField::Name => left.name.cmp(&right.name),
        OrganizationField::Email => left.email.cmp(&right.email),
        OrganizationField::City => left.city.cmp(&right.city),
        OrganizationField::Country => left.country.cmp(&right.country),
    }
}

impl OrganizationEntry {
    /// A new organization with its first secret and its metadata record.
    pub(super) fn new(organization: Organization, secret: Secret<Vec<u8>>) -> Self {
        let metadata = MetadataRecord {
            // As unique as the organization's own: there is no randomness here.
            id: MetadataId::from_uuid(Uuid::from_u128(!organization.id.uuid().as_u128())),
            organization: organization.id,
            version: 1,
            metadata: Map::new(),
            created_at: organization.created_at,
            created_by: organization.created_by.clone(),
        };
        let secret_id = crate::testing::fixtures::fresh().into();
        Self { organization, secret, secret_id, previous: None, metadata }
    }
}

impl State {
    fn live_organizations(&self, scope: Scope) -> impl Iterator<Item = &Organization> {
        let all = self.organizations.values().map(|entry| &entry.organization);
        all.filter(move |own| scope.covers(own.tenant, own.id) && own.is_active())
    }

    /// A live organization within reach.
    pub(super) fn live_entry(&mut self, reach: Reach, id: OrganizationId) -> Option<&mut OrganizationEntry> {
        let entry = self.organizations.get_mut(&id);
        entry.filter(|entry| reach.covers(entry.organization.tenant, id) && entry.organization.is_active())
    }
}
