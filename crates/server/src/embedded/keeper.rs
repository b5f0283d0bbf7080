//! Runs the postmaster from one thread that lives as long as it: starts it, starts it again when
//! it dies, and stops it.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStderr, ChildStdin, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::Duration;

use domain::ports::Clock;
use parking_lot::{Condvar, Mutex};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};

use super::binaries::Programs;
use super::guard::{Guard, dismiss};
use super::pid_file::PidFile;
use super::place::Place;
use super::{ClusterError, Deadline, LOOK, at, initdb, pid_file};
use crate::system::SystemClock;

/// How often the first start is tried: backends of a killed postmaster may still be leaving.
const FIRST_TRIES: u32 = 6;
/// The first wait before another start; it doubles up to the longest.
const WAIT: Duration = Duration::from_millis(200);
/// The longest wait before another start.
const WAIT_MAX: Duration = Duration::from_secs(10);
/// Having run for so long, a postmaster counts as healthy again.
const HEALTHY: Duration = Duration::from_mins(1);
/// How long a fast shutdown may take before an immediate one is asked for.
const STOP_PATIENCE: Duration = Duration::from_secs(30);
/// How many of PostgreSQL's last words an error shows.
const LAST_WORDS: usize = 12;

/// What is needed to start the postmaster.
#[derive(Debug)]
pub(super) struct Postmaster {
    pub(super) place: Place,
    pub(super) programs: Programs,
    pub(super) guard: Guard,
}

/// The running thread.
#[derive(Debug)]
pub(super) struct Keeper {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// The child while it is not reaped: only then its id is surely its own.
    child: Option<Pid>,
    stopping: bool,
    ended: bool,
}

impl Keeper {
    /// Starts the postmaster and waits until it takes connections.
    pub(super) fn start(postmaster: Postmaster) -> Result<Self, ClusterError> {
        let shared = Arc::new(Shared::default());
        let (tell, told) = sync_channel(1);
        let keeper = Self { shared: Arc::clone(&shared) };
        // The parent-death signal follows the thread that spawns, so this one ends last.
        std::thread::Builder::new()
            .name("postgres-keeper".to_owned())
            .spawn(move || {
                keep(&postmaster, &shared, &tell);
                shared.state.lock().ended = true;
                shared.changed.notify_all();
            })
            .map_err(at(std::path::Path::new("a thread")))?;
        // The thread always tells before it ends; silence would mean that it panicked.
        told.recv().unwrap_or_else(|_| {
            Err(ClusterError::Failed { program: "postgres", output: "the keeper ended".to_owned() })
        })?;
        Ok(keeper)
    }

