//! What became of callbacks, in memory.

use async_trait::async_trait;

use super::{CallbackEntry, Delivery as Stage, InMemory, State};
use crate::callback::DeliveryState;
use crate::ids::{CallId, OrganizationId};
use crate::ports::{Deliveries, Delivery, DeliveryTry, StoreUnavailable};
use crate::scope::Scope;

#[async_trait]
impl Deliveries for InMemory {
    async fn page(
        &self,
        scope: Scope,
        organization: OrganizationId,
        wanted: Option<DeliveryState>,
        before: Option<CallId>,
        limit: u32,
    ) -> Result<Option<Vec<Delivery>>, StoreUnavailable> {
        let state = self.reach()?;
        let owner = state.organizations.get(&organization).map(|entry| entry.organization.tenant);
        if owner.is_none_or(|tenant| !scope.covers(tenant, organization)) {
            return Ok(None);
        }
        let found = state
            .callbacks
            .iter()
            .rev()
            .filter(|(call, entry)| {
                entry.organization == organization && before.is_none_or(|before| **call < before)
            })
            .map(|(call, entry)| entry.told(*call))
            .filter(|delivery| wanted.is_none_or(|wanted| delivery.state == wanted));
        Ok(Some(found.take(usize::try_from(limit).unwrap_or(usize::MAX)).collect()))
    }

    async fn of_call(&self, scope: Scope, call: CallId) -> Result<Option<Delivery>, StoreUnavailable> {
        let state = self.reach()?;
        let covered = state.owner_of(scope, call);
        Ok(covered.and_then(|_| state.callbacks.get(&call)).map(|entry| entry.told(call)))
    }
}

impl State {
    /// Whose callback it is, when that is within scope.
    pub(super) fn owner_of(&self, scope: Scope, call: CallId) -> Option<OrganizationId> {
        let organization = self.callbacks.get(&call)?.organization;
        let tenant = self.organizations.get(&organization)?.organization.tenant;
        scope.covers(tenant, organization).then_some(organization)
    }
}

impl CallbackEntry {
    /// Those of the schedule, then those by hand.
    pub(super) fn all_tries(&self) -> Vec<DeliveryTry> {
        let scheduled = (1..).zip(&self.tries).map(|(number, record)| DeliveryTry {
            number,
            record: record.clone(),
            by: None,
        });
        scheduled.chain(self.by_hand.iter().cloned()).collect()
    }

    fn told(&self, call: CallId) -> Delivery {
        let (state, due_at) = match &self.state {
            Stage::Pending { due_at, .. } => (DeliveryState::Pending, Some(*due_at)),
            Stage::Settled(state) => (*state, None),
        };
        Delivery {
            call,
            organization: self.organization,
            url: self.draft.url.clone(),
            prepared_at: self.draft.prepared_at,
            state,
            due_at,
            manual_until: self.manual_claim.map(|(_, until)| until),
            manual_tries: self.manual_tries,
            tries: self.all_tries(),
        }
    }
}
