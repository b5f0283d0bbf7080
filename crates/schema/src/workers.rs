//! The few threads that judge, beside and behind all others.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::{mpsc, oneshot};

/// How many threads there are.
const THREADS: usize = 2;

/// How many jobs wait before those who bring more have to.
const WAITING: usize = 64;

/// A compiled schema recurses with references and data alike; only what is touched is taken.
const STACK_BYTES: usize = 64 << 20;

/// How far the threads stand back when the processor is short: 0 (not at all) to 19.
const NICENESS: i32 = 10;

type Job = Box<dyn FnOnce() + Send>;

/// The threads; they end when this is dropped and their work is done.
pub(crate) struct Workers(mpsc::Sender<Job>);

/// The job's thread panicked.
#[derive(Debug, thiserror::Error)]
#[error("the work was broken off")]
pub(crate) struct BrokenOff;

impl Workers {
    pub(crate) fn start() -> io::Result<Self> {
        let (sender, receiver) = mpsc::channel::<Job>(WAITING);
        let receiver = Arc::new(Mutex::new(receiver));
        for _ in 0..THREADS {
            let receiver = Arc::clone(&receiver);
            let body = move || work(&receiver);
            std::thread::Builder::new().name("schema".to_owned()).stack_size(STACK_BYTES).spawn(body)?;
        }
        Ok(Self(sender))
    }

    /// Has something done; whoever stops waiting before it begins spares it.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, BrokenOff> {
        let (reply, done) = oneshot::channel();
        let job = move || {
            if !reply.is_closed() {
                // Nobody may wait any more.
                let _ = reply.send(work());
            }
        };
        self.0.send(Box::new(job)).await.map_err(|_| BrokenOff)?;
        done.await.map_err(|_| BrokenOff)
    }
}

fn work(jobs: &Mutex<mpsc::Receiver<Job>>) {
    // On Linux this concerns the thread alone. Judging works at full priority too.
    let _ = rustix::process::setpriority_process(None, NICENESS);
    loop {
        let next = jobs.lock().blocking_recv();
        let Some(job) = next else { return };
        // A panic drops the reply, which tells the one who waits.
        let _ = catch_unwind(AssertUnwindSafe(job));
    }
}
