//! The few threads that hash, behind all others.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use domain::ports::{Busy, Requester};
use parking_lot::{Condvar, Mutex};
use tokio::sync::oneshot;

use crate::queue::Queue;

/// How many threads there are: each takes 19 MiB while it hashes.
pub(crate) const THREADS: usize = 2;

/// How far the threads stand back when the processor is short: 0 (not at all) to 19.
const NICENESS: i32 = 10;

type Job = Box<dyn FnOnce() + Send>;

/// What waits, and whether more may come.
struct Jobs {
    waiting: Queue<Job>,
    open: bool,
}

struct Shared {
    jobs: Mutex<Jobs>,
    changed: Condvar,
}

/// The threads; they end when this is dropped and their work is done.
pub(crate) struct Workers(Arc<Shared>);

impl Workers {
    pub(crate) fn start() -> io::Result<Self> {
        let jobs = Mutex::new(Jobs { waiting: Queue::default(), open: true });
        let workers = Self(Arc::new(Shared { jobs, changed: Condvar::new() }));
        for _ in 0..THREADS {
            let shared = Arc::clone(&workers.0);
            std::thread::Builder::new().name("password".to_owned()).spawn(move || work(&shared))?;
        }
        Ok(workers)
    }

    /// Has something done, or refuses; whoever stops waiting before it begins spares it.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        requester: Requester,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Busy> {
        let (reply, done) = oneshot::channel();
        let job: Job = Box::new(move || {
            if !reply.is_closed() {
                // Nobody may wait any more.
                let _ = reply.send(work());
            }
        });
        if !self.0.jobs.lock().waiting.push(requester, job) {
            return Err(Busy);
        }
        self.0.changed.notify_one();
        // Work that loses its place is dropped with its reply.
        done.await.map_err(|_| Busy)
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.0.jobs.lock().open = false;
        self.0.changed.notify_all();
    }
}

impl Shared {
    /// The next job; none when all are done and no more come.
    fn next(&self) -> Option<Job> {
        let mut jobs = self.jobs.lock();
        loop {
            if let Some(job) = jobs.waiting.pop() {
                return Some(job);
            }
            if !jobs.open {
                return None;
            }
            self.changed.wait(&mut jobs);
        }
    }
}

fn work(shared: &Shared) {
    // On Linux this concerns the thread alone. Hashing works at full priority too.
    let _ = rustix::process::setpriority_process(None, NICENESS);
    while let Some(job) = shared.next() {
        // A panic drops the reply, which tells the one who waits.
        let _ = catch_unwind(AssertUnwindSafe(job));
    }
}
