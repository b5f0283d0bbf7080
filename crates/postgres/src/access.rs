//! API keys, stored as digests only.

use async_trait::async_trait;
use diesel_async::AsyncConnection;
use domain::access::{ApiKey, KeyDigest, ORGANIZATION_KEYS_MAX, Permission, Principal};
use domain::ids::{KeyId, OrganizationId, TenantId};
use domain::ports::{Access, IssueError, StoreUnavailable};
use domain::scope::Scope;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::failure::Failure;
use crate::statement::{row, statement};
use crate::store::Store;

/// How old a noted use may become before it is noted anew.
const NOTE_AFTER: Duration = Duration::MINUTE;

pub(crate) const AUTHENTICATE: &str = "
SELECT id, tenant_id, organization_id, permissions, last_used_at
FROM api_keys WHERE digest = $1 AND revoked_at IS NULL";

const NOTE_USE: &str = "
UPDATE api_keys SET last_used_at = $2
WHERE id = $1 AND (last_used_at IS NULL OR last_used_at <= $3)
RETURNING true AS done";

// Keys of one organization are made one after another, or ten could each be the fifth.
const LOCK_ORGANIZATION: &str = "
SELECT true AS done FROM organizations
WHERE tenant_id = $1 AND id = $2 AND deleted_at IS NULL FOR NO KEY UPDATE";

const COUNT_LIVE: &str =
    "SELECT count(*) AS live FROM api_keys WHERE organization_id = $1 AND revoked_at IS NULL";

const ADD: &str = "
INSERT INTO api_keys (id, digest, tenant_id, organization_id, name, permissions, created_at,
    last_used_at, revoked_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";

const REVOKE: &str =
    "UPDATE api_keys SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL RETURNING true AS done";

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
            self.note_use(key, now);
        }
        let tenant = TenantId::from_uuid(row.tenant_id);
        let scope = match row.organization_id {
            Some(organization) => Scope::Organization(tenant, OrganizationId::from_uuid(organization)),
            None => Scope::Tenant(tenant),
        };
        Ok(Some(Principal { key, scope, permissions: permissions(row.id, &row.permissions)? }))
    }

    async fn issue(&self, key: ApiKey, digest: KeyDigest) -> Result<(), IssueError> {
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
                        statement(ADD)
                            .bind(key.id.uuid())
                            .bind(digest.0.to_vec())
                            .bind(key.tenant.uuid())
                            .bind(key.organization.map(OrganizationId::uuid))
                            .bind(key.name.clone())
                            .bind(texts.collect::<Vec<_>>())
                            .bind(key.created_at)
                            .bind(key.last_used_at)
                            .bind(key.revoked_at)
                            .run(connection)
                            .await?;
                        Ok(Issued::Stored)
                    })
                    .await
            })
            .await;
        match issued {
            Ok(Issued::Stored) => Ok(()),
            Ok(Issued::UnknownOwner) => Err(IssueError::UnknownOwner),
            Ok(Issued::TooMany) => Err(IssueError::TooMany),
            Err(failure) if failure.is_foreign_key() => Err(IssueError::UnknownOwner),
            Err(failure) => Err(StoreUnavailable::from(failure).into()),
        }
    }

    async fn revoke(&self, key: KeyId, now: OffsetDateTime) -> Result<bool, StoreUnavailable> {
        let rows = self.write::<Done>(statement(REVOKE).bind(key.uuid()).bind(now)).await?;
        Ok(rows.iter().any(|row| row.done))
    }

    async fn keys(&self, tenant: TenantId) -> Result<Vec<ApiKey>, StoreUnavailable> {
        let rows = self.write::<KeyRow>(statement(KEYS).bind(tenant.uuid())).await?;
        Ok(rows.into_iter().map(KeyRow::into_key).collect::<Result<_, _>>()?)
    }
}

enum Issued {
    Stored,
    UnknownOwner,
    TooMany,
}

impl Store {
    /// Writes the use of a key behind the caller's back, at most one write a key at a time.
    fn note_use(&self, key: KeyId, now: OffsetDateTime) {
        if !self.noting().lock().insert(key) {
            return;
        }
        let store = self.clone();
        self.spawn(async move {
            let query = statement(NOTE_USE).bind(key.uuid()).bind(now).bind(now - NOTE_AFTER);
            if let Err(failure) = store.write::<Done>(query).await {
                tracing::warn!(error = %failure, %key, "the use of a key could not be noted");
            }
            store.noting().lock().remove(&key);
        });
    }
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
