//! Changing users. A tenant keeps somebody who manages it.

use diesel_async::AsyncConnection;
use domain::audit::{Action, Deed};
use domain::ids::UserId;
use domain::ports::{NewPassword, UserChange};
use domain::scope::Scope;
use domain::user::Role;

use super::add::LOCK_TENANT;
use super::{USER, note, scoped, within};
use crate::failure::Failure;
use crate::rows::{UserRow, user_columns};
use crate::statement::{Statement, statement};
use crate::store::Store;

/// Whether the user (`u`) is not the last one who manages the tenant.
macro_rules! not_last {
    () => {
        "(u.role <> 'admin' OR u.organization_id IS NOT NULL OR u.password IS NULL OR EXISTS (
        SELECT FROM users o WHERE o.tenant_id = $1 AND o.id <> u.id AND o.removed_at IS NULL
            AND o.role = 'admin' AND o.organization_id IS NULL AND o.password IS NOT NULL))"
    };
}

const ROLE: &str = concat!(
    "UPDATE users u SET role = $4 WHERE ",
    within!(),
    " AND u.id = $3 AND ($4 = 'admin' OR ",
    not_last!(),
    ") RETURNING ",
    user_columns!()
);

// The returned columns are those of the row as written: what it was is told before.
const REMOVE: &str = concat!(
    "
WITH gone AS (
    SELECT ",
    user_columns!(),
    " FROM users u WHERE ",
    within!(),
    " AND u.id = $3 AND ",
    not_last!(),
    " FOR UPDATE
), removed AS (
    UPDATE users SET removed_at = $4, password = NULL WHERE id = (SELECT user_id FROM gone)
)
SELECT * FROM gone"
);

const END_SESSIONS: &str = "DELETE FROM sessions WHERE user_id = $1 AND ($2 IS NULL OR digest <> $2)";
const FORGET_LINK: &str = "DELETE FROM one_time_links WHERE user_id = $1";

const PASSWORD: &str = concat!(
    "UPDATE users u SET password = $3 WHERE u.id = $1 AND u.password = $2 AND u.removed_at IS NULL RETURNING ",
    user_columns!()
);

pub(super) async fn role(
    store: &Store,
    scope: Scope,
    id: UserId,
    role: Role,
    deed: &Deed,
) -> Result<UserChange, Failure> {
    let changing = scoped(statement(ROLE), scope).bind(id.uuid()).bind(role.as_str());
    change(store, scope, id, (changing, Vec::new()), (deed, Action::UserRole)).await
}

pub(super) async fn remove(
    store: &Store,
    scope: Scope,
    id: UserId,
    deed: &Deed,
) -> Result<UserChange, Failure> {
    let removing = scoped(statement(REMOVE), scope).bind(id.uuid()).bind(deed.at);
    let further = vec![end_sessions(id, None), forget_link(id)];
    change(store, scope, id, (removing, further), (deed, Action::UserRemove)).await
}

/// Runs a guarded change of one user, and what goes with it.
async fn change(
    store: &Store,
    scope: Scope,
    id: UserId,
    (changing, further): (Statement, Vec<Statement>),
    (deed, action): (&Deed, Action),
) -> Result<UserChange, Failure> {
    store
        .with(async |connection| {
            connection
                .transaction::<_, Failure, _>(async |connection| {
                    statement(LOCK_TENANT).bind(scope.tenant().uuid()).run(connection).await?;
                    if let Some(user) = changing.rows::<UserRow>(connection).await?.into_iter().next() {
                        for statement in further {
                            statement.run(connection).await?;
                        }
                        note(deed, &user, action)?.run(connection).await?;
                        return Ok(UserChange::Done(user.into_user()?));
                    }
                    let looking = scoped(statement(USER), scope).bind(id.uuid());
                    let found = looking.rows::<UserRow>(connection).await?;
                    Ok(if found.is_empty() { UserChange::Unknown } else { UserChange::LastAdmin })
                })
                .await
        })
        .await
}

pub(super) async fn password(store: &Store, password: NewPassword, deed: &Deed) -> Result<bool, Failure> {
    let NewPassword { user: id, proved, hash, keep } = password;
    store
        .with(async |connection| {
            connection
                .transaction::<_, Failure, _>(async |connection| {
                    let setting = statement(PASSWORD).bind(id.uuid());
                    let setting = setting.bind(proved.reveal().clone()).bind(hash.reveal().clone());
                    let Some(user) = setting.rows::<UserRow>(connection).await?.into_iter().next() else {
                        return Ok(false);
                    };
                    end_sessions(id, keep.map(|session| session.0.to_vec())).run(connection).await?;
                    forget_link(id).run(connection).await?;
                    note(deed, &user, Action::UserPassword)?.run(connection).await?;
                    Ok(true)
                })
                .await
        })
        .await
}

/// Ends a user's sessions, but for the one with the kept digest.
pub(crate) fn end_sessions(user: UserId, keep: Option<Vec<u8>>) -> Statement {
    statement(END_SESSIONS).bind(user.uuid()).bind(keep)
}

fn forget_link(user: UserId) -> Statement {
    statement(FORGET_LINK).bind(user.uuid())
}
