//! What lies between a session's handle on a media thread and its task on the control runtime:
//! queues that are bounded, and that neither side waits for.

mod ear;
mod handle;
mod teller;

use domain::audio::AudioFormat;
use domain::ports::AgentOrder;
use tokio::sync::mpsc;

pub(crate) use ear::Ear;
pub(crate) use handle::Handle;
pub(crate) use teller::{Overflow, Teller};

/// How many orders may wait for a session's task; a handle whose next one does not fit breaks the
/// session, because no order may be lost.
const WAITING_ORDERS: usize = 64;

/// What the task is told, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    /// The call was answered, in this format.
    Begin(AudioFormat),
    /// An order of the conversation's.
    Order(AgentOrder),
    /// [`AgentEvent::Restored`](domain::ports::AgentEvent::Restored) was polled: every order before this
    /// one was made without knowing of it.
    Restored,
}

/// The task's ends.
#[derive(Debug)]
pub(crate) struct Ends {
    /// What it is told; closed when the handle was dropped, and the task has to end.
    pub(crate) orders: mpsc::Receiver<Told>,
    /// What it hears.
    pub(crate) ear: Ear,
    /// What it tells.
    pub(crate) teller: Teller,
}

/// A handle for the media thread, and the ends that belong to it for the task.
pub(crate) fn pair() -> (Handle, Ends) {
    let (orders, told) = mpsc::channel(WAITING_ORDERS);
    let (mouth, ear) = ear::pair();
    let (teller, events) = teller::pair();
    (Handle::new(orders, mouth, events), Ends { orders: told, ear, teller })
}
