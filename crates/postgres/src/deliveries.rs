//! What became of callbacks: a page at a time, each with its tries.

use std::time::Duration;

use async_trait::async_trait;
use domain::callback::{CallbackUrl, DeliveryState};
use domain::ids::{CallId, OrganizationId};
use domain::ports::{Deliveries, Delivery, DeliveryTry, StoreUnavailable, TryOutcome, TryRecord};
use domain::scope::Scope;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::audit::actor_of;
use crate::failure::Failure;
use crate::rows::Both;
use crate::statement::{row, statement};
use crate::store::Store;

/// The columns of a try (`t`), as [`TryRow`] reads them.
macro_rules! try_columns {
    () => {
        "t.try AS number, t.began_at, t.took_ms, t.outcome, t.http_status, t.detail, t.actor, t.actor_id, t.actor_name"
    };
}
pub(crate) use try_columns;

macro_rules! with_tries {
    ($($of:literal),+) => {
        concat!(
            "WITH page AS MATERIALIZED (
                SELECT call_id, organization_id, url, prepared_at, state, due_at, manual_until, manual_tries
                FROM callbacks WHERE ",
            $($of,)+
            " ORDER BY call_id DESC LIMIT $4
            )
            SELECT p.*, ",
            try_columns!(),
            " FROM page p LEFT JOIN callback_tries t ON t.call_id = p.call_id ORDER BY p.call_id DESC, t.try"
        )
    };
}

macro_rules! page_text {
    ($state:literal) => {
        with_tries!("tenant_id = $1 AND organization_id = $2 AND call_id < $3", $state)
    };
}

// The state stands in the text, so that each finds its own part of the index.
const ALL: &str = page_text!("");
const PENDING: &str = page_text!(" AND state = 'pending'");
const DELIVERED: &str = page_text!(" AND state = 'delivered'");
const GIVEN_UP: &str = page_text!(" AND state = 'given-up'");

const OF_CALL: &str = with_tries!("tenant_id = $1 AND ($2 IS NULL OR organization_id = $2) AND call_id = $3");

const KNOWN: &str = "SELECT true AS known FROM organizations WHERE tenant_id = $1 AND id = $2";

row! {
    CallbackRow {
        call_id: Uuid,
        organization_id: Uuid,
        url: String,
        prepared_at: OffsetDateTime,
        state: String,
        due_at: OffsetDateTime,
        manual_until: Option<OffsetDateTime>,
        manual_tries: i16,
    }
}

row! {
    /// A try; nothing in the place of one that a callback does not have.
    TryRow {
        number: Option<i16>,
        began_at: Option<OffsetDateTime>,
        took_ms: Option<i64>,
        outcome: Option<String>,
        http_status: Option<i32>,
        detail: Option<String>,
        actor: Option<String>,
        actor_id: Option<Uuid>,
        actor_name: Option<String>,
    }
}

row! {
    Known { known: bool }
}

#[async_trait]
impl Deliveries for Store {
    async fn page(
        &self,
        scope: Scope,
        organization: OrganizationId,
        state: Option<DeliveryState>,
        before: Option<CallId>,
        limit: u32,
    ) -> Result<Option<Vec<Delivery>>, StoreUnavailable> {
        let (tenant, id) = (scope.tenant().uuid(), organization.uuid());
        if !scope.covers(scope.tenant(), organization) {
            return Ok(None);
        }
        let text = match state {
            None => ALL,
            Some(DeliveryState::Pending) => PENDING,
            Some(DeliveryState::Delivered) => DELIVERED,
            Some(DeliveryState::GivenUp) => GIVEN_UP,
        };
        let before = before.map_or(Uuid::max(), CallId::uuid);
        let asking = statement(text).bind(tenant).bind(id).bind(before).bind(i64::from(limit));
        let rows = self.list::<Both<CallbackRow, TryRow>>(asking).await?;
        if rows.is_empty() {
            let known = self.read::<Known>(|| statement(KNOWN).bind(tenant).bind(id)).await?;
            return Ok(known.iter().any(|row| row.known).then(Vec::new));
        }
        Ok(Some(deliveries(rows)?))
    }

    async fn of_call(&self, scope: Scope, call: CallId) -> Result<Option<Delivery>, StoreUnavailable> {
        let make = || {
            statement(OF_CALL)
                .bind(scope.tenant().uuid())
                .bind(scope.organization().map(OrganizationId::uuid))
                .bind(call.uuid())
                .bind(1_i64)
        };
        Ok(deliveries(self.read::<Both<CallbackRow, TryRow>>(make).await?)?.into_iter().next())
    }
}

/// Rows of one callback stand together, one for each try, or one without any.
fn deliveries(rows: Vec<Both<CallbackRow, TryRow>>) -> Result<Vec<Delivery>, Failure> {
    let mut found: Vec<Delivery> = Vec::new();
    for Both(callback, tried) in rows {
        let call = callback.call_id;
        let tried = tried.into_try(call)?;
        match found.last_mut().filter(|last| last.call.uuid() == call) {
            Some(last) => last.tries.extend(tried),
            None => found.push(Delivery { tries: tried.into_iter().collect(), ..callback.into_delivery()? }),
        }
    }
    Ok(found)
}

impl CallbackRow {
    fn into_delivery(self) -> Result<Delivery, Failure> {
        let broken = |why| Failure::impossible("callbacks", self.call_id, why);
        let state = DeliveryState::parse(&self.state).ok_or_else(|| broken("the state is unknown"))?;
        Ok(Delivery {
            call: CallId::from_uuid(self.call_id),
            organization: OrganizationId::from_uuid(self.organization_id),
            url: CallbackUrl::from_stored(&self.url).ok_or_else(|| broken("the URL cannot be read"))?,
            prepared_at: self.prepared_at,
            state,
            due_at: (state == DeliveryState::Pending).then_some(self.due_at),
            manual_until: self.manual_until,
            manual_tries: u16::try_from(self.manual_tries).map_err(|_| broken("tries are out of range"))?,
            tries: Vec::new(),
        })
    }
}

impl TryRow {
    pub(crate) fn into_try(self, call: Uuid) -> Result<Option<DeliveryTry>, Failure> {
        let broken = |why| Failure::impossible("callback_tries", call, why);
        let (Some(number), Some(began_at), Some(took_ms)) = (self.number, self.began_at, self.took_ms) else {
            return Ok(None);
        };
        let outcome = match (self.outcome.as_deref(), self.http_status, self.detail) {
            (Some("answered"), Some(status), _) => {
                TryOutcome::Answered(u16::try_from(status).map_err(|_| broken("the status is out of range"))?)
            }
            (Some("timed-out"), None, _) => TryOutcome::TimedOut,
            (Some("broken"), None, Some(why)) => TryOutcome::Broken(why),
            (Some("refused"), None, Some(why)) => TryOutcome::Refused(why),
            _ => return Err(broken("the outcome cannot be read")),
        };
        let nobody = || broken("the actor is nobody");
        let by = self.actor.map(|kind| actor_of(&kind, self.actor_id, self.actor_name).ok_or_else(nobody));
        let by = by.transpose()?;
        let took =
            Duration::from_millis(u64::try_from(took_ms).map_err(|_| broken("it took less than nothing"))?);
        let number = u16::try_from(number).map_err(|_| broken("its number is out of range"))?;
        Ok(Some(DeliveryTry { number, record: TryRecord { began_at, took, outcome }, by }))
    }
}
