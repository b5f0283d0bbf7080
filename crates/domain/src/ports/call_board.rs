//! What people see of calls: the board of an organization, the story of a call, and whether either changed.

use std::collections::HashMap;

use async_trait::async_trait;

use super::StoreUnavailable;
use crate::call::{Board, BoardCall, BoardQuery, CallCursor, CallStory};
use crate::ids::{CallId, OrganizationId};
use crate::scope::Scope;

/// Something that somebody looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Watched {
    /// The board of an organization.
    Board(OrganizationId),
    /// The story of a call.
    Story(CallId),
}

/// What calls look like to people. A deleted organization's calls stay readable.
#[async_trait]
pub trait CallBoard: Send + Sync {
    /// A page of the calls of `query.calls.organization`, with all that is counted beside it, from
    /// one snapshot; none when that organization is out of `scope` or unknown.
    async fn board(&self, scope: Scope, query: &BoardQuery) -> Result<Option<Board>, StoreUnavailable>;

    /// All that is kept of a call.
    async fn story(&self, scope: Scope, call: CallId) -> Result<Option<CallStory>, StoreUnavailable>;

    /// At most `limit` calls of the same list behind `after`, for going through all of them: oldest
    /// first when that is the query's order, else newest first. Its page and chart play no part;
    /// none when the organization is out of `scope` or unknown.
    async fn through(
        &self,
        scope: Scope,
        query: &BoardQuery,
        after: Option<CallCursor>,
        limit: u32,
    ) -> Result<Option<Vec<BoardCall>>, StoreUnavailable>;

    /// A print of each that is watched: while it stays the same, so does what is seen. It tells
    /// nothing by itself, and costs with what is live, not with what is over; whoever watches was
    /// shown it within a scope. What there is not has no print.
    async fn pulse(&self, watched: &[Watched]) -> Result<HashMap<Watched, i64>, StoreUnavailable>;
}
