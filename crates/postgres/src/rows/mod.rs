//! Rebuilding domain values from rows; an impossible mix of columns names its table and id.

mod assistant;
mod call;
mod leg;
mod number;
mod organization;
mod transcript;
mod trunk;
mod user;

pub(crate) use assistant::{AssistantRow, assistant_columns, bind_assistant, texts};
pub(crate) use call::OutboundRow;
pub(crate) use leg::{LegRow, intent_binds};
pub(crate) use number::NumberRow;
pub(crate) use organization::OrganizationRow;
pub(crate) use transcript::{entries_from, entries_json, facts_from, facts_json};
pub(crate) use trunk::{TrunkRow, password_place};
pub(crate) use user::UserRow;

use diesel::deserialize::{QueryableByName, Result};
use diesel::pg::Pg;
use diesel::row::NamedRow;
use diesel::sql_types::{BigInt, Bool};

/// Two row types read from one joined row.
pub(crate) struct Both<A, B>(pub(crate) A, pub(crate) B);

impl<A: QueryableByName<Pg>, B: QueryableByName<Pg>> QueryableByName<Pg> for Both<A, B> {
    fn build<'a>(row: &impl NamedRow<'a, Pg>) -> Result<Self> {
        Ok(Self(A::build(row)?, B::build(row)?))
    }
}

/// A row of a page beside the total on all pages; a page beyond the end is one row that is not
/// `listed`.
pub(crate) struct Listed<R> {
    pub(crate) total: i64,
    pub(crate) item: Option<R>,
}

impl<R: QueryableByName<Pg>> QueryableByName<Pg> for Listed<R> {
    fn build<'a>(row: &impl NamedRow<'a, Pg>) -> Result<Self> {
        let total = NamedRow::get::<BigInt, i64>(row, "total")?;
        let listed = NamedRow::get::<Bool, bool>(row, "listed")?;
        Ok(Self { total, item: if listed { Some(R::build(row)?) } else { None } })
    }
}

/// The columns of an organization (`o`), as [`OrganizationRow`] reads them.
macro_rules! organization_columns {
    () => {
        "o.id, o.tenant_id, o.name, o.email, o.image, o.address, o.city, o.state_province, \
         o.postal_code, o.country, o.phone_number, o.timezone, o.external_id, o.owner_id, \
         o.created_by, o.last_modified_by, o.created_at, o.updated_at, o.deleted_at"
    };
}
pub(crate) use organization_columns;

/// The columns of a joined trunk (`t`), as [`TrunkRow`] reads them.
macro_rules! trunk_columns {
    () => {
        "t.id AS trunk_id, t.tenant_id AS trunk_tenant_id, t.name AS trunk_name, t.host, t.port, \
         t.transport AS trunk_transport, t.username, t.password, t.register, t.from_domain, \
         t.default_country, t.wideband, t.srtp, t.guarded, t.nat, t.media_networks, t.inbound_from, \
         t.realms, t.max_calls, t.calls_per_second, \
         t.created_at AS trunk_created_at"
    };
}
pub(crate) use trunk_columns;

/// The columns of a joined leg (`l`), as [`LegRow`] reads them.
macro_rules! leg_columns {
    () => {
        "l.call_id AS leg_call_id, l.owner, l.epoch, l.state, l.rang_at, l.answered_at, \
         l.trunk_id AS leg_trunk_id, l.sip_call_id, l.local_tag, l.branch, l.first_cseq, \
         l.request_uri, l.from_header, l.to_header, l.transport AS leg_transport, l.gateway, \
         l.remote_tag, l.remote_target, l.route_set, l.local_cseq"
    };
}
pub(crate) use leg_columns;

/// The columns of a joined outbound call (`o` and `c`), as [`OutboundRow`] reads them.
macro_rules! outbound_columns {
    () => {
        "c.id AS call_id, c.tenant_id, c.organization_id, c.assistant_id, c.number_id, \
         c.user_phone_number, c.user_name, c.created_at, o.contact_id, \
         o.trunk_id AS outbound_trunk_id, o.variables, o.callback_url"
    };
}
pub(crate) use outbound_columns;

/// The columns of a user (`u`), as [`UserRow`] reads them.
macro_rules! user_columns {
    () => {
        "u.id AS user_id, u.tenant_id AS user_tenant_id, u.organization_id AS user_organization_id, \
         u.email, u.role, u.password IS NOT NULL AS active, u.created_at AS user_created_at, u.signed_in_at"
    };
}
pub(crate) use user_columns;
