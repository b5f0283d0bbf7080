//! Lines to the built-in phone.

use async_trait::async_trait;
use diesel_async::AsyncConnection;
use domain::audit::{Action, Deed};
use domain::ids::{NumberId, OrganizationId, TenantId, TrunkId};
use domain::ports::{FreshTestLine, SetupError, StoreUnavailable, TestLines};
use domain::scope::{Reach, Scope};
use domain::test_line::calling_number;
use domain::trunk::{BUILT_IN_PHONE, Trunk};
use uuid::Uuid;

use super::{Found, numbers, trunks};
use crate::audit::entry;
use crate::failure::Failure;
use crate::statement::{reached, row, statement};
use crate::store::Store;

// The lock on the tenant lets those who set up its line go one after the other; nothing else that is
// written waits for it.
const OWNER: &str = "
SELECT o.id, o.tenant_id, o.name FROM organizations o JOIN tenants t ON t.id = o.tenant_id
WHERE o.id = $1 AND o.deleted_at IS NULL AND ($2 IS NULL OR o.tenant_id = $2) AND ($3 IS NULL OR o.id = $3)
FOR KEY SHARE OF o FOR NO KEY UPDATE OF t";

// The trunk is kept from being retired before the number is on it.
const LINE: &str = "
SELECT t.id AS line_trunk_id, n.id AS line_number_id FROM trunks t
LEFT JOIN numbers n ON n.trunk_id = t.id AND n.organization_id = $2 AND n.retired_at IS NULL
WHERE t.tenant_id = $1 AND lower(t.host) = $3 AND t.retired_at IS NULL
ORDER BY n.created_at NULLS LAST, t.created_at, t.id LIMIT 1 FOR SHARE OF t";

row! {
    Added { added: bool }
}

row! {
    LineRow { line_trunk_id: Uuid, line_number_id: Option<Uuid> }
}

#[async_trait]
impl TestLines for Store {
    async fn set_up_test_line(
        &self,
        reach: Reach,
        organization: OrganizationId,
        fresh: FreshTestLine,
        deed: Deed,
    ) -> Result<NumberId, SetupError> {
        let looking = reached(statement(OWNER).bind(organization.uuid()), reach);
        // The line has no password.
        let keys = self.key().keys();
        let done = self
            .with(async |connection| {
                connection
                    .transaction::<_, Failure, _>(async |connection| {
                        let Some(owner) = looking.rows::<Found>(connection).await?.into_iter().next() else {
                            return Ok(None);
                        };
                        let finding =
                            statement(LINE).bind(owner.tenant_id).bind(owner.id).bind(BUILT_IN_PHONE);
                        let line = finding.rows::<LineRow>(connection).await?.into_iter().next();
                        if let Some(LineRow { line_number_id: Some(number), .. }) = line {
                            return Ok(Some(NumberId::from_uuid(number)));
                        }
                        let tenant = TenantId::from_uuid(owner.tenant_id);
                        let trunk = if let Some(line) = line {
                            TrunkId::from_uuid(line.line_trunk_id)
                        } else {
                            let trunk = Trunk::to_built_in_phone(fresh.trunk, tenant, deed.at);
                            for adding in trunks::adding(&keys, &trunk, &deed)? {
                                adding.run(connection).await?;
                            }
                            trunk.id
                        };
                        let number =
                            calling_number().ok_or(Failure::Refused("the calling number is none"))?;
                        let adding = statement(numbers::ADD)
                            .bind(fresh.number.uuid())
                            .bind(owner.tenant_id)
                            .bind(owner.id)
                            .bind(trunk.uuid())
                            .bind(number.as_str().to_owned())
                            .bind(deed.at);
                        if !adding.rows::<Added>(connection).await?.iter().any(|row| row.added) {
                            return Err(Failure::Refused("the trunk of the test line is gone"));
                        }
                        let within = Scope::Organization(tenant, organization);
                        let name = Some(number.as_str());
                        entry(&deed, within, Action::NumberCreate, fresh.number, name)?
                            .run(connection)
                            .await?;
                        Ok(Some(fresh.number))
                    })
                    .await
            })
            .await;
        done.map_err(StoreUnavailable::from)?.ok_or(SetupError::Unknown("organization"))
    }
}
