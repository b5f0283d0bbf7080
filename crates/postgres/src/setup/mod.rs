//! What is set up before anybody is called, each change together with its entry in the audit log.

mod assistants;
mod numbers;
pub(crate) mod signing;
pub(crate) mod tenants;
mod test_lines;
mod trunks;

use domain::ids::{NewId, OrganizationId, TenantId};
use domain::page::PageRequest;
use domain::ports::{Added, SetupError, StoreUnavailable};
use domain::scope::{Reach, Scope};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::failure::Failure;
use crate::statement::{Statement, reached, row, statement};
use crate::store::Store;

const ORGANIZATION: &str = "
SELECT id, tenant_id, name FROM organizations
WHERE id = $1 AND ($2 IS NULL OR tenant_id = $2) AND ($3 IS NULL OR id = $3)";

/// An organization that is not deleted, and is not before the transaction is over.
pub(crate) const LIVE_ORGANIZATION: &str = "
SELECT id, tenant_id, name FROM organizations
WHERE id = $1 AND deleted_at IS NULL AND ($2 IS NULL OR tenant_id = $2) AND ($3 IS NULL OR id = $3)
FOR KEY SHARE";

row! {
    /// An organization that was looked for.
    Found { id: Uuid, tenant_id: Uuid, name: String }
}

impl Found {
    pub(crate) fn scope(&self) -> Scope {
        Scope::Organization(TenantId::from_uuid(self.tenant_id), OrganizationId::from_uuid(self.id))
    }
}

/// Whether an organization, deleted or not, is within reach.
async fn knows(store: &Store, reach: Reach, id: OrganizationId) -> Result<(), SetupError> {
    let found = store.read::<Found>(|| reached(statement(ORGANIZATION).bind(id.uuid()), reach)).await;
    or_unknown(found.map(|rows| !rows.is_empty()), "organization")
}

/// Tells a missing thing from a failing store.
pub(crate) fn or_unknown(found: Result<bool, Failure>, what: &'static str) -> Result<(), SetupError> {
    match found {
        Ok(true) => Ok(()),
        Ok(false) => Err(SetupError::Unknown(what)),
        Err(failure) if failure.is_foreign_key() => Err(SetupError::Unknown(what)),
        Err(failure) => Err(StoreUnavailable::from(failure).into()),
    }
}

/// What became of an addition in which nothing but its own id can be taken already.
fn added(done: Result<bool, Failure>, what: &'static str) -> Result<Added, SetupError> {
    match done {
        Err(failure) if failure.is_unique() => Ok(Added::Repeated),
        done => or_unknown(done, what).map(|()| Added::Fresh),
    }
}

/// Binds how many rows a page has, and how many stand before it.
pub(crate) fn paged(statement: Statement, page: PageRequest) -> Statement {
    statement.bind(i64::from(page.size)).bind(i64::try_from(page.offset()).unwrap_or(i64::MAX))
}

/// A `UUIDv7` for a row that the domain has no name for.
pub(crate) fn new_id(now: OffsetDateTime) -> Result<Uuid, Failure> {
    let mut random = [0; 10];
    getrandom::fill(&mut random).map_err(|_| Failure::Refused("no random bytes"))?;
    Ok(OrganizationId::from(NewId::at(now, random)).uuid())
}
