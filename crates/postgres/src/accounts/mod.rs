//! Users, and how they are changed.

mod add;
mod change;

pub(crate) use add::adding;
pub(crate) use change::end_sessions;

use async_trait::async_trait;
use domain::audit::{Action, Deed, role_change};
use domain::ids::{OrganizationId, UserId};
use domain::organization::folded;
use domain::page::PageRequest;
use domain::password::PasswordHash;
use domain::ports::{
    Accounts, AddUserError, Admission, ListedUser, NewPassword, StoreUnavailable, UserChange,
};
use domain::scope::Scope;
use domain::session::Link;
use domain::user::{Role, User};

use crate::audit::entry;
use crate::failure::Failure;
use crate::rows::{Both, UserRow, user_columns};
use crate::setup::paged;
use crate::statement::{Statement, row, statement};
use crate::store::Store;

/// The live users (`u`) that a scope, `$1` and `$2`, reaches.
macro_rules! within {
    () => {
        "u.tenant_id = $1 AND ($2 IS NULL OR u.organization_id = $2) AND u.removed_at IS NULL"
    };
}
use within;

const USERS: &str = concat!(
    "SELECT ",
    user_columns!(),
    ", o.name AS organization_name FROM users u LEFT JOIN organizations o ON o.id = u.organization_id WHERE ",
    within!(),
    " ORDER BY u.created_at, u.id LIMIT $3 OFFSET $4"
);

const USER: &str = concat!("SELECT ", user_columns!(), " FROM users u WHERE ", within!(), " AND u.id = $3");

const BY_EMAIL: &str = concat!(
    "SELECT ",
    user_columns!(),
    " FROM users u WHERE u.email_folded = $1 AND u.removed_at IS NULL ORDER BY u.created_at, u.id"
);

const HASH_BY_EMAIL: &str = "
SELECT password FROM users WHERE email_folded = $1 AND removed_at IS NULL AND password IS NOT NULL
ORDER BY created_at, id LIMIT 1";

const INVITE: &str = concat!(
    "
WITH invited AS (
    SELECT ",
    user_columns!(),
    " FROM users u WHERE ",
    within!(),
    " AND u.id = $3
), link AS (
    INSERT INTO one_time_links (digest, user_id, created_at, expires_at)
    SELECT $4, user_id, $5, $6 FROM invited
    ON CONFLICT (user_id) DO UPDATE
        SET digest = excluded.digest, created_at = excluded.created_at, expires_at = excluded.expires_at
)
SELECT * FROM invited"
);

row! {
    HashRow { password: String }
}

row! {
    OrganizationOfUser { organization_name: Option<String> }
}

#[async_trait]
impl Accounts for Store {
    async fn users(&self, scope: Scope, page: PageRequest) -> Result<Vec<ListedUser>, StoreUnavailable> {
        let asking = paged(scoped(statement(USERS), scope), page);
        let rows = self.list::<Both<UserRow, OrganizationOfUser>>(asking).await?;
        let listed = rows.into_iter().map(|Both(user, own)| {
            Ok(ListedUser { user: user.into_user()?, organization_name: own.organization_name })
        });
        Ok(listed.collect::<Result<_, Failure>>()?)
    }

    async fn user(&self, scope: Scope, id: UserId) -> Result<Option<User>, StoreUnavailable> {
        let rows = self.read::<UserRow>(|| scoped(statement(USER), scope).bind(id.uuid())).await?;
        Ok(rows.into_iter().next().map(UserRow::into_user).transpose()?)
    }

    async fn users_by_email(&self, email: &str) -> Result<Vec<User>, StoreUnavailable> {
        let rows = self.read::<UserRow>(|| statement(BY_EMAIL).bind(folded(email))).await?;
        Ok(rows.into_iter().map(UserRow::into_user).collect::<Result<_, Failure>>()?)
    }

    async fn hash_by_email(&self, email: &str) -> Result<Option<PasswordHash>, StoreUnavailable> {
        let rows = self.read::<HashRow>(|| statement(HASH_BY_EMAIL).bind(folded(email))).await?;
        Ok(rows.into_iter().next().map(|row| PasswordHash::from_phc(row.password)))
    }

    async fn add(&self, user: User, admission: Admission, deed: Deed) -> Result<(), AddUserError> {
        add::add(self, user, admission, deed).await
    }

    async fn invite(
        &self,
        scope: Scope,
        id: UserId,
        link: Link,
        deed: Deed,
    ) -> Result<Option<User>, StoreUnavailable> {
        let inviting = scoped(statement(INVITE), scope)
            .bind(id.uuid())
            .bind(link.digest.0.to_vec())
            .bind(link.created_at)
            .bind(link.expires_at);
        let invited = self.audited::<UserRow>(inviting, |user| note(&deed, user, Action::UserInvite)).await?;
        Ok(invited.map(UserRow::into_user).transpose()?)
    }

    async fn change_role(
        &self,
        scope: Scope,
        id: UserId,
        role: Role,
        deed: Deed,
    ) -> Result<UserChange, StoreUnavailable> {
        Ok(change::role(self, scope, id, role, &deed).await?)
    }

    async fn remove(&self, scope: Scope, id: UserId, deed: Deed) -> Result<UserChange, StoreUnavailable> {
        Ok(change::remove(self, scope, id, &deed).await?)
    }

    async fn set_password(&self, password: NewPassword, deed: Deed) -> Result<bool, StoreUnavailable> {
        Ok(change::password(self, password, &deed).await?)
    }
}

/// Binds `$1` and `$2`.
fn scoped(statement: Statement, scope: Scope) -> Statement {
    statement.bind(scope.tenant().uuid()).bind(scope.organization().map(OrganizationId::uuid))
}

/// The audit log's entry of something done to a user.
pub(crate) fn note(deed: &Deed, user: &UserRow, action: Action) -> Result<Statement, Failure> {
    let tenant = domain::ids::TenantId::from_uuid(user.user_tenant_id);
    let organization = user.user_organization_id.map(OrganizationId::from_uuid);
    let within = organization.map_or(Scope::Tenant(tenant), |own| Scope::Organization(tenant, own));
    let name = match (action, Role::parse(&user.role)) {
        (Action::UserRole, Some(role)) => role_change(&user.email, role),
        _ => user.email.clone(),
    };
    entry(deed, within, action, user.user_id, Some(&name))
}
