//! What happened to a double.

use std::time::Duration;

use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::Notify;
use tokio::time::timeout;

/// What is waited for happens within this time, or something is wrong.
const PATIENCE: Duration = Duration::from_mins(1);

/// A turn of the caller's, as the double heard it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeardTurn {
    /// Which connection.
    pub connection: usize,
    /// The item that was made of it.
    pub item: String,
    /// Its sound with what came just before, 8,000 samples a second.
    pub samples: Vec<i16>,
}

/// All that happened to a double.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// How many connections were made, refused ones too.
    pub connections: usize,
    /// Every event of its clients with the number of the connection, from 0; sound is not among them.
    pub events: Vec<(usize, Value)>,
    /// The sound of each connection as it came, decoded from base64 only.
    pub sound: Vec<Vec<u8>>,
    /// The turns that it heard.
    pub turns: Vec<HeardTurn>,
    /// The errors that it sent: code, or without one the message.
    pub errors: Vec<String>,
    /// What it truncated: item and milliseconds.
    pub truncated: Vec<(String, u64)>,
    /// The bytes of each message that it spoke, as far as they were sent: item and bytes.
    pub spoken: Vec<(String, Vec<u8>)>,
    /// How its responses ended.
    pub responses: Vec<String>,
    /// How many sessions are over.
    pub ended: usize,
    /// Connections that were closed by their client, in good order.
    pub goodbyes: usize,
}

impl Record {
    /// The events of one kind, of all connections.
    pub fn of_kind(&self, kind: &str) -> Vec<&Value> {
        self.events.iter().map(|(_, event)| event).filter(|event| event["type"] == kind).collect()
    }

    /// The events of one connection.
    pub fn of_connection(&self, number: usize) -> Vec<&Value> {
        self.events.iter().filter(|(connection, _)| *connection == number).map(|(_, event)| event).collect()
    }
}

#[derive(Debug, Default)]
pub(crate) struct Records {
    record: Mutex<Record>,
    changed: Notify,
}

impl Records {
    pub(crate) fn now(&self) -> Record {
        self.record.lock().clone()
    }

    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut Record) -> T) -> T {
        let changed = change(&mut self.record.lock());
        self.changed.notify_waiters();
        changed
    }

    pub(crate) async fn until(&self, what: &str, mut wanted: impl FnMut(&Record) -> bool) -> Record {
        let waiting = async {
            loop {
                let changed = self.changed.notified();
                if wanted(&self.record.lock()) {
                    return;
                }
                changed.await;
            }
        };
        if timeout(PATIENCE, waiting).await.is_err() {
            let mut record = self.now();
            record.sound.clear();
            record.spoken.clear();
            record.turns.iter_mut().for_each(|turn| turn.samples.clear());
            panic!("{what} did not happen; instead: {record:#?}");
        }
        self.now()
    }
}
