//! The complete records that wait to be filed, in the order in which they were completed.

use std::collections::{BTreeSet, VecDeque};

use domain::ids::CallId;
use domain::ports::CompleteRecord;
use parking_lot::Mutex;
use tokio::sync::{Notify, watch};

/// Records that only memory holds, because the disk refused them; more are left to the next start.
const MOST_IN_MEMORY: usize = 256;

/// A complete record.
pub(super) enum Waiting {
    /// It is on the disk.
    OnDisk(CallId),
    /// The disk refused it.
    InMemory(Box<CompleteRecord>),
}

/// The queue. It holds an id for each record, and those are as many as the disk has room for.
pub(super) struct Shelf {
    waiting: Mutex<VecDeque<Waiting>>,
    added: Notify,
    /// Calls whose records are not filed, from their beginning on.
    unfiled: watch::Sender<BTreeSet<CallId>>,
}

impl Shelf {
    pub(super) fn new(left: impl IntoIterator<Item = CallId>) -> Self {
        let unfiled = watch::Sender::new(left.into_iter().collect());
        Self { waiting: Mutex::default(), added: Notify::new(), unfiled }
    }

    /// A record is begun.
    pub(super) fn begin(&self, call: CallId) {
        self.unfiled.send_modify(|unfiled| {
            unfiled.insert(call);
        });
    }

    /// A record is filed, or never will be.
    pub(super) fn strike(&self, call: CallId) {
        self.unfiled.send_if_modified(|unfiled| unfiled.remove(&call));
    }

    /// Waits until every record that was begun is filed.
    pub(super) async fn cleared(&self) {
        // It cannot close: we hold the sender.
        let _ = self.unfiled.subscribe().wait_for(BTreeSet::is_empty).await;
    }

    pub(super) fn add(&self, call: CallId) {
        self.waiting.lock().push_back(Waiting::OnDisk(call));
        self.added.notify_one();
    }

    pub(super) fn add_from_memory(&self, record: CompleteRecord) {
        let mut waiting = self.waiting.lock();
        let in_memory = waiting.iter().filter(|one| matches!(one, Waiting::InMemory(_))).count();
        if in_memory >= MOST_IN_MEMORY {
            drop(waiting);
            tracing::error!(call = %record.call, "a record is left to the next start: the disk refuses it");
            return self.strike(record.call);
        }
        waiting.push_back(Waiting::InMemory(Box::new(record)));
        drop(waiting);
        self.added.notify_one();
    }

    /// Waits for the next record.
    pub(super) async fn take(&self) -> Taken<'_> {
        loop {
            let added = self.added.notified();
            if let Some(next) = self.pop() {
                return Taken { shelf: self, record: Some(next) };
            }
            added.await;
        }
    }

    fn pop(&self) -> Option<Waiting> {
        let mut waiting = self.waiting.lock();
        let next = waiting.pop_front();
        if !waiting.is_empty() {
            // Whoever else waits may have missed it.
            self.added.notify_one();
        }
        next
    }
}

/// A record that was taken; it goes back to where it was unless it is kept.
pub(super) struct Taken<'a> {
    shelf: &'a Shelf,
    record: Option<Waiting>,
}

impl Taken<'_> {
    /// The call of a record that is on the disk.
    pub(super) fn on_disk(&self) -> Option<CallId> {
        match self.record.as_ref()? {
            Waiting::OnDisk(call) => Some(*call),
            Waiting::InMemory(_) => None,
        }
    }

    /// Puts it behind all others.
    pub(super) fn put_back(mut self) {
        if let Some(record) = self.record.take() {
            self.shelf.waiting.lock().push_back(record);
            self.shelf.added.notify_one();
        }
    }

    /// Takes it for good, and gives what memory holds of it.
    pub(super) fn keep(mut self) -> Option<CompleteRecord> {
        match self.record.take()? {
            Waiting::OnDisk(_) => None,
            Waiting::InMemory(record) => Some(*record),
        }
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        if let Some(record) = self.record.take() {
            self.shelf.waiting.lock().push_front(record);
            self.shelf.added.notify_one();
        }
    }
}
