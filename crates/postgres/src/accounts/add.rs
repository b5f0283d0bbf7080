//! Adding a user, with a password or an invitation.

use diesel_async::{AsyncConnection, AsyncPgConnection};
use domain::audit::{Action, Deed};
use domain::ids::OrganizationId;
use domain::organization::folded;
use domain::ports::{AddUserError, Admission, StoreUnavailable, USERS_MAX};
use domain::scope::{Reach, Scope};
use domain::session::Link;
use domain::user::User;

use crate::audit::entry;
use crate::failure::Failure;
use crate::setup::{Found, LIVE_ORGANIZATION};
use crate::statement::{Statement, reached, row, statement};
use crate::store::Store;

// Users of one tenant are added and changed one after another, or two could be the thousandth, and
// two last admins could go together.
pub(super) const LOCK_TENANT: &str = "SELECT true AS done FROM tenants WHERE id = $1 FOR NO KEY UPDATE";

const COUNT: &str = "SELECT count(*) AS live FROM users WHERE tenant_id = $1 AND removed_at IS NULL";

pub(crate) const ADD: &str = "
INSERT INTO users (id, tenant_id, organization_id, email, email_folded, role, password, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (tenant_id, email_folded) WHERE removed_at IS NULL DO NOTHING RETURNING true AS done";

const ADD_LINK: &str =
    "INSERT INTO one_time_links (digest, user_id, created_at, expires_at) VALUES ($1, $2, $3, $4)";

// A set-up that is under way ends first; one that comes later finds no link.
const CLOSE_SET_UP: &str = "DELETE FROM one_time_links WHERE user_id IS NULL";

row! {
    Done { done: bool }
}

row! {
    Live { live: i64 }
}

enum Added {
    Done,
    UnknownOwner,
    EmailTaken,
    TooMany,
}

pub(super) async fn add(
    store: &Store,
    user: User,
    admission: Admission,
    deed: Deed,
) -> Result<(), AddUserError> {
    let added = store
        .with(async |connection| {
            connection
                .transaction::<_, Failure, _>(async |connection| {
                    within(connection, &user, &admission, &deed).await
                })
                .await
        })
        .await;
    match added.map_err(StoreUnavailable::from)? {
        Added::Done => Ok(()),
        Added::UnknownOwner => Err(AddUserError::UnknownOwner),
        Added::EmailTaken => Err(AddUserError::EmailTaken),
        Added::TooMany => Err(AddUserError::TooMany),
    }
}

async fn within(
    connection: &mut AsyncPgConnection,
    user: &User,
    admission: &Admission,
    deed: &Deed,
) -> Result<Added, Failure> {
    let tenant = user.tenant.uuid();
    if !any(statement(LOCK_TENANT).bind(tenant), connection).await? {
        return Ok(Added::UnknownOwner);
    }
    if let Some(organization) = user.organization {
        let looking = statement(LIVE_ORGANIZATION).bind(organization.uuid());
        let looking = reached(looking, Reach::Within(Scope::Tenant(user.tenant)));
        if looking.rows::<Found>(connection).await?.is_empty() {
            return Ok(Added::UnknownOwner);
        }
    }
    let live = statement(COUNT).bind(tenant).rows::<Live>(connection).await?;
    let live = live.first().map_or(0, |row| row.live);
    if usize::try_from(live).is_ok_and(|live| live >= USERS_MAX) {
        return Ok(Added::TooMany);
    }
    let password = match admission {
        Admission::Password(hash) => Some(hash.reveal().clone()),
        Admission::Invitation(_) => None,
    };
    if !any(adding(user, password), connection).await? {
        return Ok(Added::EmailTaken);
    }
    if let Admission::Invitation(Link { digest, created_at, expires_at }) = admission {
        let linking = statement(ADD_LINK).bind(digest.0.to_vec()).bind(user.id.uuid());
        linking.bind(*created_at).bind(*expires_at).run(connection).await?;
    }
    statement(CLOSE_SET_UP).run(connection).await?;
    let told = entry(deed, user.scope(), Action::UserCreate, user.id, Some(&user.email))?;
    told.run(connection).await?;
    Ok(Added::Done)
}

async fn any(statement: Statement, connection: &AsyncPgConnection) -> Result<bool, Failure> {
    Ok(statement.rows::<Done>(connection).await?.iter().any(|row| row.done))
}

/// Adds the user's row, unless somebody of the tenant has the e-mail address.
pub(crate) fn adding(user: &User, password: Option<String>) -> Statement {
    statement(ADD)
        .bind(user.id.uuid())
        .bind(user.tenant.uuid())
        .bind(user.organization.map(OrganizationId::uuid))
        .bind(user.email.clone())
        .bind(folded(&user.email))
        .bind(user.role.as_str())
        .bind(password)
        .bind(user.created_at)
}
