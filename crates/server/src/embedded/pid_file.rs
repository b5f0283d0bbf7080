//! `postmaster.pid`: what PostgreSQL writes about a running postmaster.

use std::path::Path;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use super::{ClusterError, Deadline, LOOK, at};

/// How long an old postmaster may take to stop by itself: its parent-death signal is on the way.
const BY_ITSELF: Duration = Duration::from_secs(5);
/// How long it may take when asked, which includes a checkpoint.
const WHEN_ASKED: Duration = Duration::from_mins(1);
/// How long it may take when told to drop everything.
const AT_ONCE: Duration = Duration::from_secs(10);

/// The lines that matter here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PidFile {
    /// Line 1: the postmaster.
    pub(super) pid: u32,
    /// Line 3: when it started, in seconds since 1970; tells it from its predecessors.
    pub(super) started: u64,
    /// Line 8: whether it takes connections.
    pub(super) ready: bool,
}

/// Reads the file of a cluster; none when there is none, or when it is still being written.
pub(super) fn read(cluster: &Path) -> Option<PidFile> {
    let text = std::fs::read_to_string(cluster.join("postmaster.pid")).ok()?;
    parse(&text)
}

fn parse(text: &str) -> Option<PidFile> {
    let mut lines = text.lines().map(str::trim);
    let pid = lines.next()?.parse().ok()?;
    let started = lines.nth(1)?.parse().ok()?;
    let ready = lines.nth(4) == Some("ready");
    Some(PidFile { pid, started, ready })
}

/// Whether a living postmaster of this cluster takes connections.
pub(super) fn is_taking_connections(cluster: &Path) -> bool {
    read(cluster).is_some_and(|file| file.ready && state_of(file.pid, cluster) == State::Ours)
}

/// Makes room for a start: an old postmaster is awaited, then asked, then told to stop; a note
/// about a process that has become something else is removed. The caller owns the cluster, so
/// no living callwright needs that postmaster.
pub(super) fn clear_way(cluster: &Path) -> Result<(), ClusterError> {
    let Some(PidFile { pid, .. }) = read(cluster) else { return Ok(()) };
    match state_of(pid, cluster) {
        State::Gone => return Ok(()),
        State::Other => {
            // A recycled process id would make PostgreSQL refuse to start.
            let path = cluster.join("postmaster.pid");
            return std::fs::remove_file(&path).map_err(at(&path));
        }
        State::Ours => tracing::info!(pid, "waiting for the postmaster of an earlier start to stop"),
    }
    for (signal, patience) in
        [(None, BY_ITSELF), (Some(Signal::INT), WHEN_ASKED), (Some(Signal::QUIT), AT_ONCE)]
    {
        if let (Some(signal), Some(process)) = (signal, process(pid)) {
            // It may have gone in the meantime, which is all we want.
            let _ = kill_process(process, signal);
        }
        let deadline = Deadline::after(patience);
        while !deadline.is_over() {
            if state_of(pid, cluster) != State::Ours {
                return Ok(());
            }
            std::thread::sleep(LOOK);
        }
    }
    Err(ClusterError::Stuck { pid })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Gone,
    Ours,
    Other,
}

fn process(pid: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(pid).ok()?)
}

/// Whether a process lives and is a postmaster of this cluster, which works in its folder.
fn state_of(pid: u32, cluster: &Path) -> State {
    let Some(process) = process(pid) else { return State::Gone };
    match test_kill_process(process) {
        Err(rustix::io::Errno::SRCH) => return State::Gone,
        Err(_) => return State::Other,
        Ok(()) => {}
    }
    let working = std::fs::read_link(format!("/proc/{pid}/cwd"));
    match (working, cluster.canonicalize()) {
        (Ok(working), Ok(cluster)) if working == cluster => State::Ours,
        // A zombie's folder cannot be read any more; neither can any where there is no /proc.
        (Err(_), _) if Path::new("/proc/self").exists() => State::Gone,
        (Err(_), _) => State::Ours,
        _ => State::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn process_and_status_are_read_from_their_lines() {
        let file = |status: &str| format!("4711\n/d\n1700000000\n5432\n/d\n\n  262145  3\n{status}\n");
        let found = |ready| Some(PidFile { pid: 4711, started: 1_700_000_000, ready });
        assert_eq!(parse(&file("ready   ")), found(true));
        assert_eq!(parse(&file("starting")), found(false));
        assert_eq!(parse("4711\n/d\n1700000000\n5432\n/d\n\n"), found(false));
        assert_eq!(parse("4711\n/d\n"), None);
        assert_eq!(parse(""), None);
    }

    #[test]
    fn a_note_about_a_process_that_became_something_else_is_removed() {
        let cluster = tempfile::tempdir().unwrap();
        let file = cluster.path().join("postmaster.pid");
        std::fs::write(&file, format!("{}\n/d\n1700000000\n", std::process::id())).unwrap();
        clear_way(cluster.path()).unwrap();
        assert!(!file.exists());
        clear_way(cluster.path()).unwrap();
    }
}
