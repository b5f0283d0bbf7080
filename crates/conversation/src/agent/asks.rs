//! What the agent was asked to say, and has not answered yet.

use std::collections::VecDeque;

use domain::ports::AgentOrder;

/// What something is said for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The notice and the first message.
    Opening,
    /// It answers the callee, a key or a tool.
    Answer,
    /// The callee is asked again.
    Reprompt,
    /// The message for a machine.
    Message,
}

#[derive(Debug)]
struct Ask {
    purpose: Purpose,
    order: AgentOrder,
    /// Nobody wants to hear it any more.
    stale: bool,
}

/// Orders that are under way, answered one after the other.
#[derive(Debug, Default)]
pub(crate) struct Asks {
    asks: VecDeque<Ask>,
}

impl Asks {
    pub(crate) fn push(&mut self, purpose: Purpose, order: AgentOrder) {
        self.asks.push_back(Ask { purpose, order, stale: false });
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.asks.is_empty()
    }

    /// Whether something is awaited that is still wanted.
    pub(crate) fn is_wanting(&self) -> bool {
        self.asks.iter().any(|ask| !ask.stale)
    }

    /// Whether something is awaited for this purpose.
    pub(crate) fn has(&self, purpose: Purpose) -> bool {
        self.asks.iter().any(|ask| ask.purpose == purpose && !ask.stale)
    }

    /// What comes now is said for this; none when it is not wanted any more.
    pub(crate) fn current(&self) -> Option<Purpose> {
        self.asks.front().filter(|ask| !ask.stale).map(|ask| ask.purpose)
    }

    /// Nothing that is under way is wanted any more.
    pub(crate) fn drop_all(&mut self) {
        self.asks.iter_mut().for_each(|ask| ask.stale = true);
    }

    /// The first is answered.
    pub(crate) fn answered(&mut self) {
        self.asks.pop_front();
    }

    pub(crate) fn clear(&mut self) {
        self.asks.clear();
    }

    /// What was lost on the way and is still wanted.
    pub(crate) fn lost(&mut self) -> VecDeque<(Purpose, AgentOrder)> {
        let asks = std::mem::take(&mut self.asks);
        asks.into_iter().filter(|ask| !ask.stale).map(|ask| (ask.purpose, ask.order)).collect()
    }
}
