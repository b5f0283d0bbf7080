//! Receivers of callbacks that answer as a test says.

use std::sync::Mutex;

use async_trait::async_trait;
use domain::ports::{CallbackSender, ClaimedCallback, TryOutcome};

/// Answers every try alike, and keeps what came.
pub(crate) struct Receivers {
    outcome: Mutex<TryOutcome>,
    came: Mutex<Vec<ClaimedCallback>>,
}

impl Default for Receivers {
    fn default() -> Self {
        Self { outcome: Mutex::new(TryOutcome::Answered(204)), came: Mutex::default() }
    }
}

impl Receivers {
    /// From now on they answer so.
    pub(crate) fn answer(&self, outcome: TryOutcome) {
        *self.outcome.lock().unwrap() = outcome;
    }

    /// All that came so far.
    pub(crate) fn came(&self) -> Vec<ClaimedCallback> {
        self.came.lock().unwrap().clone()
    }
}

#[async_trait]
impl CallbackSender for Receivers {
    async fn send(&self, callback: &ClaimedCallback) -> TryOutcome {
        self.came.lock().unwrap().push(callback.clone());
        self.outcome.lock().unwrap().clone()
    }
}
