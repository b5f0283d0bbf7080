//! The life of outbound calls in the store.

use async_trait::async_trait;
use time::OffsetDateTime;

use super::{DialIntent, SavedLeg, StoreUnavailable};
use crate::audit::Deed;
use crate::call::{Ended, EndedReason, FinalAnswer, OutboundCall, OutboundStatus};
use crate::callback::CallbackDraft;
use crate::idempotency::{Earlier, Once};
use crate::ids::{BootId, CallId, ContactId};
use crate::scope::Scope;

/// Guards every write of a call's life: it holds only for this owner and epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fence {
    /// The call.
    pub call: CallId,
    /// The boot that carries it.
    pub owner: BootId,
    /// Raised by one at each taking-over; 1 at first.
    pub epoch: i32,
}

/// What should happen to an accepted call.
#[derive(Clone, Debug)]
pub enum Dispatch {
    /// It will be dialled by `owner`, taking a line of its trunk if the trunk's lines are counted.
    Dial {
        /// The boot that dials.
        owner: BootId,
        /// The prepared INVITE.
        intent: Box<DialIntent>,
        /// The trunk's `max-calls`, if any.
        max_calls: Option<u32>,
    },
    /// It cannot be placed: recorded as `failed` at once, without a callback.
    Refuse {
        /// Why.
        reason: EndedReason,
    },
}

/// A call to be recorded together with its contact and dial intent, or not at all.
#[derive(Clone, Debug)]
pub struct Acceptance {
    /// The call.
    pub call: OutboundCall,
    /// What should happen to it.
    pub dispatch: Dispatch,
    /// Set when the request may come again.
    pub once: Option<Once>,
    /// Set when somebody placed it by hand: noted in the audit log.
    pub by: Option<Deed>,
}

/// A call as its request was answered, whatever became of it since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// The call.
    pub call: CallId,
    /// Its contact.
    pub contact: ContactId,
    /// Why it was not placed, if it was not.
    pub failed: Option<EndedReason>,
}

/// What became of an acceptance; all variants are committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accepted {
    /// `calling`: send the INVITE under this fence.
    Calling(Fence),
    /// `failed` for this reason (`capacity-exceeded` when no line was free): send nothing.
    Failed(EndedReason),
    /// The request's idempotency key is taken: nothing was recorded, send nothing.
    Earlier(Earlier<Recorded>),
}

/// The end of a call and all that goes with it.
#[derive(Clone, Debug)]
pub struct Conclusion {
    /// Under which the call is still ours.
    pub fence: Fence,
    /// How it ended.
    pub ended: Ended,
    /// The final SIP response, if one ended it.
    pub answer: Option<FinalAnswer>,
    /// The callback that is due, claimed at once by `fence.owner`.
    pub callback: Option<CallbackDraft>,
}

/// What became of a conclusion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Concluded {
    /// It is final now; its callback is claimed by the concluding boot.
    Final,
    /// Another owner was faster, or it was final before: nothing was written.
    Superseded,
}

/// The store of outbound calls.
#[async_trait]
pub trait OutboundCalls: Send + Sync {
    /// Records the call, its contact, its line, its dial intent and its idempotency key together, or
    /// nothing. A twin of a request that is being recorded waits for it.
    async fn accept(&self, acceptance: Acceptance) -> Result<Accepted, StoreUnavailable>;

    /// What an earlier request with the same key left, as long as the key lives at `now`.
    async fn earlier(
        &self,
        once: &Once,
        now: OffsetDateTime,
    ) -> Result<Option<Earlier<Recorded>>, StoreUnavailable>;

    /// The other side began to ring; `false` when the fence no longer holds.
    async fn ringing(&self, fence: Fence, at: OffsetDateTime) -> Result<bool, StoreUnavailable>;

    /// The callee answered; saves the dialog. `false` when the fence no longer holds.
    async fn answered(
        &self,
        fence: Fence,
        leg: SavedLeg,
        at: OffsetDateTime,
    ) -> Result<bool, StoreUnavailable>;

    /// Ends the call, frees its line and queues its callback together.
    async fn conclude(&self, conclusion: Conclusion) -> Result<Concluded, StoreUnavailable>;

    /// Where a call stands, within `scope`.
    async fn status(&self, scope: Scope, call: CallId) -> Result<Option<OutboundStatus>, StoreUnavailable>;
}
