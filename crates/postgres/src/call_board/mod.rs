//! The board: what people see of an organization's calls, and the story of each.
//!
//! What is counted comes from `call_outcome_totals`, into which the deltas of `call_outcomes` are
//! folded, never from the calls themselves, but for those that are live and for the two edges of a span.

mod board;
mod outcomes;
mod pulse;
mod record;
mod story;
mod through;

use std::collections::HashMap;

use async_trait::async_trait;
use domain::call::{Board, BoardCall, BoardQuery, CallCursor, CallStory};
use domain::ids::CallId;
use domain::ports::{CallBoard, StoreUnavailable, Watched};
use domain::scope::Scope;

use crate::store::Store;

#[async_trait]
impl CallBoard for Store {
    async fn board(&self, scope: Scope, query: &BoardQuery) -> Result<Option<Board>, StoreUnavailable> {
        Ok(board::board(self, scope, query).await?)
    }

    async fn story(&self, scope: Scope, call: CallId) -> Result<Option<CallStory>, StoreUnavailable> {
        Ok(story::story(self, scope, call).await?)
    }

    async fn through(
        &self,
        scope: Scope,
        query: &BoardQuery,
        after: Option<CallCursor>,
        limit: u32,
    ) -> Result<Option<Vec<BoardCall>>, StoreUnavailable> {
        Ok(through::through(self, scope, query, after, limit).await?)
    }

    async fn pulse(&self, watched: &[Watched]) -> Result<HashMap<Watched, i64>, StoreUnavailable> {
        Ok(pulse::pulse(self, watched).await?)
    }
}
