//! Trunks of tenants.

use async_trait::async_trait;
use diesel_async::AsyncConnection;
use domain::at_rest::AtRestKeys;
use domain::audit::{Action, Deed};
use domain::ids::{TenantId, TrunkId};
use domain::network::Network;
use domain::page::PageRequest;
use domain::ports::{Added, ReviseTrunkError, Seen, SetupError, StoreUnavailable, Trunks};
use domain::scope::{Reach, Scope};
use domain::trunk::{Trunk, TrunkRevision};

use super::{added, paged};
use crate::audit::entry;
use crate::failure::Failure;
use crate::rows::{TrunkRow, password_place, trunk_columns};
use crate::sealing::seal_with;
use crate::statement::{Statement, row, statement};
use crate::store::Store;

const ADD: &str = "
INSERT INTO trunks (id, tenant_id, name, host, port, transport, username, password, register,
    from_domain, default_country, wideband, srtp, guarded, max_calls, calls_per_second, nat, media_networks,
    inbound_from, realms, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20,
    $21)";

// Lines are added, never taken away: a lower limit counts by itself.
const ADD_LINES: &str = "
INSERT INTO trunk_lines (trunk_id, line) SELECT $1, line FROM generate_series(1, $2) AS line
ON CONFLICT DO NOTHING";

const REVISE: &str = "
UPDATE trunks SET name = $2, host = $3, port = $4, transport = $5, username = $6, password = $7, register = $8,
    from_domain = $9, default_country = $10, wideband = $11, srtp = $12, guarded = $13, max_calls = $14,
    calls_per_second = $15, nat = $16, media_networks = $17, inbound_from = $18, realms = $19
WHERE id = $1";

const OF_TENANT: &str = concat!(
    "SELECT ",
    trunk_columns!(),
    " FROM trunks t WHERE t.tenant_id = $1 AND t.retired_at IS NULL \
      ORDER BY t.created_at, t.id LIMIT $2 OFFSET $3"
);

const READ: &str = concat!(
    "SELECT ",
    trunk_columns!(),
    " FROM trunks t WHERE t.id = $1 AND t.retired_at IS NULL AND ($2 IS NULL OR t.tenant_id = $2)"
);

const LOCK: &str = concat!(
    "SELECT ",
    trunk_columns!(),
    " FROM trunks t WHERE t.id = $1 AND t.retired_at IS NULL AND ($2 IS NULL OR t.tenant_id = $2) \
      FOR NO KEY UPDATE"
);

const RETIRE: &str = "
UPDATE trunks SET retired_at = $3 WHERE id = $1 AND retired_at IS NULL AND ($2 IS NULL OR tenant_id = $2)
RETURNING tenant_id, name";

row! {
    RetiredRow { tenant_id: uuid::Uuid, name: String }
}

/// Whether trunks may be changed at all: they belong to the whole tenant.
fn changes(reach: Reach) -> bool {
    reach.organization().is_none()
}

#[async_trait]
impl Trunks for Store {
    async fn add_trunk(&self, reach: Reach, trunk: Trunk, deed: Deed) -> Result<Added, SetupError> {
        if !reach.covers_tenant(trunk.tenant) {
            return Err(SetupError::Unknown("tenant"));
        }
        let keys = self.writing_keys(trunk.credentials.is_some()).await?;
        added(add(self, &keys, trunk, &deed).await.map(|()| true), "tenant")
    }

    async fn trunks_of(
        &self,
        reach: Reach,
        tenant: TenantId,
        page: PageRequest,
    ) -> Result<Vec<Trunk>, StoreUnavailable> {
        if reach.tenant().is_some_and(|own| own != tenant) {
            return Ok(Vec::new());
        }
        let rows = self.list::<TrunkRow>(paged(statement(OF_TENANT).bind(tenant.uuid()), page)).await?;
        Ok(rows.into_iter().map(|row| row.into_trunk(self.key())).collect::<Result<_, _>>()?)
    }

    async fn trunk(&self, reach: Reach, id: TrunkId) -> Result<Option<Trunk>, StoreUnavailable> {
        let tenant = reach.tenant().map(TenantId::uuid);
        let rows = self.read::<TrunkRow>(|| statement(READ).bind(id.uuid()).bind(tenant)).await?;
        Ok(rows.into_iter().next().map(|row| row.into_trunk(self.key())).transpose()?)
    }

