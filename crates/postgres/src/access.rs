//! API keys, stored as digests only.

use async_trait::async_trait;
use diesel_async::AsyncConnection;
use domain::access::{ApiKey, KEYS_SHOWN, KeyDigest, ORGANIZATION_KEYS_MAX, Permission, Principal};
use domain::audit::{Action, Deed};
use domain::ids::{KeyId, OrganizationId, TenantId};
use domain::ports::{Access, IssueError, StoreUnavailable};
use domain::scope::{Reach, Scope};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::audit::entry;
use crate::failure::Failure;
use crate::statement::{reached, row, statement};
use crate::store::{Store, Used};

/// How old a noted use may become before it is noted anew.
const NOTE_AFTER: Duration = Duration::MINUTE;

pub(crate) const AUTHENTICATE: &str = "
SELECT id, tenant_id, organization_id, permissions, last_used_at
FROM api_keys WHERE digest = $1 AND revoked_at IS NULL";

const NOTE_USE: &str = "
UPDATE api_keys SET last_used_at = $2
WHERE id = $1 AND (last_used_at IS NULL OR last_used_at <= $3)";

// Keys of one organization are made one after another, or ten could each be the fifth.
const LOCK_ORGANIZATION: &str = "
SELECT true AS done FROM organizations
WHERE tenant_id = $1 AND id = $2 AND deleted_at IS NULL FOR NO KEY UPDATE";

const COUNT_LIVE: &str =
    "SELECT count(*) AS live FROM api_keys WHERE organization_id = $1 AND revoked_at IS NULL";

