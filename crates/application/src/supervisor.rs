//! The running calls of this node: who they are, how to reach them, and when none are left.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use domain::call::EndedReason;
use domain::ids::CallId;
use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

/// What a running call is told from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Hang up now, for this reason.
    HangUp(EndedReason),
    /// Hang up unless the callee has answered: this node may no longer dial.
    StopDialling,
}

/// Orders that wait for a call's next poll; more are of no use to it.
const ORDERS: usize = 4;

/// Holds every running call of this node.
pub struct CallSupervisor {
    running: Mutex<HashMap<CallId, mpsc::Sender<Order>>>,
    tasks: TaskTracker,
    draining: AtomicBool,
    ending: AtomicBool,
    control: Handle,
    media: Vec<Handle>,
    next_media: AtomicUsize,
}

/// Leave to take on one more call; while it lives, a shutdown waits.
pub(crate) struct Admission {
    _token: TaskTrackerToken,
}

impl CallSupervisor {
    /// `control` runs everything that writes; each of `media` carries the audio of its calls.
    pub fn new(control: Handle, media: Vec<Handle>) -> Self {
        Self {
            running: Mutex::default(),
            tasks: TaskTracker::new(),
            draining: AtomicBool::new(false),
            ending: AtomicBool::new(false),
            control,
            media,
            next_media: AtomicUsize::new(0),
        }
    }

    /// How many calls are running.
    pub fn running(&self) -> usize {
        self.running.lock().len()
    }

    /// Whether new calls are turned away.
    pub fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Acquire)
    }

    /// Hangs a call up, if it runs here.
    pub fn hang_up(&self, call: CallId, reason: EndedReason) {
        if let Some(orders) = self.running.lock().get(&call) {
            // A full queue means that the call has been told to end already.
            let _ = orders.try_send(Order::HangUp(reason));
        }
    }

    /// Cancels every call that has not been answered.
    pub(crate) fn stop_dialling(&self) {
        for orders in self.running.lock().values() {
            let _ = orders.try_send(Order::StopDialling);
        }
    }

    /// Turns new calls away from now on.
    pub fn close(&self) {
        self.draining.store(true, Ordering::Release);
        self.tasks.close();
    }

    /// Waits until no call is left.
    pub async fn drained(&self) {
        self.tasks.wait().await;
    }

    /// Hangs up every call that is left and waits at most `limit` for their ends to be recorded.
    pub async fn end_all(&self, limit: Duration) {
        self.ending.store(true, Ordering::Release);
        for orders in self.running.lock().values() {
            let _ = orders.try_send(Order::HangUp(EndedReason::ServiceInterrupted));
        }
        if tokio::time::timeout(limit, self.tasks.wait()).await.is_err() {
            tracing::warn!(left = self.running(), "calls were left behind; the next start concludes them");
        }
    }

    /// Leave for one more call; none while draining.
    pub(crate) fn admit(&self) -> Option<Admission> {
        // The token comes first: whoever drains after it waits for this call.
        let admission = Admission { _token: self.tasks.token() };
        (!self.is_draining()).then_some(admission)
    }

    /// Enters a call and gives the queue that its orders come through.
    pub(crate) fn enter(&self, call: CallId) -> mpsc::Receiver<Order> {
        let (sender, receiver) = mpsc::channel(ORDERS);
        self.running.lock().insert(call, sender);
        // It was admitted in time, but accepted after all others had been told to end.
        if self.ending.load(Ordering::Acquire) {
            self.hang_up(call, EndedReason::ServiceInterrupted);
        }
        receiver
    }

    /// Strikes a call off.
    pub(crate) fn leave(&self, call: CallId) {
        self.running.lock().remove(&call);
    }

    /// The runtime of everything that writes.
    pub(crate) fn control(&self) -> &Handle {
        &self.control
    }

    /// The media runtime for the next call, in turn.
    pub(crate) fn media(&self) -> &Handle {
        let turn = self.next_media.fetch_add(1, Ordering::Relaxed);
        self.media.get(turn % self.media.len().max(1)).unwrap_or(&self.control)
    }
}
