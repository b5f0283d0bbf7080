//! A tenant's organizations.

mod create;
mod earlier;
mod page;

pub(crate) use create::adding;
#[cfg(feature = "sql")]
pub(crate) use {create::CREATE, page::PAGE};

use async_trait::async_trait;
use domain::audit::{Action, Deed};
use domain::ids::{OrganizationId, TenantId};
use domain::organization::{Logo, Organization, OrganizationQuery, Revision, Timezone, folded};
use domain::page::Page;
use domain::ports::{
    CreateOrganizationError, Created, NewOrganization, Organizations, Reachable, StoreUnavailable,
};
use domain::scope::{Reach, Scope};
use uuid::Uuid;

use crate::audit::entry;
use crate::rows::{Both, OrganizationRow, organization_columns};
use crate::statement::{reached, row, statement};
use crate::store::Store;

// The two sorted branches are merged; nobody's list is read for an organization that is not there.
pub(crate) const READ: &str = concat!(
    "SELECT true AS asked, ",
    organization_columns!(),
    " FROM organizations o WHERE o.id = $2 AND o.tenant_id = $1 AND ($3 IS NULL OR o.id = $3) UNION ALL SELECT false AS asked, ",
    organization_columns!(),
    " FROM organizations o WHERE o.tenant_id = $1 AND ($3 IS NULL OR o.id = $3) AND o.deleted_at IS NULL \
        AND (SELECT true FROM organizations p WHERE p.id = $2 AND p.tenant_id = $1) \
      ORDER BY created_at, id"
);

const FIND: &str = concat!(
    "SELECT ",
    organization_columns!(),
    " FROM organizations o WHERE o.id = $2 AND o.tenant_id = $1 AND o.deleted_at IS NULL"
);

const REVISE: &str = concat!(
    "UPDATE organizations o SET name = $3, name_folded = $4, email = $5, \
         address = COALESCE($6, o.address), city = COALESCE($7, o.city), \
         state_province = COALESCE($8, o.state_province), postal_code = COALESCE($9, o.postal_code), \
         country = COALESCE($10, o.country), phone_number = COALESCE($11, o.phone_number), \
         timezone = COALESCE($12, o.timezone), last_modified_by = $13, updated_at = $14, \
         image = CASE WHEN $15 THEN $16 ELSE o.image END \
     WHERE o.id = $2 AND o.tenant_id = $1 AND ($17 IS NULL OR o.id = $17) AND o.deleted_at IS NULL RETURNING ",
    organization_columns!()
);

const REMOVE: &str = "
UPDATE organizations SET deleted_at = $5, updated_at = $5, last_modified_by = $4
WHERE id = $1 AND ($2 IS NULL OR tenant_id = $2) AND ($3 IS NULL OR id = $3) AND deleted_at IS NULL
RETURNING tenant_id AS removed_tenant_id, name AS removed_name";

row! {
    /// Whether this is the organization that was asked for, or one of all.
    Asked { asked: bool }
}

row! {
    Removed { removed_tenant_id: Uuid, removed_name: String }
}

#[async_trait]
impl Organizations for Store {
    async fn create(&self, new: NewOrganization) -> Result<Created, CreateOrganizationError> {
        match create::create(self, new).await {
            // Beside the tenant it refers to what it makes itself, and to the organization of its own key.
            Err(failure) if failure.is_foreign_key() => Err(CreateOrganizationError::UnknownTenant),
            other => Ok(other.map_err(StoreUnavailable::from)?),
        }
    }

    async fn page(
        &self,
        scope: Scope,
        query: &OrganizationQuery,
    ) -> Result<Page<Organization>, StoreUnavailable> {
        match scope {
            Scope::Tenant(tenant) => Ok(page::page(self, tenant, query).await?),
            Scope::Organization(_, id) => {
                let own = Organizations::read(self, scope, id).await?.map(|found| found.current);
                Ok(page::of_one(own, query))
            }
        }
    }

    async fn read(&self, scope: Scope, id: OrganizationId) -> Result<Option<Reachable>, StoreUnavailable> {
        let asking = statement(READ)
            .bind(scope.tenant().uuid())
            .bind(id.uuid())
            .bind(scope.organization().map(OrganizationId::uuid));
        let rows = self.list::<Both<Asked, OrganizationRow>>(asking).await?;
        let mut current = None;
        let mut all = Vec::with_capacity(rows.len());
        for Both(which, row) in rows {
            let organization = row.into_organization()?;
            if which.asked {
                current = Some(organization);
            } else {
                all.push(organization);
            }
        }
        Ok(current.map(|current| Reachable { current, all }))
    }

    async fn find(&self, scope: Scope, id: OrganizationId) -> Result<Option<Organization>, StoreUnavailable> {
        if !scope.covers(scope.tenant(), id) {
            return Ok(None);
        }
        let asking = || statement(FIND).bind(scope.tenant().uuid()).bind(id.uuid());
        let row = self.read::<OrganizationRow>(asking).await?.into_iter().next();
        Ok(row.map(OrganizationRow::into_organization).transpose()?)
    }

    async fn revise(
        &self,
        scope: Scope,
        id: OrganizationId,
        revision: Revision,
        deed: Deed,
    ) -> Result<Option<Organization>, StoreUnavailable> {
        let (new_logo, image) = match revision.logo {
            Logo::Stays => (false, None),
            Logo::Goes => (true, None),
            Logo::Becomes(image) => (true, Some(image)),
        };
        let writing = statement(REVISE)
            .bind(scope.tenant().uuid())
            .bind(id.uuid())
            .bind(revision.name.clone())
            .bind(folded(&revision.name))
            .bind(revision.email)
            .bind(revision.address)
            .bind(revision.city)
            .bind(revision.state_province)
            .bind(revision.postal_code)
            .bind(revision.country)
            .bind(revision.phone_number)
            .bind(revision.timezone.map(Timezone::as_str))
            .bind(deed.actor.id())
            .bind(deed.at)
            .bind(new_logo)
            .bind(image)
            .bind(scope.organization().map(OrganizationId::uuid));
        let within = Scope::Organization(scope.tenant(), id);
        let note =
            |row: &OrganizationRow| entry(&deed, within, Action::OrganizationUpdate, id, Some(&row.name));
        let row = self.audited(writing, note).await?;
        Ok(row.map(OrganizationRow::into_organization).transpose()?)
    }

    async fn remove(&self, reach: Reach, id: OrganizationId, deed: Deed) -> Result<bool, StoreUnavailable> {
        let removing = reached(statement(REMOVE).bind(id.uuid()), reach).bind(deed.actor.id()).bind(deed.at);
        let note = |row: &Removed| {
            let within = Scope::Organization(TenantId::from_uuid(row.removed_tenant_id), id);
            entry(&deed, within, Action::OrganizationDelete, id, Some(&row.removed_name))
        };
        Ok(self.audited(removing, note).await?.is_some())
    }
}