    async fn revise_trunk(
        &self,
        reach: Reach,
        id: TrunkId,
        revision: TrunkRevision,
        seen: Option<Seen<Trunk>>,
        deed: Deed,
    ) -> Result<Trunk, ReviseTrunkError> {
        if !changes(reach) {
            return Err(ReviseTrunkError::Unknown);
        }
        let keys = self.writing_keys(revision.login.is_some()).await?;
        let looking = statement(LOCK).bind(id.uuid()).bind(reach.tenant().map(TenantId::uuid));
        let revised = self
            .with(async |connection| {
                connection
                    .transaction::<_, Failure, _>(async |connection| {
                        let rows = looking.rows::<TrunkRow>(connection).await?;
                        let Some(row) = rows.into_iter().next() else {
                            return Ok(Err(ReviseTrunkError::Unknown));
                        };
                        let stands = row.into_trunk(self.key())?;
                        let revised = stands.revised(revision);
                        if seen.is_some_and(|seen| seen.misses(&stands, revised.as_ref().ok())) {
                            return Ok(Err(ReviseTrunkError::Overtaken));
                        }
                        let revised = match revised {
                            Ok(revised) => revised,
                            Err(needed) => return Ok(Err(needed.into())),
                        };
                        let writing = settings(&keys, statement(REVISE).bind(id.uuid()), &revised)?;
                        writing.run(connection).await?;
                        lines(&revised).run(connection).await?;
                        let within = Scope::Tenant(revised.tenant);
                        let noting = entry(&deed, within, Action::TrunkUpdate, id, Some(&revised.name))?;
                        noting.run(connection).await?;
                        Ok(Ok(revised))
                    })
                    .await
            })
            .await;
        revised.map_err(StoreUnavailable::from)?
    }

    async fn retire_trunk(&self, reach: Reach, id: TrunkId, deed: Deed) -> Result<bool, StoreUnavailable> {
        if !changes(reach) {
            return Ok(false);
        }
        let tenant = reach.tenant().map(TenantId::uuid);
        let retiring = statement(RETIRE).bind(id.uuid()).bind(tenant).bind(deed.at);
        let note = |row: &RetiredRow| {
            let within = Scope::Tenant(TenantId::from_uuid(row.tenant_id));
            entry(&deed, within, Action::TrunkDelete, id, Some(&row.name))
        };
        Ok(self.audited(retiring, note).await?.is_some())
    }
}

async fn add(store: &Store, keys: &AtRestKeys, trunk: Trunk, deed: &Deed) -> Result<(), Failure> {
    let statements = adding(keys, &trunk, deed)?;
    store
        .with(async |connection| {
            connection
                .transaction::<_, Failure, _>(async |connection| {
                    for statement in statements {
                        statement.run(connection).await?;
                    }
                    Ok(())
                })
                .await
        })
        .await
}

/// The statements that add a trunk with its lines and note it; they belong into one transaction.
pub(super) fn adding(keys: &AtRestKeys, trunk: &Trunk, deed: &Deed) -> Result<[Statement; 3], Failure> {
    let adding = statement(ADD).bind(trunk.id.uuid()).bind(trunk.tenant.uuid());
    let adding = settings(keys, adding, trunk)?.bind(trunk.created_at);
    let noting = entry(deed, Scope::Tenant(trunk.tenant), Action::TrunkCreate, trunk.id, Some(&trunk.name))?;
    Ok([adding, lines(trunk), noting])
}

fn lines(trunk: &Trunk) -> Statement {
    statement(ADD_LINES).bind(trunk.id.uuid()).bind(i64::from(trunk.max_calls.unwrap_or(0)))
}

fn written(networks: &[Network]) -> Vec<String> {
    networks.iter().map(Network::to_string).collect()
}

/// Binds all that a revision may change, the password sealed.
fn settings(keys: &AtRestKeys, statement: Statement, trunk: &Trunk) -> Result<Statement, Failure> {
    let (username, password) = match &trunk.credentials {
        Some(credentials) => {
            let place = password_place(trunk.id.uuid());
            let sealed = seal_with(keys.sealing(), place, credentials.password.reveal().as_bytes())
                .map_err(|_| Failure::Refused("the password could not be encrypted"))?;
            (Some(credentials.username.clone()), Some(sealed))
        }
        None => (None, None),
    };
    Ok(statement
        .bind(trunk.name.clone())
        .bind(trunk.address.host.clone())
        .bind(trunk.address.port.map(i32::from))
        .bind(trunk.transport.as_str())
        .bind(username)
        .bind(password)
        .bind(trunk.register)
        .bind(trunk.from_domain.clone())
        .bind(trunk.default_country.as_ref().map(|code| code.as_str().to_owned()))
        .bind(trunk.wideband)
        .bind(trunk.srtp.as_str())
        .bind(trunk.guarded)
        .bind(trunk.max_calls.map(i64::from))
        .bind(trunk.calls_per_second.map(i64::from))
        .bind(trunk.nat)
        .bind(written(&trunk.media_networks))
        .bind(written(&trunk.inbound_from))
        .bind(trunk.realms.clone()))
}
