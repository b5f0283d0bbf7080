//! Simulated time, chance, voice, spool and receivers.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use domain::audio::{AudioFormat, Encoded, FRAME_BYTES};
use domain::ids::CallId;
use domain::ports::{
    CallbackSender, ClaimedCallback, Clock, Conclusion, Entropy, Line, Speech, SpeechError, Spool,
    SpoolError, TryOutcome,
};
use domain::testing::moment;
use time::OffsetDateTime;
use tokio::sync::mpsc;
use tokio::time::Instant;

/// Follows tokio's clock, which tests pause; the machine started a minute before.
pub struct SimulatedClock(Instant);

impl SimulatedClock {
    pub fn new() -> Arc<Self> {
        Arc::new(Self(Instant::now()))
    }
}

impl Clock for SimulatedClock {
    fn now(&self) -> OffsetDateTime {
        moment(0) + self.0.elapsed()
    }

    fn since_boot(&self) -> Duration {
        Duration::from_mins(1) + self.0.elapsed()
    }
}

/// Bytes that are different each time, and the same in each run.
#[derive(Default)]
pub struct Counter(Mutex<u64>);

impl Entropy for Counter {
    fn fill(&self, bytes: &mut [u8]) {
        let mut count = self.0.lock().unwrap();
        *count += 1;
        for (byte, count) in bytes.iter_mut().rev().zip(count.to_le_bytes()) {
            *byte = count;
        }
    }
}

/// Says every line in two frames that hold its first letter, or fails.
#[derive(Default)]
pub struct Voice {
    pub broken: bool,
    /// In which formats it was asked for a line so far.
    pub formats: Mutex<Vec<AudioFormat>>,
}

#[async_trait]
impl Speech for Voice {
    async fn say(&self, line: Line) -> Result<Encoded, SpeechError> {
        self.formats.lock().unwrap().push(line.format);
        if self.broken {
            return Err(SpeechError("hoarse".into()));
        }
        let letter = line.text.bytes().next().unwrap_or(0);
        Ok(Encoded { format: line.format, frames: Arc::new([[letter; FRAME_BYTES]; 2]) })
    }
}

/// A spool in memory.
#[derive(Default)]
pub struct MemorySpool(Mutex<BTreeMap<CallId, Conclusion>>);

impl MemorySpool {
    pub fn len(&self) -> usize {
        self.0.lock().unwrap().len()
    }
}

#[async_trait]
impl Spool for MemorySpool {
    async fn keep(&self, conclusion: &Conclusion) -> Result<(), SpoolError> {
        self.0.lock().unwrap().insert(conclusion.fence.call, conclusion.clone());
        Ok(())
    }

    async fn pending(&self) -> Result<Vec<Conclusion>, SpoolError> {
        Ok(self.0.lock().unwrap().values().cloned().collect())
    }

    async fn forget(&self, call: CallId) -> Result<(), SpoolError> {
        self.0.lock().unwrap().remove(&call);
        Ok(())
    }
}

/// Receivers: each try is shown to the test; hosts named `hang…` never answer,
/// `slow…` after a second.
pub struct Receivers {
    pub outcome: fn(u16) -> TryOutcome,
    pub tries: mpsc::UnboundedSender<ClaimedCallback>,
}

#[async_trait]
impl CallbackSender for Receivers {
    async fn send(&self, callback: &ClaimedCallback) -> TryOutcome {
        let _ = self.tries.send(callback.clone());
        if callback.draft.url.destination().starts_with("hang") {
            tokio::time::sleep(Duration::from_secs(10)).await;
            return TryOutcome::TimedOut;
        }
        if callback.draft.url.destination().starts_with("slow") {
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        (self.outcome)(callback.tries_before)
    }
}
