//! Looking up what a call is placed with.

use async_trait::async_trait;
use domain::assistant::Assistant;
use domain::ids::{AssistantId, NumberId, OrganizationId, TenantId};
use domain::ports::{Directory, Placeable, StoreUnavailable};
use domain::scope::Scope;
use domain::trunk::Trunk;
use uuid::Uuid;

use crate::rows::{AssistantRow, Both, NumberRow, TrunkRow, assistant_columns, trunk_columns};
use crate::statement::{row, statement};
use crate::store::Store;

pub(crate) const PLACEABLE: &str = concat!(
    "SELECT ",
    assistant_columns!(),
    ", n.id AS number_id, n.tenant_id AS number_tenant_id, \
         n.organization_id AS number_organization_id, n.trunk_id AS number_trunk_id, n.number, \
         n.created_at AS number_created_at, \
         o.deleted_at IS NULL AS organization_active, ",
    trunk_columns!(),
    " FROM assistants a \
      JOIN numbers n ON n.tenant_id = a.tenant_id AND n.organization_id = a.organization_id \
      JOIN organizations o ON o.id = a.organization_id \
      JOIN trunks t ON t.id = n.trunk_id \
      LEFT JOIN teams m ON m.id = a.team_id \
      WHERE a.id = $1 AND n.id = $2 AND a.tenant_id = $3 \
        AND ($4 IS NULL OR a.organization_id = $4) \
        AND a.retired_at IS NULL AND n.retired_at IS NULL AND t.retired_at IS NULL"
);

const TRUNKS: &str = concat!(
    "SELECT ",
    trunk_columns!(),
    " FROM trunks t WHERE t.retired_at IS NULL ORDER BY t.created_at, t.id"
);

const TENANT: &str = "SELECT tenant_id FROM organizations WHERE id = $1";

const AGENTS: &str = concat!(
    "SELECT ",
    assistant_columns!(),
    " FROM assistants a \
      JOIN organizations o ON o.id = a.organization_id AND o.deleted_at IS NULL \
      LEFT JOIN teams m ON m.id = a.team_id \
      WHERE a.engine <> 'builtin' AND a.retired_at IS NULL AND ($1 IS NULL OR a.id > $1) \
      ORDER BY a.id LIMIT $2"
);

row! {
    Activity { organization_active: bool }
}

row! {
    OwnerRow { tenant_id: Uuid }
}

#[async_trait]
impl Directory for Store {
    async fn placeable(
        &self,
        scope: Scope,
        assistant: AssistantId,
        number: NumberId,
    ) -> Result<Option<Placeable>, StoreUnavailable> {
        let make = || {
            statement(PLACEABLE)
                .bind(assistant.uuid())
                .bind(number.uuid())
                .bind(scope.tenant().uuid())
                .bind(scope.organization().map(OrganizationId::uuid))
        };
        let rows = self.read::<Both<Both<AssistantRow, NumberRow>, Both<TrunkRow, Activity>>>(make).await?;
        let Some(Both(Both(assistant, number), Both(trunk, activity))) = rows.into_iter().next() else {
            return Ok(None);
        };
        Ok(Some(Placeable {
            assistant: assistant.into_assistant(self.key())?,
            number: number.into_number()?,
            trunk: trunk.into_trunk(self.key())?,
            organization_active: activity.organization_active,
        }))
    }

    async fn trunks(&self) -> Result<Vec<Trunk>, StoreUnavailable> {
        let rows = self.write::<TrunkRow>(statement(TRUNKS)).await?;
        Ok(rows.into_iter().map(|row| row.into_trunk(self.key())).collect::<Result<_, _>>()?)
    }

    async fn tenant_of(&self, organization: OrganizationId) -> Result<Option<TenantId>, StoreUnavailable> {
        let rows = self.read::<OwnerRow>(|| statement(TENANT).bind(organization.uuid())).await?;
        Ok(rows.into_iter().next().map(|row| TenantId::from_uuid(row.tenant_id)))
    }

    async fn agents(
        &self,
        after: Option<AssistantId>,
        limit: u32,
    ) -> Result<Vec<Assistant>, StoreUnavailable> {
        let asking = statement(AGENTS).bind(after.map(AssistantId::uuid)).bind(i64::from(limit));
        let rows = self.list::<AssistantRow>(asking).await?;
        Ok(rows.into_iter().map(|row| row.into_assistant(self.key())).collect::<Result<_, _>>()?)
    }
}
