//! The first set-up of an empty installation.

use async_trait::async_trait;
use diesel_async::{AsyncConnection, AsyncPgConnection};
use domain::at_rest::AtRestKeys;
use domain::audit::Action;
use domain::ports::{FirstSetUp, SetUp, StoreUnavailable};
use domain::scope::Scope;
use domain::session::{Link, LinkDigest, SignedIn};
use time::OffsetDateTime;

use crate::accounts::adding;
use crate::audit::entry;
use crate::failure::Failure;
use crate::organizations;
use crate::rows::{UserRow, user_columns};
use crate::sessions::begin;
use crate::setup::tenants::adding as adding_tenant;
use crate::statement::{Statement, row, statement};
use crate::store::Store;

const OFFER: &str = "
INSERT INTO one_time_links (digest, user_id, created_at, expires_at)
SELECT $1, NULL, $2, $3 WHERE NOT EXISTS (SELECT FROM users)
ON CONFLICT ((user_id IS NULL)) WHERE user_id IS NULL DO UPDATE
    SET digest = excluded.digest, created_at = excluded.created_at, expires_at = excluded.expires_at
RETURNING true AS done";

const IS_OPEN: &str = "
SELECT true AS done FROM one_time_links WHERE digest = $1 AND user_id IS NULL AND expires_at > $2
    AND NOT EXISTS (SELECT FROM users)";

const USE_UP: &str = "
DELETE FROM one_time_links WHERE digest = $1 AND user_id IS NULL AND expires_at > $2
    AND NOT EXISTS (SELECT FROM users) RETURNING true AS done";

const SIGNED_IN: &str =
    concat!("UPDATE users u SET signed_in_at = $2 WHERE u.id = $1 RETURNING ", user_columns!());

row! {
    Done { done: bool }
}

#[async_trait]
impl SetUp for Store {
    async fn offer(&self, link: Link) -> Result<bool, StoreUnavailable> {
        let offering =
            statement(OFFER).bind(link.digest.0.to_vec()).bind(link.created_at).bind(link.expires_at);
        Ok(self.write::<Done>(offering).await?.iter().any(|row| row.done))
    }

    async fn is_open(&self, link: LinkDigest, now: OffsetDateTime) -> Result<bool, StoreUnavailable> {
        let rows = self.read::<Done>(|| statement(IS_OPEN).bind(link.0.to_vec()).bind(now)).await?;
        Ok(rows.iter().any(|row| row.done))
    }

    async fn set_up(
        &self,
        link: LinkDigest,
        first: FirstSetUp,
    ) -> Result<Option<SignedIn>, StoreUnavailable> {
        let keys = self.sealing_keys().await?;
        let made = self
            .with(async |connection| {
                connection
                    .transaction::<_, Failure, _>(async |connection| {
                        let using = statement(USE_UP).bind(link.0.to_vec()).bind(first.session.at);
                        if using.rows::<Done>(connection).await?.is_empty() {
                            return Ok(None);
                        }
                        make(&keys, connection, first).await.map(Some)
                    })
                    .await
            })
            .await;
        Ok(made?)
    }
}

async fn make(
    keys: &AtRestKeys,
    connection: &mut AsyncPgConnection,
    first: FirstSetUp,
) -> Result<SignedIn, Failure> {
    let FirstSetUp { tenant, user, hash, organization, session } = first;
    let own = &organization.organization;
    let deed = &organization.deed;
    let whole = Scope::Tenant(tenant.id);
    adding_tenant(&tenant).run(connection).await?;
    if adding(&user, Some(hash.reveal().clone())).rows::<Done>(connection).await?.is_empty() {
        return Err(Failure::Refused("somebody has the first user's e-mail address"));
    }
    organizations::adding(keys, own, &organization.signing_secret, deed)?.run(connection).await?;
    let notes: [Result<Statement, Failure>; 2] = [
        entry(deed, whole, Action::TenantCreate, tenant.id, Some(&tenant.name)),
        entry(deed, whole, Action::UserCreate, user.id, Some(&user.email)),
    ];
    for note in notes {
        note?.run(connection).await?;
    }
    let signing_in = statement(SIGNED_IN).bind(user.id.uuid()).bind(session.at);
    let row = signing_in.rows::<UserRow>(connection).await?.into_iter().next();
    let row =
        row.ok_or_else(|| Failure::impossible("users", user.id.uuid(), "the row just added is gone"))?;
    begin(connection, row, session).await
}
