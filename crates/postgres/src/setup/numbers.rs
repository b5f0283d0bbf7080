//! Numbers that organizations call from.

use async_trait::async_trait;
use diesel_async::AsyncConnection;
use domain::audit::{Action, Deed, number_move};
use domain::ids::{NumberId, OrganizationId, TrunkId};
use domain::page::PageRequest;
use domain::ports::{Added, CarriedNumber, Numbers, SetupError, StoreUnavailable};
use domain::scope::Reach;
use domain::trunk::Number;

use super::{Found, LIVE_ORGANIZATION, added, knows, paged};
use crate::audit::entry;
use crate::failure::Failure;
use crate::rows::{Both, NumberRow};
use crate::statement::{reached, row, statement};
use crate::store::Store;

// The trunk is kept from being retired meanwhile.
pub(super) const ADD: &str = "
INSERT INTO numbers (id, tenant_id, organization_id, trunk_id, number, created_at)
SELECT $1, $2, $3, t.id, $5, $6 FROM trunks t
WHERE t.id = $4 AND t.tenant_id = $2 AND t.retired_at IS NULL FOR SHARE
RETURNING true AS added";

macro_rules! columns {
    () => {
        "n.id AS number_id, n.tenant_id AS number_tenant_id, n.organization_id AS number_organization_id, \
         n.trunk_id AS number_trunk_id, n.number, n.created_at AS number_created_at"
    };
}

const OF_ORGANIZATION: &str = concat!(
    "SELECT ",
    columns!(),
    ", t.name AS trunk_name, t.retired_at IS NULL AS carried FROM numbers n \
      JOIN trunks t ON t.id = n.trunk_id \
      WHERE n.organization_id = $1 AND n.retired_at IS NULL \
      ORDER BY n.created_at, n.id LIMIT $2 OFFSET $3"
);

const READ: &str = concat!(
    "SELECT ",
    columns!(),
    ", t.name AS trunk_name, t.retired_at IS NULL AS carried FROM numbers n \
      JOIN trunks t ON t.id = n.trunk_id \
      WHERE n.id = $1 AND n.retired_at IS NULL \
        AND ($2 IS NULL OR n.tenant_id = $2) AND ($3 IS NULL OR n.organization_id = $3)"
);

const LOCK: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM numbers n WHERE n.id = $1 AND n.retired_at IS NULL \
        AND ($2 IS NULL OR n.tenant_id = $2) AND ($3 IS NULL OR n.organization_id = $3) FOR NO KEY UPDATE"
);

// The trunk is kept from being retired before the number is on it.
const CHOSEN: &str = "
SELECT t.name AS trunk_name, true AS carried FROM trunks t
WHERE t.id = $1 AND t.tenant_id = $2 AND t.retired_at IS NULL FOR SHARE";

const MOVE: &str = "UPDATE numbers SET trunk_id = $2 WHERE id = $1";

const RETIRE: &str = concat!(
    "UPDATE numbers n SET retired_at = $4 WHERE n.id = $1 AND n.retired_at IS NULL \
        AND ($2 IS NULL OR n.tenant_id = $2) AND ($3 IS NULL OR n.organization_id = $3) RETURNING ",
    columns!()
);

row! {
    /// What was just added.
    AddedRow { added: bool }
}

row! {
    TrunkOfNumber { trunk_name: String, carried: bool }
}

type CarriedRow = Both<NumberRow, TrunkOfNumber>;

