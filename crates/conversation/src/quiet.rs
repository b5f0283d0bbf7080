//! The silence limit and the moment to ask again.

use std::time::Duration;

use domain::assistant::CallLimits;

use crate::moment::Millis;

/// How long nobody has spoken.
#[derive(Debug)]
pub(crate) struct Quiet {
    limits: CallLimits,
    /// The callee's last word or key, or the end of the script's last line.
    since: Millis,
    /// When the callee was last asked again.
    asked: Millis,
}

impl Quiet {
    pub(crate) const fn new(limits: CallLimits) -> Self {
        Self { limits, since: Millis::ANSWER, asked: Millis::ANSWER }
    }

    /// The callee, or the script, was heard until this moment.
    pub(crate) fn broken(&mut self, at: Millis) {
        self.since = self.since.max(at);
    }

    /// The assistant asked again.
    pub(crate) fn asked(&mut self, at: Millis) {
        self.asked = self.asked.max(at);
    }

    /// Whether nobody has spoken for the silence limit.
    pub(crate) fn is_over_limit(&self, now: Millis) -> bool {
        now.since(self.since) >= self.limits.silence
    }

    /// Whether it is time to ask again.
    pub(crate) fn wants_reprompt(&self, now: Millis) -> bool {
        now.since(self.since.max(self.asked)) >= self.limits.reprompt
    }

    /// Whether words of this length end before the silence limit does.
    pub(crate) fn has_room_for(&self, now: Millis, length: Duration) -> bool {
        now + length <= self.since + self.limits.silence
    }
}
