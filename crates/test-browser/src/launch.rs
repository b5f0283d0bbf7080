//! Chromium's process: it ends with its pipe, so at the latest with the test.

use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

/// Chromium speaks on the descriptors 3 and 4; the shell puts our pipes there.
const LAUNCHER: &str = r#"exec 3<&0 4>&1 </dev/null >/dev/null; exec "$@""#;

const FLAGS: [&str; 15] = [
    "--headless",
    "--remote-debugging-pipe",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-breakpad",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--disable-features=Translate,MediaRouter,OptimizationHints",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
    "--mute-audio",
    "--no-first-run",
    "--password-store=basic",
];

/// A process with its profile; both are gone when it is dropped.
pub(crate) struct Chromium {
    process: Child,
    profile: tempfile::TempDir,
}

impl Chromium {
    /// Starts one, and gives the two ends of its pipe.
    pub(crate) fn start() -> (Self, ChildStdin, ChildStdout) {
        let profile = tempfile::Builder::new().prefix("test-browser-").tempdir().expect("a folder");
        let log = std::fs::File::create(profile.path().join("log")).expect("a file for its log");
        let mut command = Command::new("sh");
        command.args(["-c", LAUNCHER, "sh", "chromium"]).args(FLAGS);
        // Its sandbox wants a user, and the kernel's leave.
        if rustix::process::geteuid().is_root() || !may_sandbox() {
            command.arg("--no-sandbox");
        }
        command
            .arg(format!("--user-data-dir={}", profile.path().join("profile").display()))
            // Its launcher and its crash handler write there.
            .env("HOME", profile.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            .process_group(0)
            .kill_on_drop(true);
        let mut process = command.spawn().expect("a shell");
        let input = process.stdin.take().expect("its input is ours");
        let output = process.stdout.take().expect("so is its output");
        (Self { process, profile }, input, output)
    }

    /// What it complained of, for a test that finds it silent.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.profile.path().join("log")).unwrap_or_default()
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        let group = self.process.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        if let Some(group) = group {
            let _ = kill_process_group(group, Signal::KILL);
        }
        // The profile can only be removed when nobody writes there any more.
        let deadline = Instant::now() + Duration::from_secs(5);
        while matches!(self.process.try_wait(), Ok(None)) && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Whether users may have namespaces of their own here, which the sandbox is made of.
fn may_sandbox() -> bool {
    let says =
        |path: &str, refusal: &str| std::fs::read_to_string(path).is_ok_and(|value| value.trim() == refusal);
    !says("/proc/sys/kernel/unprivileged_userns_clone", "0")
        && !says("/proc/sys/user/max_user_namespaces", "0")
        && !says("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1")
}
