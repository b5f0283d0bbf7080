//! Call logs.

use async_trait::async_trait;

use super::StoreUnavailable;
use crate::call::{CallListing, CallLog, CallQuery};
use crate::ids::CallId;
use crate::page::Page;
use crate::scope::Scope;

/// The call logs of all organizations.
#[async_trait]
pub trait CallRecords: Send + Sync {
    /// A page of the calls of `query.organization`, with their exact number; none when that
    /// organization is out of `scope` or unknown. A deleted organization's calls stay readable.
    async fn page(
        &self,
        scope: Scope,
        query: &CallQuery,
    ) -> Result<Option<Page<CallListing>>, StoreUnavailable>;

    /// One call, from its acceptance on.
    async fn read(&self, scope: Scope, call: CallId) -> Result<Option<CallLog>, StoreUnavailable>;
}
