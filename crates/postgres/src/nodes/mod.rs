//! The register of nodes and their starts.

mod take_over;

use async_trait::async_trait;
use domain::audit::{Action, Deed};
use domain::ids::{BootId, CallId, NodeId, OrganizationId, TenantId};
use domain::ports::{Beat, Command, Nodes, ObservedNode, Orphan, StoreUnavailable};
use domain::scope::{Reach, Scope};
use uuid::Uuid;

use crate::audit::entry;
use crate::failure::Failure;
use crate::statement::{reached, row, statement};
use crate::store::Store;

const JOIN: &str = "
WITH node AS (
    INSERT INTO nodes (id) VALUES ($1) ON CONFLICT DO NOTHING
), boot AS (
    INSERT INTO boots (id, node_id) VALUES ($2, $1)
)
SELECT id AS boot FROM boots WHERE node_id = $1 AND id <> $2 AND left_at IS NULL ORDER BY joined_at, id";

// A boot that beats is alive, even if another thought otherwise.
const BEAT: &str = "
UPDATE boots SET counter = counter + 1, beat_at = now(), left_at = NULL WHERE id = $1
RETURNING (
    SELECT count(*) FROM boots others
    WHERE others.id <> $1 AND others.left_at IS NULL AND others.beat_at > now() - interval '10 seconds'
) AS others";

const FETCH: &str = "
WITH told AS (DELETE FROM node_commands WHERE boot_id = $1 RETURNING id, kind, call_id)
SELECT kind, call_id FROM told ORDER BY id";

const OTHERS: &str = "
SELECT node_id, id AS boot, counter FROM boots WHERE id <> $1 AND left_at IS NULL ORDER BY joined_at, id";

const HANG_UP: &str = "
WITH live AS (
    SELECT l.owner, l.call_id, c.tenant_id, c.organization_id, c.user_phone_number
    FROM call_legs l JOIN calls c ON c.id = l.call_id
    WHERE l.call_id = $1 AND l.state <> 'ended'
      AND ($2 IS NULL OR c.tenant_id = $2) AND ($3 IS NULL OR c.organization_id = $3)
), told AS (
    INSERT INTO node_commands (boot_id, kind, call_id) SELECT owner, 'hang-up', call_id FROM live
)
SELECT tenant_id, organization_id, user_phone_number FROM live";

row! {
    BootRow { boot: Uuid }
}

row! {
    LiveRow { tenant_id: Uuid, organization_id: Uuid, user_phone_number: Option<String> }
}

row! {
    Others { others: i64 }
}

row! {
    CommandRow { kind: String, call_id: Uuid }
}

row! {
    ObservedRow { node_id: Uuid, boot: Uuid, counter: i64 }
}

#[async_trait]
impl Nodes for Store {
    async fn join(&self, node: NodeId, boot: BootId) -> Result<Vec<BootId>, StoreUnavailable> {
        let query = statement(JOIN).bind(node.uuid()).bind(boot.uuid());
        let rows = self.write::<BootRow>(query).await?;
        Ok(rows.into_iter().map(|row| BootId::from_uuid(row.boot)).collect())
    }

    async fn beat(&self, boot: BootId) -> Result<Beat, StoreUnavailable> {
        // Two statements: a taking-over that held the boot's row is seen only by the second.
        let beaten = self.pulse::<Others>(statement(BEAT).bind(boot.uuid())).await?;
        let others = beaten.first().ok_or(Failure::Refused("the boot has not joined"))?.others;
        let told = self.pulse::<CommandRow>(statement(FETCH).bind(boot.uuid())).await?;
        let mut beat = Beat { live: u32::try_from(others + 1).unwrap_or(u32::MAX), ..Beat::default() };
        for row in told {
            let call = CallId::from_uuid(row.call_id);
            match row.kind.as_str() {
                "hang-up" => beat.commands.push(Command::HangUp(call)),
                "lost" => beat.lost.push(call),
                _ => return Err(Failure::impossible("node_commands", row.call_id, "unknown kind").into()),
            }
        }
        Ok(beat)
    }

    async fn others(&self, boot: BootId) -> Result<Vec<ObservedNode>, StoreUnavailable> {
        let rows = self.pulse::<ObservedRow>(statement(OTHERS).bind(boot.uuid())).await?;
        Ok(rows
            .into_iter()
            .map(|row| ObservedNode {
                node: NodeId::from_uuid(row.node_id),
                boot: BootId::from_uuid(row.boot),
                counter: row.counter,
            })
            .collect())
    }

    async fn take_over(
        &self,
        heir: BootId,
        dead: BootId,
        counter: Option<i64>,
        limit: u32,
    ) -> Result<Vec<Orphan>, StoreUnavailable> {
        Ok(take_over::take_over(self, heir, dead, counter, limit).await?)
    }

    async fn request_hang_up(
        &self,
        reach: Reach,
        call: CallId,
        deed: Deed,
    ) -> Result<bool, StoreUnavailable> {
        let telling = reached(statement(HANG_UP).bind(call.uuid()), reach);
        let note = |row: &LiveRow| {
            let tenant = TenantId::from_uuid(row.tenant_id);
            let within = Scope::Organization(tenant, OrganizationId::from_uuid(row.organization_id));
            entry(&deed, within, Action::CallHangUp, call, row.user_phone_number.as_deref())
        };
        Ok(self.audited(telling, note).await?.is_some())
    }

    async fn leave(&self, boot: BootId) -> Result<(), StoreUnavailable> {
        Ok(take_over::leave(self, boot).await?)
    }
}
