//! A tenant's organizations.

mod create;
mod earlier;
mod page;

pub(crate) use create::adding;
#[cfg(feature = "sql")]
pub(crate) use {create::CREATE, page::PAGE};

use async_trait::async_trait;
use diesel_async::AsyncConnection;
use domain::audit::{Action, Deed};
use domain::ids::{OrganizationId, TenantId};
use domain::organization::{Organization, OrganizationQuery, Profile, Revision, folded};
use domain::page::Page;
use domain::ports::{
    CreateOrganizationError, Created, NewOrganization, Organizations, Reachable, ReviseError, Seen,
    StoreUnavailable,
};
use domain::scope::{Reach, Scope};
use uuid::Uuid;

use crate::audit::entry;
use crate::failure::Failure;
use crate::rows::{Both, OrganizationRow, organization_columns};
use crate::statement::{Statement, reached, row, statement};
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

const LOCK: &str = concat!(
    "SELECT ",
    organization_columns!(),
    " FROM organizations o \
      WHERE o.id = $2 AND o.tenant_id = $1 AND ($3 IS NULL OR o.id = $3) AND o.deleted_at IS NULL \
      FOR NO KEY UPDATE"
);

const REVISE: &str = "
UPDATE organizations SET name = $2, name_folded = $3, email = $4, image = $5, address = $6, city = $7,
    state_province = $8, postal_code = $9, country = $10, phone_number = $11, timezone = $12,
    last_modified_by = $13, updated_at = $14
WHERE id = $1";

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
        seen: Option<Seen<Profile>>,
        deed: Deed,
    ) -> Result<Organization, ReviseError> {
        let looking = statement(LOCK)
            .bind(scope.tenant().uuid())
            .bind(id.uuid())
            .bind(scope.organization().map(OrganizationId::uuid));
        let revised = self
            .with(async |connection| {
                connection
                    .transaction::<_, Failure, _>(async |connection| {
                        let rows = looking.rows::<OrganizationRow>(connection).await?;
                        let Some(row) = rows.into_iter().next() else {
                            return Ok(Err(ReviseError::Unknown("organization")));
                        };
                        let mut own = row.into_organization()?;
                        let profile = own.profile.revised(revision);
                        if seen.is_some_and(|seen| seen.misses(&own.profile, Some(&profile))) {
                            return Ok(Err(ReviseError::Overtaken));
                        }
                        own.profile = profile;
                        own.last_modified_by = Some(deed.actor.id());
                        own.updated_at = deed.at;
                        revising(&own).run(connection).await?;
                        let within = Scope::Organization(own.tenant, id);
                        let name = Some(own.profile.name.as_str());
                        entry(&deed, within, Action::OrganizationUpdate, id, name)?.run(connection).await?;
                        Ok(Ok(own))
                    })
                    .await
            })
            .await;
        revised.map_err(StoreUnavailable::from)?
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

/// Writes an organization's profile, and who changed it when.
fn revising(own: &Organization) -> Statement {
    let profile = own.profile.clone();
    statement(REVISE)
        .bind(own.id.uuid())
        .bind(profile.name.clone())
        .bind(folded(&profile.name))
        .bind(profile.email)
        .bind(profile.image)
        .bind(profile.address)
        .bind(profile.city)
        .bind(profile.state_province)
        .bind(profile.postal_code)
        .bind(profile.country)
        .bind(profile.phone_number)
        .bind(profile.timezone.as_str())
        .bind(own.last_modified_by.clone())
        .bind(own.updated_at)
}
