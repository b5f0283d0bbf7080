//! Who an arriving message belongs to: the live dialogs by Call-ID and our tag.

use std::collections::HashMap;
use std::sync::Arc;

use domain::ids::TrunkId;
use parking_lot::Mutex;
use rsipstack::sip::Response;
use rsipstack::transaction::Transaction;
use rsipstack::transport::SipConnection;
use tokio::sync::mpsc;

use crate::edge::{Live, LiveName};
use crate::headers;
use crate::stack::Observer;

/// Messages that may wait for one call's task; more are dropped and come again (UDP) or are
/// refused with 503.
const WAITING_MESSAGES: usize = 32;

/// What arrives for a call.
pub(crate) enum Inbound {
    /// A 2xx to an INVITE: the first, a retransmission, or a fork.
    Accepted(Box<Response>),
    /// A request in the dialog.
    Request(Box<Transaction>),
    /// The ACK of our answer to a re-INVITE came, with its body.
    Acknowledged(Vec<u8>),
    /// It did not come in time.
    Unacknowledged,
}

struct Entry {
    trunk: TrunkId,
    local_tag: String,
    /// Whether it has not ended yet; what ended may still owe an answer.
    live: bool,
    inbox: mpsc::Sender<Inbound>,
}

/// The live dialogs.
pub(crate) struct Table {
    entries: Mutex<HashMap<String, Entry>>,
    live: Arc<Live>,
}

impl Table {
    /// A table whose calls are heard from any address.
    pub(crate) fn new(live: Arc<Live>) -> Self {
        Self { entries: Mutex::default(), live }
    }

    /// Enters a call; it leaves when the registration is dropped, on every path.
    pub(crate) fn enter(self: &Arc<Self>, trunk: TrunkId, call_id: &str, local_tag: &str) -> Registration {
        let (inbox, messages) = mpsc::channel(WAITING_MESSAGES);
        let entry = Entry { trunk, local_tag: local_tag.to_owned(), live: true, inbox: inbox.clone() };
        self.entries.lock().insert(call_id.to_owned(), entry);
        let name = self.live.register_dialog(call_id, local_tag);
        Registration { table: self.clone(), call_id: call_id.to_owned(), inbox, messages, _name: name }
    }

    /// How many calls are live or still owe an answer.
    pub(crate) fn len(&self) -> usize {
        self.entries.lock().len()
    }

    /// How many calls over a trunk have not ended.
    pub(crate) fn live_calls(&self, trunk: TrunkId) -> usize {
        let entries = self.entries.lock();
        entries.values().filter(|entry| entry.live && entry.trunk == trunk).count()
    }

    /// The inbox of the dialog with this Call-ID and our tag.
    pub(crate) fn find(&self, call_id: &str, local_tag: &str) -> Option<mpsc::Sender<Inbound>> {
        let entries = self.entries.lock();
        entries.get(call_id).filter(|entry| entry.local_tag == local_tag).map(|entry| entry.inbox.clone())
    }
}

impl Observer for Table {
    fn invite_accepted(&self, response: &Response, _connection: &SipConnection) {
        let tag = headers::first(&response.headers, "From").and_then(|from| headers::parameter(from, "tag"));
        let call_id = headers::first(&response.headers, "Call-ID");
        let (Some(tag), Some(call_id)) = (tag, call_id) else { return };
        if let Some(inbox) = self.find(call_id.trim(), tag) {
            // A full inbox drops it: the peer sends it again until the ACK.
            let _ = inbox.try_send(Inbound::Accepted(Box::new(response.clone())));
        }
    }
}

/// A call's place in the table.
pub(crate) struct Registration {
    table: Arc<Table>,
    call_id: String,
    inbox: mpsc::Sender<Inbound>,
    messages: mpsc::Receiver<Inbound>,
    _name: LiveName,
}

impl Registration {
    /// The next message.
    pub(crate) async fn next(&mut self) -> Inbound {
        match self.messages.recv().await {
            Some(message) => message,
            // Never so while we hold a sender ourselves.
            None => std::future::pending().await,
        }
    }

    /// The call has ended, though something may come late.
    pub(crate) fn ended(&self) {
        if let Some(entry) = self.table.entries.lock().get_mut(&self.call_id) {
            entry.live = false;
        }
    }

    /// A way for side tasks to report to the call.
    pub(crate) fn inbox(&self) -> mpsc::Sender<Inbound> {
        self.inbox.clone()
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        self.table.entries.lock().remove(&self.call_id);
    }
}
