//! Twins of a request that this node is serving: they wait for the first, and do nothing meanwhile.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use domain::idempotency::{IdempotencyKey, Once};
use domain::scope::Scope;
use parking_lot::Mutex;
use tokio::sync::watch;

/// The requests with an idempotency key that are being served.
///
/// The store decides between twins of different nodes as well; but until then a twin would take its
/// share of a trunk's pace, and might be refused for that alone.
#[derive(Default)]
pub struct InFlight {
    first: Mutex<HashMap<(Scope, IdempotencyKey), watch::Receiver<()>>>,
}

/// The first of its twins; when it is dropped, the others look again.
pub(crate) struct First<'a> {
    among: &'a InFlight,
    name: (Scope, IdempotencyKey),
    _done: watch::Sender<()>,
}

impl InFlight {
    /// Goes first, or returns what changes once the first is done.
    pub(crate) fn enter(&self, once: &Once) -> Result<First<'_>, watch::Receiver<()>> {
        let name = (once.scope, once.key.clone());
        match self.first.lock().entry(name.clone()) {
            Entry::Occupied(first) => Err(first.get().clone()),
            Entry::Vacant(place) => {
                let (done, wait) = watch::channel(());
                place.insert(wait);
                Ok(First { among: self, name, _done: done })
            }
        }
    }
}

impl Drop for First<'_> {
    fn drop(&mut self) {
        self.among.first.lock().remove(&self.name);
    }
}
