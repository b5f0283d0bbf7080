//! The audit log in memory.

use async_trait::async_trait;

use super::{InMemory, State};
use crate::audit::{Action, AuditEntry, Deed};
use crate::ids::{AuditId, OrganizationId};
use crate::ports::{AuditLog, StoreUnavailable};
use crate::scope::Scope;
use crate::testing::fixtures::fresh;

#[async_trait]
impl AuditLog for InMemory {
    async fn entries(
        &self,
        scope: Scope,
        organization: Option<OrganizationId>,
        before: Option<AuditId>,
        limit: u32,
    ) -> Result<Vec<AuditEntry>, StoreUnavailable> {
        let state = self.reach()?;
        let place = |entry: &AuditEntry| (entry.deed.at, entry.id);
        let listed = |entry: &&AuditEntry| {
            entry.tenant == scope.tenant()
                && scope.organization().is_none_or(|own| entry.organization == Some(own))
                && organization.is_none_or(|own| entry.organization == Some(own))
        };
        let listed = || state.audit.iter().filter(listed);
        let bound = match before {
            None => None,
            Some(id) => match listed().find(|entry| entry.id == id) {
                Some(entry) => Some(place(entry)),
                None => return Ok(Vec::new()),
            },
        };
        let mut found: Vec<_> =
            listed().filter(|entry| bound.is_none_or(|bound| place(entry) < bound)).cloned().collect();
        found.sort_by_key(|entry| std::cmp::Reverse(place(entry)));
        found.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        Ok(found)
    }
}

impl State {
    /// Notes a change within `within`, an organization or the whole tenant.
    pub(super) fn note(
        &mut self,
        deed: &Deed,
        within: Scope,
        action: Action,
        subject: impl std::fmt::Display + Copy,
        name: Option<&str>,
    ) {
        self.audit.push(AuditEntry {
            id: AuditId::from(fresh()),
            tenant: within.tenant(),
            organization: within.organization(),
            deed: deed.clone(),
            action,
            subject: subject.to_string(),
            name: name.map(str::to_owned),
        });
    }
}
