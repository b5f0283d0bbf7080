//! What is set up, in memory.

mod assistants;
mod numbers;
mod signing;
mod tenants;
mod test_lines;
mod trunks;

use super::State;
use crate::ids::OrganizationId;
use crate::organization::Organization;
use crate::page::PageRequest;
use crate::ports::{SetupError, StoreUnavailable};
use crate::scope::{Reach, Scope};

fn known() -> StoreUnavailable {
    StoreUnavailable::because("the id is known already")
}

/// The items of a page, and of all pages in order.
pub(super) fn cut<T>(all: Vec<T>, page: PageRequest) -> Vec<T> {
    let before = usize::try_from(page.offset()).unwrap_or(usize::MAX);
    all.into_iter().skip(before).take(usize::try_from(page.size).unwrap_or(usize::MAX)).collect()
}

fn within(organization: &Organization) -> Scope {
    Scope::Organization(organization.tenant, organization.id)
}

impl State {
    /// An organization within reach, deleted or not.
    fn reached(&self, reach: Reach, id: OrganizationId) -> Result<&Organization, SetupError> {
        let found = self.organizations.get(&id).map(|entry| &entry.organization);
        let found = found.filter(|own| reach.covers(own.tenant, id));
        found.ok_or(SetupError::Unknown("organization"))
    }

    /// The same, live.
    fn reached_live(&self, reach: Reach, id: OrganizationId) -> Result<&Organization, SetupError> {
        let found = self.reached(reach, id)?;
        if found.is_active() { Ok(found) } else { Err(SetupError::Unknown("organization")) }
    }
}
