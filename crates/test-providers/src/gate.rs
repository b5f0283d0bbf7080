//! A gate in the middle of an answer, which a test opens when it has seen enough.

use std::sync::Arc;

use tokio::sync::Semaphore;

/// A gate: closed until it is opened, and open from then on.
#[derive(Clone, Debug)]
pub struct Gate(Arc<Semaphore>);

impl Default for Gate {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(0)))
    }
}

impl Gate {
    /// Lets through whoever waits and whoever comes.
    pub fn open(&self) {
        self.0.add_permits(1);
    }

    pub(crate) async fn pass(&self) {
        // The permit goes back at once, to the next who comes.
        drop(self.0.acquire().await);
    }
}