const ADD: &str = "
INSERT INTO api_keys (id, digest, tenant_id, organization_id, name, permissions, created_at,
    last_used_at, revoked_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (id) DO NOTHING
RETURNING true AS done";

const KNOWN: &str = "SELECT true AS done FROM api_keys WHERE id = $1";

macro_rules! live {
    ($of:tt, $which:literal) => {
        concat!(
            "SELECT id, tenant_id, organization_id, name, permissions, created_at, last_used_at, revoked_at \
             FROM api_keys WHERE ",
            live!($of),
            " AND revoked_at IS NULL",
            $which,
        )
    };
    ("organization") => {
        "tenant_id = $1 AND organization_id = $2"
    };
    ("tenant") => {
        "tenant_id = $1 AND organization_id IS NULL AND $2 IS NULL"
    };
}

macro_rules! newest {
    ($of:tt) => {
        live!($of, " ORDER BY created_at DESC, id DESC LIMIT $3")
    };
}

// One that was revoked meanwhile still tells where the next page begins.
macro_rules! older {
    ($of:tt) => {
        live!(
            $of,
            " AND (created_at, id) < (SELECT b.created_at, b.id FROM api_keys b WHERE b.id = $4 \
                AND b.tenant_id = $1 AND b.organization_id IS NOT DISTINCT FROM $2) \
              ORDER BY created_at DESC, id DESC LIMIT $3"
        )
    };
}

const LIVE_OF_ORGANIZATION: &str = newest!("organization");
const OLDER_OF_ORGANIZATION: &str = older!("organization");
const LIVE_OF_TENANT: &str = newest!("tenant");
const OLDER_OF_TENANT: &str = older!("tenant");
const ONE_OF_ORGANIZATION: &str = live!("organization", " AND id = $3");
const ONE_OF_TENANT: &str = live!("tenant", " AND id = $3");

const REVOKE: &str = "
UPDATE api_keys SET revoked_at = $4 WHERE id = $1 AND revoked_at IS NULL
    AND ($2 IS NULL OR tenant_id = $2) AND ($3 IS NULL OR organization_id = $3)
RETURNING tenant_id, organization_id, name";

const KEYS: &str = "
SELECT id, tenant_id, organization_id, name, permissions, created_at, last_used_at, revoked_at
FROM api_keys WHERE tenant_id = $1 ORDER BY created_at DESC, id DESC";

row! {
    PrincipalRow {
        id: Uuid,
        tenant_id: Uuid,
        organization_id: Option<Uuid>,
        permissions: Vec<String>,
        last_used_at: Option<OffsetDateTime>,
    }
}

row! {
    KeyRow {
        id: Uuid,
        tenant_id: Uuid,
        organization_id: Option<Uuid>,
        name: String,
        permissions: Vec<String>,
        created_at: OffsetDateTime,
        last_used_at: Option<OffsetDateTime>,
        revoked_at: Option<OffsetDateTime>,
    }
}

row! {
    Done { done: bool }
}

row! {
    RevokedRow { tenant_id: Uuid, organization_id: Option<Uuid>, name: String }
}

row! {
    Live { live: i64 }
}

#[async_trait]
impl Access for Store {
    async fn authenticate(
        &self,
        digest: KeyDigest,
        now: OffsetDateTime,
    ) -> Result<Option<Principal>, StoreUnavailable> {
        let rows = self.read::<PrincipalRow>(|| statement(AUTHENTICATE).bind(digest.0.to_vec())).await?;
        let Some(row) = rows.into_iter().next() else { return Ok(None) };
        let key = KeyId::from_uuid(row.id);
        if row.last_used_at.is_none_or(|noted| noted <= now - NOTE_AFTER) {
            let noting = statement(NOTE_USE).bind(key.uuid()).bind(now).bind(now - NOTE_AFTER);
            self.note_use(Used::Key(key), noting);
        }
        let organization = row.organization_id.map(OrganizationId::from_uuid);
        let scope = scope(TenantId::from_uuid(row.tenant_id), organization);
        Ok(Some(Principal { key, scope, permissions: permissions(row.id, &row.permissions)? }))
    }

    async fn issue(&self, key: ApiKey, digest: KeyDigest, deed: Deed) -> Result<(), IssueError> {
        let issued = self
            .with(async |connection| {
                connection
                    .transaction::<_, Failure, _>(async |connection| {
                        if let Some(organization) = key.organization {
                            let locked = statement(LOCK_ORGANIZATION)
                                .bind(key.tenant.uuid())
                                .bind(organization.uuid())
                                .rows::<Done>(connection)
                                .await?;
                            if !locked.iter().any(|row| row.done) {
                                return Ok(Issued::UnknownOwner);
                            }
                            let known = statement(KNOWN).bind(key.id.uuid());
                            if known.rows::<Done>(connection).await?.iter().any(|row| row.done) {
                                return Ok(Issued::Repeated);
                            }
                            let live = statement(COUNT_LIVE)
                                .bind(organization.uuid())
                                .rows::<Live>(connection)
                                .await?;
                            let live = live.first().map_or(0, |row| row.live);
                            if usize::try_from(live).is_ok_and(|live| live >= ORGANIZATION_KEYS_MAX) {
                                return Ok(Issued::TooMany);
                            }
                        }
                        let texts = key.permissions.iter().map(|p| p.as_str().to_owned());
                        let added = statement(ADD)
                            .bind(key.id.uuid())
                            .bind(digest.0.to_vec())
                            .bind(key.tenant.uuid())
                            .bind(key.organization.map(OrganizationId::uuid))
                            .bind(key.name.clone())
                            .bind(texts.collect::<Vec<_>>())
                            .bind(key.created_at)
                            .bind(key.last_used_at)
                            .bind(key.revoked_at)
                            .rows::<Done>(connection)
                            .await?;
                        if !added.iter().any(|row| row.done) {
                            return Ok(Issued::Repeated);
                        }
                        let noting = entry(
                            &deed,
                            scope(key.tenant, key.organization),
                            Action::KeyCreate,
                            key.id,
                            Some(&key.name),
                        )?;
                        noting.run(connection).await?;
                        Ok(Issued::Stored)
                    })
                    .await
            })
            .await;
        match issued {
            Ok(Issued::Stored) => Ok(()),
            Ok(Issued::UnknownOwner) => Err(IssueError::UnknownOwner),
            Ok(Issued::TooMany) => Err(IssueError::TooMany),
            Ok(Issued::Repeated) => Err(IssueError::Repeated),
            Err(failure) if failure.is_foreign_key() => Err(IssueError::UnknownOwner),
            Err(failure) => Err(StoreUnavailable::from(failure).into()),
        }
    }

    async fn revoke(&self, reach: Reach, key: KeyId, deed: Deed) -> Result<bool, StoreUnavailable> {
        let revoking = reached(statement(REVOKE).bind(key.uuid()), reach).bind(deed.at);
        let note = |row: &RevokedRow| {
            let tenant = TenantId::from_uuid(row.tenant_id);
            let within = scope(tenant, row.organization_id.map(OrganizationId::from_uuid));
            entry(&deed, within, Action::KeyRevoke, key, Some(&row.name))
        };
        Ok(self.audited(revoking, note).await?.is_some())
    }

    async fn live_keys(&self, scope: Scope, before: Option<KeyId>) -> Result<Vec<ApiKey>, StoreUnavailable> {
        let organization = scope.organization().map(OrganizationId::uuid);
        let text = match (organization, before) {
            (Some(_), None) => LIVE_OF_ORGANIZATION,
            (Some(_), Some(_)) => OLDER_OF_ORGANIZATION,
            (None, None) => LIVE_OF_TENANT,
            (None, Some(_)) => OLDER_OF_TENANT,
        };
        let asking = statement(text)
            .bind(scope.tenant().uuid())
            .bind(organization)
            .bind(i64::try_from(KEYS_SHOWN).unwrap_or(i64::MAX));
        let asking = match before {
            Some(before) => asking.bind(before.uuid()),
            None => asking,
        };
        let rows = self.write::<KeyRow>(asking).await?;
        Ok(rows.into_iter().map(KeyRow::into_key).collect::<Result<_, _>>()?)
    }

    async fn live_key(&self, scope: Scope, key: KeyId) -> Result<Option<ApiKey>, StoreUnavailable> {
        let organization = scope.organization().map(OrganizationId::uuid);
        let text = if organization.is_some() { ONE_OF_ORGANIZATION } else { ONE_OF_TENANT };
        let asking = statement(text).bind(scope.tenant().uuid()).bind(organization).bind(key.uuid());
        let row = self.write::<KeyRow>(asking).await?.into_iter().next();
        Ok(row.map(KeyRow::into_key).transpose()?)
    }

    async fn keys(&self, tenant: TenantId) -> Result<Vec<ApiKey>, StoreUnavailable> {
        let rows = self.write::<KeyRow>(statement(KEYS).bind(tenant.uuid())).await?;
        Ok(rows.into_iter().map(KeyRow::into_key).collect::<Result<_, _>>()?)
    }
}

/// What a key belongs to.
fn scope(tenant: TenantId, organization: Option<OrganizationId>) -> Scope {
    match organization {
        Some(organization) => Scope::Organization(tenant, organization),
        None => Scope::Tenant(tenant),
    }
}

enum Issued {
    Stored,
    UnknownOwner,
    TooMany,
    Repeated,
}

impl KeyRow {
    fn into_key(self) -> Result<ApiKey, Failure> {
        Ok(ApiKey {
            id: KeyId::from_uuid(self.id),
            tenant: TenantId::from_uuid(self.tenant_id),
            organization: self.organization_id.map(OrganizationId::from_uuid),
            permissions: permissions(self.id, &self.permissions)?,
            name: self.name,
            created_at: self.created_at,
            last_used_at: self.last_used_at,
            revoked_at: self.revoked_at,
        })
    }
}

fn permissions(id: Uuid, texts: &[String]) -> Result<Vec<Permission>, Failure> {
    texts
        .iter()
        .map(|text| Permission::parse(text))
        .collect::<Option<_>>()
        .ok_or_else(|| Failure::impossible("api_keys", id, "a permission is unknown"))
}