    /// Shuts the postmaster down and waits for its end.
    pub(super) fn stop(&self) {
        let mut state = self.shared.state.lock();
        state.stopping = true;
        self.shared.changed.notify_all();
        for signal in [Signal::INT, Signal::QUIT] {
            if let Some(child) = state.child {
                // It may be a zombie already, which takes signals without effect.
                let _ = kill_process(child, signal);
            }
            let ended = |state: &mut State| !state.ended;
            if !self.shared.changed.wait_while_for(&mut state, ended, STOP_PATIENCE).timed_out() {
                return;
            }
            tracing::warn!("the private PostgreSQL cluster takes long to stop");
        }
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The thread: one postmaster after the other until it is told to stop.
fn keep(postmaster: &Postmaster, shared: &Shared, tell: &SyncSender<Result<(), ClusterError>>) {
    let mut wait = WAIT;
    let mut tries = 0;
    let mut told = false;
    loop {
        let started_at = SystemClock.since_boot();
        let error = match postmaster.spawn(shared) {
            Ok(mut running) => {
                let ready = running.wait_ready(postmaster, shared);
                if ready && !told {
                    told = tell.send(Ok(())).is_ok();
                }
                running.wait_end(shared)
            }
            Err(error) => error,
        };
        if shared.state.lock().stopping {
            if !told {
                let _ = tell.send(Err(error));
            }
            return;
        }
        tries += 1;
        if !told && tries == FIRST_TRIES {
            let _ = tell.send(Err(error));
            return;
        }
        if SystemClock.since_boot().saturating_sub(started_at) > HEALTHY {
            wait = WAIT;
        }
        if told {
            tracing::error!(%error, wait = ?wait, "the private PostgreSQL cluster died and is started again");
        }
        let mut state = shared.state.lock();
        let waiting = |state: &mut State| !state.stopping;
        shared.changed.wait_while_for(&mut state, waiting, wait);
        wait = (wait * 2).min(WAIT_MAX);
    }
}

/// A started postmaster.
struct Running {
    child: Child,
    /// The watchdog takes its closing for our end.
    stdin: Option<ChildStdin>,
    /// What the pid file said before: a killed postmaster leaves "ready" behind.
    before: Option<PidFile>,
    words: Arc<Mutex<VecDeque<String>>>,
    reader: Option<std::thread::JoinHandle<()>>,
}

impl Postmaster {
    fn spawn(&self, shared: &Shared) -> Result<Running, ClusterError> {
        pid_file::clear_way(&self.place.cluster)?;
        let before = pid_file::read(&self.place.cluster);
        let mut command = self.guard.command(&self.programs.postgres);
        command.args(initdb::server_arguments(&self.place)).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut state = shared.state.lock();
        if state.stopping {
            return Err(ClusterError::Failed { program: "postgres", output: "told to stop".to_owned() });
        }
        let mut child = command.spawn().map_err(at(&self.programs.postgres))?;
        state.child = Some(Pid::from_child(&child));
        drop(state);
        let words = Arc::new(Mutex::new(VecDeque::new()));
        let stdin = child.stdin.take();
        let reader = child.stderr.take().and_then(|stderr| read_words(stderr, Arc::clone(&words)));
        Ok(Running { child, stdin, before, words, reader })
    }
}

impl Running {
    /// Waits until connections are taken; `false` when it ended before. A recovery may take long,
    /// and ends only with the postmaster.
    fn wait_ready(&mut self, postmaster: &Postmaster, shared: &Shared) -> bool {
        let patience = Deadline::after(Duration::from_secs(10));
        let mut noted = false;
        loop {
            let file = pid_file::read(&postmaster.place.cluster);
            if file.is_some_and(|file| file.ready) && file != self.before {
                return true;
            }
            if self.has_ended(WaitIdOptions::NOHANG) || shared.state.lock().stopping {
                return false;
            }
            if patience.is_over() && !noted {
                noted = true;
                tracing::info!("the private PostgreSQL cluster is recovering");
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Whether the process is over; it stays a zombie, so that nobody else gets its id.
    fn has_ended(&self, how: WaitIdOptions) -> bool {
        let child = Pid::from_child(&self.child);
        let look = || waitid(WaitId::Pid(child), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | how);
        loop {
            match look() {
                Err(rustix::io::Errno::INTR) => {}
                Ok(status) => return status.is_some(),
                Err(_) => return true,
            }
        }
    }

    /// Waits for the end, reaps, and tells the last words as an error.
    fn wait_end(&mut self, shared: &Shared) -> ClusterError {
        self.has_ended(WaitIdOptions::empty());
        dismiss(self.stdin.take());
        let mut state = shared.state.lock();
        let status = self.child.wait();
        state.child = None;
        drop(state);
        // Backends may hold the pipe a little longer; only a finished reader is waited for.
        if let Some(reader) = self.reader.take_if(|reader| reader.is_finished()) {
            let _ = reader.join();
        }
        let words: Vec<_> = self.words.lock().iter().cloned().collect();
        let status = status.map_or_else(|cause| cause.to_string(), |status| status.to_string());
        ClusterError::Failed { program: "postgres", output: format!("{}\n{status}", words.join("\n")) }
    }
}

/// Passes PostgreSQL's log on to ours and keeps its last lines.
fn read_words(
    stderr: ChildStderr,
    words: Arc<Mutex<VecDeque<String>>>,
) -> Option<std::thread::JoinHandle<()>> {
    let read = move || {
        for line in BufReader::new(stderr).lines().map_while(Result::ok) {
            // Connections that end with the cluster are no news.
            let ending = line.contains("terminating connection");
            if (line.starts_with("FATAL:") && !ending) || line.starts_with("PANIC:") {
                tracing::warn!(target: "postgres", "{line}");
            } else {
                tracing::debug!(target: "postgres", "{line}");
            }
            let mut words = words.lock();
            if words.len() == LAST_WORDS {
                words.pop_front();
            }
            words.push_back(line);
        }
    };
    std::thread::Builder::new().name("postgres-log".to_owned()).spawn(read).ok()
}
