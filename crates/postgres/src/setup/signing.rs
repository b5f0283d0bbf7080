//! Signing secrets of organizations: sealed, one in force, and one before it for a while.

use async_trait::async_trait;
use diesel_async::AsyncConnection;
use domain::at_rest::AtRestKeys;
use domain::audit::{Action, Deed};
use domain::callback::{SigningOverview, SigningSecrets};
use domain::ids::{OrganizationId, SigningSecretId};
use domain::ports::{SetupError, Signing, StoreUnavailable};
use domain::scope::Reach;
use domain::secret::Secret;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Found, new_id};
use crate::audit::entry;
use crate::failure::Failure;
use crate::rows::Both;
use crate::sealing::{Place, SealingKey, seal_with};
use crate::statement::{reached, row, statement};
use crate::store::Store;

const CURRENT: &str = "
SELECT o.id, o.tenant_id, o.name, s.organization_id AS secret_organization_id, s.id AS current_id,
    s.secret AS current, p.id AS previous_id, p.secret AS previous
FROM organizations o
JOIN signing_secrets s ON s.organization_id = o.id AND s.expires_at IS NULL
LEFT JOIN signing_secrets p ON p.organization_id = s.organization_id AND p.expires_at > $4
WHERE o.id = $1 AND ($2 IS NULL OR o.tenant_id = $2) AND ($3 IS NULL OR o.id = $3)";

const LOCK: &str = "
SELECT id, tenant_id, name FROM organizations
WHERE id = $1 AND ($2 IS NULL OR tenant_id = $2) AND ($3 IS NULL OR id = $3) FOR NO KEY UPDATE";
const FORGET_OLDER: &str =
    "DELETE FROM signing_secrets WHERE organization_id = $1 AND expires_at IS NOT NULL";
const RETIRE: &str =
    "UPDATE signing_secrets SET expires_at = $2 WHERE organization_id = $1 AND expires_at IS NULL";
const IN_FORCE: &str =
    "SELECT id AS in_force FROM signing_secrets WHERE organization_id = $1 AND expires_at IS NULL";

const OVERVIEW: &str = "
SELECT s.id AS current_id, p.expires_at AS previous_until
FROM organizations o
JOIN signing_secrets s ON s.organization_id = o.id AND s.expires_at IS NULL
LEFT JOIN signing_secrets p ON p.organization_id = o.id AND p.expires_at > $4
WHERE o.id = $1 AND ($2 IS NULL OR o.tenant_id = $2) AND ($3 IS NULL OR o.id = $3)";
const ADD: &str = "
INSERT INTO signing_secrets (id, tenant_id, organization_id, secret) VALUES ($1, $2, $3, $4)";

row! {
    OverviewRow { current_id: Uuid, previous_until: Option<OffsetDateTime> }
}

row! {
    InForceRow { in_force: Uuid }
}

row! {
    SecretsRow {
        secret_organization_id: Uuid,
        current_id: Uuid,
        current: Vec<u8>,
        previous_id: Option<Uuid>,
        previous: Option<Vec<u8>>,
    }
}

/// Where an organization's secret lies.
pub(crate) fn secret_place(id: Uuid) -> Place {
    Place { table: "signing_secrets", column: "secret", id }
}

/// Opens both secrets of an organization.
pub(crate) fn into_secrets(row: SecretsRow, key: &SealingKey) -> Result<SigningSecrets, Failure> {
    let open = |id, sealed: &[u8]| {
        key.open(secret_place(id), sealed).ok_or_else(|| {
            Failure::impossible("signing_secrets", id, "the secret does not open with this key")
        })
    };
    let previous = match (row.previous_id, row.previous) {
        (Some(id), Some(sealed)) => Some(open(id, &sealed)?),
        (None, None) => None,
        _ => {
            let id = row.secret_organization_id;
            return Err(Failure::impossible("signing_secrets", id, "half a previous secret"));
        }
    };
    Ok(SigningSecrets { current: open(row.current_id, &row.current)?, previous })
}

/// Gives a new secret its id and seals it.
pub(crate) fn seal(
    keys: &AtRestKeys,
    secret: &Secret<Vec<u8>>,
    now: OffsetDateTime,
) -> Result<(Uuid, Vec<u8>), Failure> {
    let id = new_id(now)?;
    let sealed = seal_with(keys.sealing(), secret_place(id), secret.reveal())
        .map_err(|_| Failure::Refused("the secret could not be encrypted"))?;
    Ok((id, sealed))
}

#[async_trait]
impl Signing for Store {
    async fn show_signing_secrets(
        &self,
        reach: Reach,
        id: OrganizationId,
        deed: Deed,
    ) -> Result<SigningSecrets, SetupError> {
        let asking = reached(statement(CURRENT).bind(id.uuid()), reach).bind(deed.at);
        let note = |row: &Both<Found, SecretsRow>| {
            let Both(owner, _) = row;
            entry(&deed, owner.scope(), Action::SecretShow, id, Some(&owner.name))
        };
        let shown = self.audited(asking, note).await.map_err(StoreUnavailable::from)?;
        let Both(_, row) = shown.ok_or(SetupError::Unknown("organization"))?;
        Ok(into_secrets(row, self.key()).map_err(StoreUnavailable::from)?)
    }

    async fn rotate_signing_secret(
        &self,
        reach: Reach,
        id: OrganizationId,
        replacing: Option<SigningSecretId>,
        fresh: Secret<Vec<u8>>,
        overlap_until: OffsetDateTime,
        deed: Deed,
    ) -> Result<bool, SetupError> {
        let keys = self.sealing_keys().await.map_err(StoreUnavailable::from)?;
        let looking = reached(statement(LOCK).bind(id.uuid()), reach);
        let rotated = self
            .with(async |connection| {
                connection
                    .transaction::<_, Failure, _>(async |connection| {
                        let owner = looking.rows::<Found>(connection).await?;
                        let Some(owner) = owner.into_iter().next() else { return Ok(None) };
                        let current =
                            statement(IN_FORCE).bind(owner.id).rows::<InForceRow>(connection).await?;
                        let current = current.first().map(|row| row.in_force);
                        if replacing.is_some_and(|wanted| current != Some(wanted.uuid())) {
                            return Ok(Some(false));
                        }
                        statement(FORGET_OLDER).bind(owner.id).run(connection).await?;
                        statement(RETIRE).bind(owner.id).bind(overlap_until).run(connection).await?;
                        let (place, sealed) = seal(&keys, &fresh, deed.at)?;
                        let adding =
                            statement(ADD).bind(place).bind(owner.tenant_id).bind(owner.id).bind(sealed);
                        adding.run(connection).await?;
                        let noting =
                            entry(&deed, owner.scope(), Action::SecretRotate, id, Some(&owner.name))?;
                        noting.run(connection).await?;
                        Ok(Some(true))
                    })
                    .await
            })
            .await;
        rotated.map_err(StoreUnavailable::from)?.ok_or(SetupError::Unknown("organization"))
    }

    async fn signing_overview(
        &self,
        reach: Reach,
        id: OrganizationId,
        now: OffsetDateTime,
    ) -> Result<SigningOverview, SetupError> {
        let make = || reached(statement(OVERVIEW).bind(id.uuid()), reach).bind(now);
        let rows = self.read::<OverviewRow>(make).await.map_err(StoreUnavailable::from)?;
        let row = rows.into_iter().next().ok_or(SetupError::Unknown("organization"))?;
        let current = SigningSecretId::from_uuid(row.current_id);
        Ok(SigningOverview { current, previous_until: row.previous_until })
    }
}