/// What became of a change.
enum Outcome<T> {
    Done(T),
    Missing(&'static str),
}

#[async_trait]
impl Numbers for Store {
    async fn add_number(&self, reach: Reach, number: Number, deed: Deed) -> Result<Added, SetupError> {
        let organization = number.organization;
        let done = self
            .with(async |connection| {
                connection
                    .transaction::<_, Failure, _>(async |connection| {
                        let looking = reached(statement(LIVE_ORGANIZATION).bind(organization.uuid()), reach);
                        let found = looking.rows::<Found>(connection).await?.into_iter().next();
                        let Some(owner) = found else { return Ok(Outcome::Missing("organization")) };
                        let adding = statement(ADD)
                            .bind(number.id.uuid())
                            .bind(owner.tenant_id)
                            .bind(owner.id)
                            .bind(number.trunk.uuid())
                            .bind(number.number.as_str().to_owned())
                            .bind(number.created_at);
                        if !adding.rows::<AddedRow>(connection).await?.iter().any(|row| row.added) {
                            return Ok(Outcome::Missing("trunk"));
                        }
                        let name = Some(number.number.as_str());
                        let noting = entry(&deed, owner.scope(), Action::NumberCreate, number.id, name)?;
                        noting.run(connection).await?;
                        Ok(Outcome::Done(()))
                    })
                    .await
            })
            .await;
        match done {
            Ok(Outcome::Missing(what)) => Err(SetupError::Unknown(what)),
            done => added(done.map(|_| true), "trunk"),
        }
    }

    async fn numbers_of(
        &self,
        reach: Reach,
        organization: OrganizationId,
        page: PageRequest,
    ) -> Result<Vec<CarriedNumber>, SetupError> {
        knows(self, reach, organization).await?;
        let asking = paged(statement(OF_ORGANIZATION).bind(organization.uuid()), page);
        let rows = self.list::<CarriedRow>(asking).await.map_err(StoreUnavailable::from)?;
        let numbers = rows.into_iter().map(carried).collect::<Result<_, _>>();
        Ok(numbers.map_err(StoreUnavailable::from)?)
    }

    async fn number(&self, reach: Reach, id: NumberId) -> Result<Option<CarriedNumber>, StoreUnavailable> {
        let rows = self.read::<CarriedRow>(|| reached(statement(READ).bind(id.uuid()), reach)).await?;
        Ok(rows.into_iter().next().map(carried).transpose()?)
    }

    async fn move_number(
        &self,
        reach: Reach,
        id: NumberId,
        trunk: TrunkId,
        deed: Deed,
    ) -> Result<CarriedNumber, SetupError> {
        let moved = self
            .with(async |connection| {
                connection
                    .transaction::<_, Failure, _>(async |connection| {
                        let looking = reached(statement(LOCK).bind(id.uuid()), reach);
                        let found = looking.rows::<NumberRow>(connection).await?.into_iter().next();
                        let Some(row) = found else { return Ok(Outcome::Missing("number")) };
                        let choosing = statement(CHOSEN).bind(trunk.uuid()).bind(row.number_tenant_id);
                        let chosen = choosing.rows::<TrunkOfNumber>(connection).await?.into_iter().next();
                        let Some(chosen) = chosen else { return Ok(Outcome::Missing("trunk")) };
                        let within = row.scope();
                        let mut own = carried(Both(row, chosen))?;
                        if own.number.trunk != trunk {
                            let moving = statement(MOVE).bind(id.uuid()).bind(trunk.uuid());
                            moving.run(connection).await?;
                            own.number.trunk = trunk;
                            let name = number_move(&own.number.number, &own.trunk_name);
                            let noting = entry(&deed, within, Action::NumberMove, id, Some(&name))?;
                            noting.run(connection).await?;
                        }
                        Ok(Outcome::Done(own))
                    })
                    .await
            })
            .await;
        match moved.map_err(StoreUnavailable::from)? {
            Outcome::Done(own) => Ok(own),
            Outcome::Missing(what) => Err(SetupError::Unknown(what)),
        }
    }

    async fn retire_number(&self, reach: Reach, id: NumberId, deed: Deed) -> Result<bool, StoreUnavailable> {
        let retiring = reached(statement(RETIRE).bind(id.uuid()), reach).bind(deed.at);
        let note = |row: &NumberRow| {
            let name = Some(row.number.as_str());
            entry(&deed, row.scope(), Action::NumberDelete, id, name)
        };
        Ok(self.audited(retiring, note).await?.is_some())
    }
}

fn carried(row: CarriedRow) -> Result<CarriedNumber, Failure> {
    let Both(number, trunk) = row;
    Ok(CarriedNumber { number: number.into_number()?, trunk_name: trunk.trunk_name, carried: trunk.carried })
}
