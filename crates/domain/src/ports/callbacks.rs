//! Queued callbacks: claiming, trying, settling.

use std::time::Duration;

use async_trait::async_trait;
use time::OffsetDateTime;

use super::StoreUnavailable;
use crate::audit::{Actor, Deed};
use crate::callback::{CallbackDraft, SigningSecrets};
use crate::ids::{BootId, CallId};
use crate::scope::Scope;

/// A callback that this boot may try now, until its lease is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedCallback {
    /// The call that it reports; also its `webhook-id`.
    pub call: CallId,
    /// Where it goes and what it says.
    pub draft: CallbackDraft,
    /// How many tries have gone before this one: 0–3, and up to 23 when it is made by hand.
    pub tries_before: u16,
    /// The organization's signing secrets.
    pub secrets: SigningSecrets,
}

/// How one try went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TryOutcome {
    /// The receiver answered with this HTTP status; only 2xx confirms receipt.
    Answered(u16),
    /// No answer within the limit.
    TimedOut,
    /// DNS, connect, TLS or protocol failure; the text is for people.
    Broken(String),
    /// The address guard refused the destination; the text is for people.
    Refused(String),
}

impl TryOutcome {
    /// Whether the receiver confirmed.
    pub const fn confirmed(&self) -> bool {
        matches!(self, Self::Answered(200..=299))
    }
}

/// A try to be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TryRecord {
    /// When it began.
    pub began_at: OffsetDateTime,
    /// How long it took.
    pub took: Duration,
    /// How it went.
    pub outcome: TryOutcome,
}

/// What a settled try means for the callback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    /// Receipt was confirmed.
    Delivered,
    /// The next try is due at this moment.
    Again(OffsetDateTime),
    /// The last try failed.
    GivenUp,
}

/// Whether a callback may be sent again by hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClaimedAgain {
    /// It may, now, by this boot alone.
    Claimed(Box<ClaimedCallback>),
    /// There is no such callback, or it is out of scope.
    Unknown,
    /// The schedule is not over: it is tried again without anybody's doing.
    Pending,
    /// Another try by hand is under way.
    UnderWay,
    /// It was sent by hand [`crate::callback::MANUAL_TRIES_MAX`] times.
    TooMany,
}

/// The queue of callbacks.
#[async_trait]
pub trait Callbacks: Send + Sync {
    /// Claims at most `limit` callbacks that are due, not leased by another, and not bound for one
    /// of the `excluded` destinations (`host:port`). A row of this boot whose try was never settled
    /// is claimed again once its lease (`lease` from `now`) is over.
    async fn claim(
        &self,
        boot: BootId,
        now: OffsetDateTime,
        lease: Duration,
        excluded: &[String],
        limit: u32,
    ) -> Result<Vec<ClaimedCallback>, StoreUnavailable>;

    /// Claims one callback of this boot that was just queued, if it is still ours and untried.
    async fn claim_fresh(
        &self,
        boot: BootId,
        call: CallId,
        now: OffsetDateTime,
        lease: Duration,
    ) -> Result<Option<ClaimedCallback>, StoreUnavailable>;

    /// Records a try and what follows; `false` when the claim was lost and nothing was written.
    async fn settle(
        &self,
        boot: BootId,
        call: CallId,
        tries_before: u16,
        record: TryRecord,
        settled: Settled,
    ) -> Result<bool, StoreUnavailable>;

    /// Claims a callback whose schedule is over for one try by hand, one at a time, and notes the deed.
    /// From here on the try counts; whoever does not settle it within `lease` makes room for another.
    async fn claim_again(
        &self,
        scope: Scope,
        call: CallId,
        boot: BootId,
        lease: Duration,
        deed: &Deed,
    ) -> Result<ClaimedAgain, StoreUnavailable>;

    /// Records a try by hand; a confirmed one makes the callback delivered. `false` when the claim was
    /// lost and nothing was written.
    async fn settle_again(
        &self,
        boot: BootId,
        call: CallId,
        tries_before: u16,
        record: TryRecord,
        by: &Actor,
    ) -> Result<bool, StoreUnavailable>;

    /// Hands the claims of earlier boots of this node back to the queue; returns how many.
    async fn release(&self, earlier_boots: &[BootId]) -> Result<u64, StoreUnavailable>;
}

/// Carries a callback to its receiver.
#[async_trait]
pub trait CallbackSender: Send + Sync {
    /// Makes one signed, guarded try within [`crate::callback::TRY_LIMIT`].
    async fn send(&self, callback: &ClaimedCallback) -> TryOutcome;
}
