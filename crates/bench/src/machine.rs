//! What the machine does meanwhile: processor time and memory, from proc(5).

use std::collections::HashMap;
use std::time::{Duration, Instant};

/// Linux counts processor time in hundredths of a second (`USER_HZ`).
const TICK: Duration = Duration::from_millis(10);

/// Processors and load, for people.
pub(crate) fn describe() -> String {
    let cores = std::thread::available_parallelism().unwrap();
    let load = std::fs::read_to_string("/proc/loadavg").unwrap();
    let load: Vec<_> = load.split(' ').take(3).collect();
    format!("machine: {cores} cores, load averages {}", load.join(" "))
}

/// The processor time that a process has used (with `children`: and those of its children that
/// have ended).
fn cpu(pid: u32, children: bool) -> Duration {
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { return Duration::ZERO };
    // Fields count from the last parenthesis: a program's name may hold anything.
    let fields: Vec<_> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    let ticks: u32 =
        fields[11..if children { 15 } else { 13 }].iter().map(|field| field.parse::<u32>().unwrap()).sum();
    TICK * ticks
}

/// The resident memory of a process in MiB.
pub(crate) fn resident(pid: u32) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<f64>().unwrap() / 1_024.0
}

/// Processor time over a stretch: of the server, of everything that belongs to the run, and of
/// whoever else uses the machine.
pub(crate) struct Meter {
    server: u32,
    began: Instant,
    before: Reading,
}

struct Reading {
    server: Duration,
    run: Duration,
    machine: Duration,
}

impl Meter {
    pub(crate) fn start(server: u32) -> Self {
        Self { server, began: Instant::now(), before: Reading::take(server) }
    }

    /// Cores used since the start by everything that belongs to the run.
    pub(crate) fn everything(&self) -> f64 {
        let used = Reading::take(self.server).run.saturating_sub(self.before.run);
        used.as_secs_f64() / self.began.elapsed().as_secs_f64()
    }

    /// Cores used since the start: by the server process, and a line for people.
    pub(crate) fn stop(&self) -> (f64, String) {
        let now = Reading::take(self.server);
        let seconds = self.began.elapsed().as_secs_f64();
        let cores = |now: Duration, before: Duration| now.saturating_sub(before).as_secs_f64() / seconds;
        let server = cores(now.server, self.before.server);
        let run = cores(now.run, self.before.run);
        let machine = cores(now.machine, self.before.machine);
        let others = (machine - run).max(0.0);
        let line = format!(
            "processors: server {server:.2} cores, its database, peers and load tools {:.2}, others on this machine {others:.2}",
            run - server
        );
        (server, line)
    }
}

impl Reading {
    fn take(server: u32) -> Self {
        let stat = std::fs::read_to_string("/proc/stat").unwrap();
        let fields = stat
            .lines()
            .next()
            .unwrap()
            .split_whitespace()
            .skip(1)
            .map(|field| field.parse::<u32>().unwrap());
        // User, nice, system, (idle, waiting,) interrupts and their later halves.
        let busy: u32 = fields
            .enumerate()
            .filter(|(place, _)| matches!(place, 0..=2 | 5..=6))
            .map(|(_, ticks)| ticks)
            .sum();
        let run = descendants(std::process::id()).into_iter().map(|pid| cpu(pid, true)).sum();
        Self { server: cpu(server, false), run, machine: TICK * busy }
    }
}

/// A process and all that it has started.
fn descendants(root: u32) -> Vec<u32> {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else { continue };
        let parent = stat.rsplit(')').next().unwrap().split_whitespace().nth(1).unwrap().parse().unwrap();
        children.entry(parent).or_default().push(pid);
    }
    let mut found = vec![root];
    let mut at = 0;
    while let Some(pid) = found.get(at) {
        found.extend(children.remove(pid).unwrap_or_default());
        at += 1;
    }
    found
}
