//! What became of callbacks, for people.

use async_trait::async_trait;
use time::OffsetDateTime;

use super::{StoreUnavailable, TryRecord};
use crate::audit::Actor;
use crate::callback::{CallbackUrl, DeliveryState};
use crate::ids::{CallId, OrganizationId};
use crate::scope::Scope;

/// A callback with all that was tried of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The call that it reports.
    pub call: CallId,
    /// Whose call it is.
    pub organization: OrganizationId,
    /// Where it goes.
    pub url: CallbackUrl,
    /// When it was queued.
    pub prepared_at: OffsetDateTime,
    /// How far it is.
    pub state: DeliveryState,
    /// When the next try of the schedule is due, or was; none when there is none to come.
    pub due_at: Option<OffsetDateTime>,
    /// Until when a try by hand is under way at most.
    pub manual_until: Option<OffsetDateTime>,
    /// How many tries by hand were begun.
    pub manual_tries: u16,
    /// The tries, in order.
    pub tries: Vec<DeliveryTry>,
}

impl Delivery {
    /// The tries by hand that were begun and of which nobody tells any more how they went: the process died
    /// meanwhile, or could not record it in time. They may have arrived.
    pub fn untold(&self, now: OffsetDateTime) -> Vec<u16> {
        let scheduled = self.tries.iter().filter(|tried| tried.by.is_none()).count();
        let begun = u16::try_from(scheduled).unwrap_or(u16::MAX).saturating_add(self.manual_tries);
        let under_way = self.manual_until.is_some_and(|until| until > now);
        let over = if under_way { begun.saturating_sub(1) } else { begun };
        (1..=over).filter(|number| self.tries.iter().all(|tried| tried.number != *number)).collect()
    }
}

/// One try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryTry {
    /// Its number, from 1. A number is missing when the process died during a try by hand.
    pub number: u16,
    /// When, how long, and how it went.
    pub record: TryRecord,
    /// Who made it by hand; none for one of the schedule.
    pub by: Option<Actor>,
}

/// The callbacks of organizations.
#[async_trait]
pub trait Deliveries: Send + Sync {
    /// At most `limit` callbacks of an organization whose calls are older than `before`, the newest call
    /// first; of one state when it is named. None when the organization is unknown or out of scope; a
    /// deleted one's stay readable.
    async fn page(
        &self,
        scope: Scope,
        organization: OrganizationId,
        state: Option<DeliveryState>,
        before: Option<CallId>,
        limit: u32,
    ) -> Result<Option<Vec<Delivery>>, StoreUnavailable>;

    /// The callback of one call; none when it has none, or is unknown or out of scope.
    async fn of_call(&self, scope: Scope, call: CallId) -> Result<Option<Delivery>, StoreUnavailable>;
}
