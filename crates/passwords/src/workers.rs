//! The few threads that hash, behind all others.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use domain::ports::Busy;
use parking_lot::Mutex;
use tokio::sync::{mpsc, oneshot};

/// How many threads there are: each takes 19 MiB while it hashes.
const THREADS: usize = 2;

/// How many passwords wait before more are refused: some three seconds' work.
pub(crate) const WAITING: usize = 64;

/// How far the threads stand back when the processor is short: 0 (not at all) to 19.
const NICENESS: i32 = 10;

type Job = Box<dyn FnOnce() + Send>;

/// The threads; they end when this is dropped and their work is done.
pub(crate) struct Workers(mpsc::Sender<Job>);

impl Workers {
    pub(crate) fn start() -> io::Result<Self> {
        let (sender, receiver) = mpsc::channel::<Job>(WAITING);
        let receiver = Arc::new(Mutex::new(receiver));
        for _ in 0..THREADS {
            let receiver = Arc::clone(&receiver);
            let body = move || work(&receiver);
            std::thread::Builder::new().name("password".to_owned()).spawn(body)?;
        }
        Ok(Self(sender))
    }

    /// Has something done, or refuses; whoever stops waiting before it begins spares it.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Busy> {
        let (reply, done) = oneshot::channel();
        let job = move || {
            if !reply.is_closed() {
                // Nobody may wait any more.
                let _ = reply.send(work());
            }
        };
        self.0.try_send(Box::new(job)).map_err(|_| Busy)?;
        done.await.map_err(|_| Busy)
    }
}

fn work(jobs: &Mutex<mpsc::Receiver<Job>>) {
    // On Linux this concerns the thread alone. Hashing works at full priority too.
    let _ = rustix::process::setpriority_process(None, NICENESS);
    loop {
        let next = jobs.lock().blocking_recv();
        let Some(job) = next else { return };
        // A panic drops the reply, which tells the one who waits.
        let _ = catch_unwind(AssertUnwindSafe(job));
    }
}
