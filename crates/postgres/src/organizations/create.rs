//! Recording an organization with everything that is made together with it, in one statement.

use domain::at_rest::AtRestKeys;
use domain::audit::Deed;
use domain::ids::OrganizationId;
use domain::organization::{Organization, folded};
use domain::ports::{Created, NewOrganization};
use domain::secret::Secret;

use super::earlier::{EarlierRow, frozen};
use crate::audit::circumstances;
use crate::failure::Failure;
use crate::idempotency::{claimed, expired_before, key_binds, taken};
use crate::setup::new_id;
use crate::setup::signing::seal;
use crate::statement::{Statement, row, statement};
use crate::store::Store;

macro_rules! create_text {
    ($claimed:expr) => {
        concat!(
            "\nWITH ",
            $claimed,
            "organization AS (
    INSERT INTO organizations (id, tenant_id, name, email, image, address, city, state_province,
        postal_code, country, phone_number, timezone, external_id, owner_id, created_by,
        last_modified_by, created_at, updated_at, deleted_at, name_folded)
    SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20
    FROM claimed
), metadata AS (
    INSERT INTO organization_metadata (organization_id, version, id, tenant_id, metadata, created_at,
        created_by)
    SELECT $1, 1, $21, $2, '{}', $17, $15 FROM claimed
), secret AS (
    INSERT INTO signing_secrets (id, tenant_id, organization_id, secret)
    SELECT $22, $2, $1, $23 FROM claimed
), noted AS (
    INSERT INTO audit_entries (id, tenant_id, organization_id, at, actor, actor_id, actor_name, address,
        action, subject, subject_name)
    SELECT $24, $2, $1, $25, $26, $27, $28, $29, 'organization.create', $1::uuid::text, $3 FROM claimed
)
SELECT true AS done FROM claimed"
        )
    };
}

pub(crate) const CREATE: &str = create_text!("claimed AS (SELECT), ");

const CREATE_ONCE: &str =
    create_text!(claimed!("$2, $30, 'organization', $31, $32, $1, $33, $17", "", expired = "$34"));

const EARLIER: &str = concat!(
    "WITH ",
    taken!("organization"),
    " SELECT resource_id, fingerprint, answer, created_at FROM taken"
);

row! {
    Done { done: bool }
}

/// How often a key is asked for that was forgotten between claiming and reading it.
const ATTEMPTS: usize = 3;

pub(super) async fn create(store: &Store, new: NewOrganization) -> Result<Created, Failure> {
    let keys = store.sealing_keys().await?;
    let NewOrganization { organization, signing_secret, once, deed } = new;
    let Some(once) = once else {
        let making = binds(statement(CREATE), &keys, &organization, &signing_secret, &deed)?;
        store.write::<Done>(making).await?;
        return Ok(Created::Fresh);
    };
    let at = organization.created_at;
    for _ in 0..ATTEMPTS {
        let making = binds(statement(CREATE_ONCE), &keys, &organization, &signing_secret, &deed)?
            .bind(once.scope.organization().map(OrganizationId::uuid))
            .bind(once.key.as_str().to_owned())
            .bind(once.fingerprint.to_vec())
            .bind(frozen(&organization))
            .bind(expired_before(at));
        if store.write::<Done>(making).await?.iter().any(|row| row.done) {
            return Ok(Created::Fresh);
        }
        let asking = || key_binds(statement(EARLIER), &once, at);
        if let Some(earlier) = store.read::<EarlierRow>(asking).await?.into_iter().next() {
            return Ok(Created::Earlier(earlier.judge(&once)?));
        }
    }
    Err(Failure::Refused("the idempotency key is neither free nor taken"))
}

/// Adds an organization with its secret, its metadata record and its entry in the audit log: for a transaction of more than that.
pub(crate) fn adding(
    keys: &AtRestKeys,
    organization: &Organization,
    secret: &Secret<Vec<u8>>,
    deed: &Deed,
) -> Result<Statement, Failure> {
    binds(statement(CREATE), keys, organization, secret, deed)
}

/// Binds `$1` to `$29`.
fn binds(
    statement: Statement,
    keys: &AtRestKeys,
    organization: &Organization,
    secret: &Secret<Vec<u8>>,
    deed: &Deed,
) -> Result<Statement, Failure> {
    let own = organization.clone();
    let name = folded(&own.profile.name);
    let (secret, sealed) = seal(keys, secret, own.created_at)?;
    let made = statement
        .bind(own.id.uuid())
        .bind(own.tenant.uuid())
        .bind(own.profile.name)
        .bind(own.profile.email)
        .bind(own.profile.image)
        .bind(own.profile.address)
        .bind(own.profile.city)
        .bind(own.profile.state_province)
        .bind(own.profile.postal_code)
        .bind(own.profile.country)
        .bind(own.profile.phone_number)
        .bind(own.profile.timezone.as_str())
        .bind(own.profile.external_id)
        .bind(own.owner_id)
        .bind(own.created_by)
        .bind(own.last_modified_by)
        .bind(own.created_at)
        .bind(own.updated_at)
        .bind(own.deleted_at)
        .bind(name)
        .bind(new_id(own.created_at)?)
        .bind(secret)
        .bind(sealed)
        .bind(new_id(deed.at)?);
    Ok(circumstances(made, deed))
}
