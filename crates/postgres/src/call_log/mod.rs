//! Call logs: pages with exact totals, and single calls.
//!
//! Totals are sums over `call_totals`, into which the deltas of `call_counts` are folded, so that
//! no total costs more with more calls. Only what an index finds by name or intent is counted.

pub(crate) mod page;
pub(crate) mod read;
pub(crate) mod record;
pub(crate) mod span;
pub(crate) mod texts;

#[cfg(feature = "sql")]
pub(crate) use {read::READ, texts::Listed, texts::text};

use async_trait::async_trait;
use domain::call::{CallListing, CallLog, CallQuery};
use domain::ids::CallId;
use domain::page::Page;
use domain::ports::{CallRecords, StoreUnavailable};
use domain::scope::Scope;

use crate::store::Store;

#[async_trait]
impl CallRecords for Store {
    async fn page(
        &self,
        scope: Scope,
        query: &CallQuery,
    ) -> Result<Option<Page<CallListing>>, StoreUnavailable> {
        Ok(page::page(self, scope, query).await?)
    }

    async fn read(&self, scope: Scope, call: CallId) -> Result<Option<CallLog>, StoreUnavailable> {
        Ok(read::read(self, scope, call).await?)
    }
}
