//! The written life of one call: its moves reach the store in order, without the media waiting.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use domain::call::{Ended, EndedReason, FinalAnswer, Live, OutboundCall};
use domain::ports::{Clock, Fence, OutboundCalls, SavedLeg, StoreUnavailable};
use futures_util::FutureExt;
use time::OffsetDateTime;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use crate::causes::causes;
use crate::conclude_call::ConcludeCall;
use crate::crash_point::crash_point;
use crate::supervisor::{Admission, CallSupervisor, Order};

/// A move of a live call.
pub(crate) enum Move {
    /// It rings, as this provisional answer said.
    Ringing { at: OffsetDateTime, code: u16 },
    /// The callee answered; `saved` is told when the dialog has been written, or cannot be.
    Answered { at: OffsetDateTime, leg: Box<SavedLeg>, saved: oneshot::Sender<()> },
    /// It is over.
    Ended { ended: Ended, answer: Option<FinalAnswer> },
}

/// More moves than a call can have.
pub(crate) const MOVES: usize = 4;

/// Between two attempts to save an answer.
const SAVE_AGAIN: Duration = Duration::from_secs(1);

/// An answer's dialog and moment.
type Answer = (Box<SavedLeg>, OffsetDateTime);

/// Writes the moves of one call.
pub(crate) struct Journal {
    pub(crate) call: OutboundCall,
    pub(crate) fence: Fence,
    pub(crate) calls: Arc<dyn OutboundCalls>,
    pub(crate) conclude: Arc<ConcludeCall>,
    pub(crate) supervisor: Arc<CallSupervisor>,
    pub(crate) clock: Arc<dyn Clock>,
    /// Held until the end is written, so that a shutdown waits for it.
    pub(crate) admission: Admission,
}

impl Journal {
    /// Writes until the end; a call whose task vanished without one ends as `assistant-error`. A fault
    /// of the journal itself ends its call too, and never leaves it unconcluded.
    pub(crate) async fn keep(self, mut moves: mpsc::Receiver<Move>) {
        let mut live = Live::dialling();
        let followed = AssertUnwindSafe(self.follow(&mut live, &mut moves)).catch_unwind().await;
        let (ended, answer) = followed.unwrap_or_else(|_| {
            tracing::error!(call = %self.call.id, "the journal of a call broke");
            // Nothing that the call does could be written any more.
            self.supervisor.hang_up(self.call.id, EndedReason::AssistantError);
            self.broken(live)
        });
        self.conclude.conclude(&self.call, self.fence, ended, answer).await;
        self.supervisor.leave(self.call.id);
        drop(self.admission);
    }

    /// Writes moves until the end that they tell.
    async fn follow(
        &self,
        live: &mut Live,
        moves: &mut mpsc::Receiver<Move>,
    ) -> (Ended, Option<FinalAnswer>) {
        let mut unsaved = None;
        loop {
            let next = match unsaved.take() {
                None => moves.recv().await,
                Some(answer) => {
                    let Ok(next) = timeout(SAVE_AGAIN, moves.recv()).await else {
                        unsaved = self.save(answer).await;
                        continue;
                    };
                    next
                }
            };
            match next {
                // Told here, because a log may make its writer wait, and the media never waits.
                Some(Move::Ringing { at, code }) => {
                    *live = live.ring(at);
                    tracing::info!(call = %self.call.id, sip.code = code, "call ringing");
                    self.judge(self.calls.ringing(self.fence, at).await);
                    crash_point("ringing");
                }
                Some(Move::Answered { at, leg, saved }) => {
                    *live = live.answer(at);
                    tracing::info!(call = %self.call.id, "call answered");
                    crash_point("answered");
                    unsaved = self.save((leg, at)).await;
                    crash_point("answer-saved");
                    // The call's task may have ended meanwhile.
                    let _ = saved.send(());
                }
                Some(Move::Ended { ended, answer }) => return (ended, answer),
                None => {
                    tracing::error!(call = %self.call.id, "the task of a call broke");
                    return self.broken(*live);
                }
            }
        }
    }

    /// The end of a call that a fault of ours ended. Its leg, which went down with the call's task or
    /// was ordered to, hangs up by itself.
    fn broken(&self, live: Live) -> (Ended, Option<FinalAnswer>) {
        (live.end(EndedReason::AssistantError, self.clock.now()), None)
    }

    /// Saves the answer's dialog, or gives it back to be saved later: without it, another node could
    /// not say BYE.
    async fn save(&self, answer: Answer) -> Option<Answer> {
        let written = self.calls.answered(self.fence, (*answer.0).clone(), answer.1).await;
        let unsaved = written.is_err().then_some(answer);
        self.judge(written);
        unsaved
    }

    fn judge(&self, written: Result<bool, StoreUnavailable>) {
        match written {
            Ok(true) => {}
            Ok(false) => self.supervisor.hang_up(self.call.id, EndedReason::ServiceInterrupted),
            // The call goes on: its end is what must not be lost, and that has a spool.
            Err(error) => {
                tracing::warn!(call = %self.call.id, error = causes(&error), "a move of a call was not written");
            }
        }
    }
}

/// Sends moves from the call's task.
pub(crate) struct Moves(pub(crate) mpsc::Sender<Move>);

impl Moves {
    pub(crate) fn send(&self, next: Move) {
        // The queue holds more than a call's moves, and its reader outlives the call's task.
        if self.0.try_send(next).is_err() {
            tracing::error!("a move of a call found no journal");
        }
    }
}

/// Whether an order still matters to a call that has or has not been answered.
pub(crate) fn reason_of(order: Order, connected: bool) -> Option<EndedReason> {
    match order {
        Order::HangUp(reason) => Some(reason),
        Order::StopDialling => (!connected).then_some(EndedReason::ServiceInterrupted),
    }
}
