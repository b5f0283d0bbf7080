//! The audit log: entries are written in the transaction of what they tell of.

use std::net::IpAddr;

use async_trait::async_trait;
use diesel_async::AsyncConnection;
use domain::audit::{Action, Actor, AuditEntry, Deed};
use domain::ids::{AuditId, KeyId, OrganizationId, TenantId, UserId};
use domain::ports::{AuditLog, StoreUnavailable};
use domain::scope::Scope;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::failure::Failure;
use crate::setup::new_id;
use crate::statement::{Row, Statement, row, statement};
use crate::store::Store;

const ADD: &str = "
INSERT INTO audit_entries (id, tenant_id, organization_id, at, actor, actor_id, actor_name, address, action,
    subject, subject_name)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";

// Whatever stands before an entry of the same list is older, or was written in the same moment under a
// lesser id. The first page has a text of its own: with an `OR` the place in the index would be no more
// than a filter.
macro_rules! read_text {
    ($of:literal, $($older:literal),+) => {
        concat!(
            "SELECT id, tenant_id, organization_id, at, actor, actor_id, actor_name, address, action, subject, \
             subject_name FROM audit_entries WHERE ",
            $of,
            $($older,)+
            " ORDER BY at DESC, id DESC LIMIT $3"
        )
    };
}

macro_rules! older {
    ($of:literal) => {
        read_text!($of, " AND (at, id) < (SELECT at, id FROM audit_entries WHERE id = $4 AND ", $of, ")")
    };
}

const OF_TENANT: &str = read_text!("tenant_id = $1 AND $2 IS NULL", "");
const OF_TENANT_OLDER: &str = older!("tenant_id = $1 AND $2 IS NULL");
const OF_ORGANIZATION: &str = read_text!("tenant_id = $1 AND organization_id = $2", "");
const OF_ORGANIZATION_OLDER: &str = older!("tenant_id = $1 AND organization_id = $2");

row! {
    EntryRow {
        id: Uuid,
        tenant_id: Uuid,
        organization_id: Option<Uuid>,
        at: OffsetDateTime,
        actor: String,
        actor_id: Option<Uuid>,
        actor_name: Option<String>,
        address: Option<String>,
        action: String,
        subject: String,
        subject_name: Option<String>,
    }
}

/// The statement that notes a change; it belongs into the transaction of the change. `within` is what
/// the change belongs to: an organization, or the whole tenant.
pub(crate) fn entry(
    deed: &Deed,
    within: Scope,
    action: Action,
    subject: impl std::fmt::Display + Copy,
    name: Option<&str>,
) -> Result<Statement, Failure> {
    let adding = statement(ADD)
        .bind(new_id(deed.at)?)
        .bind(within.tenant().uuid())
        .bind(within.organization().map(OrganizationId::uuid));
    Ok(circumstances(adding, deed)
        .bind(action.as_str())
        .bind(subject.to_string())
        .bind(name.map(str::to_owned)))
}

/// Binds when, the actor's kind, id and name, and from which address.
pub(crate) fn circumstances(statement: Statement, deed: &Deed) -> Statement {
    let (kind, id, name) = actor_columns(&deed.actor);
    statement.bind(deed.at).bind(kind).bind(id).bind(name).bind(deed.from.map(|address| address.to_string()))
}

/// The kind, id and name by which an actor is kept.
pub(crate) fn actor_columns(actor: &Actor) -> (&'static str, Option<Uuid>, Option<String>) {
    let (id, name) = match actor {
        Actor::User(id, email) => (Some(id.uuid()), Some(email.clone())),
        Actor::Key(id) => (Some(id.uuid()), None),
        Actor::Operator => (None, None),
    };
    (actor.kind(), id, name)
}

/// Reads them; none when they are nobody's.
pub(crate) fn actor_of(kind: &str, id: Option<Uuid>, name: Option<String>) -> Option<Actor> {
    match (kind, id, name) {
        ("user", Some(id), Some(email)) => Some(Actor::User(UserId::from_uuid(id), email)),
        ("key", Some(id), None) => Some(Actor::Key(KeyId::from_uuid(id))),
        ("operator", None, None) => Some(Actor::Operator),
        _ => None,
    }
}

/// Reads from which address something was done, where one was kept.
pub(crate) fn address_of(
    text: Option<String>,
    broken: impl Fn(&'static str) -> Failure,
) -> Result<Option<IpAddr>, Failure> {
    text.map(|text| text.parse().map_err(|_| broken("the address is none"))).transpose()
}

impl Store {
    /// One statement that changes at most one row and tells it, together with the entry that
    /// `note` makes of it; when nothing was changed, nothing is noted.
    pub(crate) async fn audited<R: Row>(
        &self,
        change: Statement,
        note: impl FnOnce(&R) -> Result<Statement, Failure> + Send,
    ) -> Result<Option<R>, Failure> {
        self.with(async |connection| {
            connection
                .transaction::<_, Failure, _>(async |connection| {
                    let changed = change.rows::<R>(connection).await?.into_iter().next();
                    if let Some(row) = &changed {
                        note(row)?.run(connection).await?;
                    }
                    Ok(changed)
                })
                .await
        })
        .await
    }
}

#[async_trait]
impl AuditLog for Store {
    async fn entries(
        &self,
        scope: Scope,
        organization: Option<OrganizationId>,
        before: Option<AuditId>,
        limit: u32,
    ) -> Result<Vec<AuditEntry>, StoreUnavailable> {
        let organization = match (scope.organization(), organization) {
            (Some(own), Some(other)) if own != other => return Ok(Vec::new()),
            (own, named) => own.or(named),
        };
        let text = match (organization, before) {
            (None, None) => OF_TENANT,
            (None, Some(_)) => OF_TENANT_OLDER,
            (Some(_), None) => OF_ORGANIZATION,
            (Some(_), Some(_)) => OF_ORGANIZATION_OLDER,
        };
        let asking = statement(text)
            .bind(scope.tenant().uuid())
            .bind(organization.map(OrganizationId::uuid))
            .bind(i64::from(limit));
        let asking = match before {
            Some(before) => asking.bind(before.uuid()),
            None => asking,
        };
        let rows = self.list::<EntryRow>(asking).await?;
        Ok(rows.into_iter().map(EntryRow::into_entry).collect::<Result<_, _>>()?)
    }
}

impl EntryRow {
    fn into_entry(self) -> Result<AuditEntry, Failure> {
        let broken = |why| Failure::impossible("audit_entries", self.id, why);
        let actor = actor_of(&self.actor, self.actor_id, self.actor_name);
        let actor = actor.ok_or_else(|| broken("the actor is nobody"))?;
        let from = address_of(self.address, broken)?;
        Ok(AuditEntry {
            id: AuditId::from_uuid(self.id),
            tenant: TenantId::from_uuid(self.tenant_id),
            organization: self.organization_id.map(OrganizationId::from_uuid),
            deed: Deed { actor, from, at: self.at },
            action: Action::parse(&self.action).ok_or_else(|| broken("the action is unknown"))?,
            subject: self.subject,
            name: self.subject_name,
        })
    }
}
