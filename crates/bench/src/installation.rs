//! A real server on a database of its own, with everything on that makes writes durable.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// Nothing that is waited for takes longer.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// The server's log in the data directory.
const LOG: &str = "server.log";

/// A data directory with the server that serves it, and its private PostgreSQL cluster.
pub(crate) struct Installation {
    program: PathBuf,
    data: tempfile::TempDir,
    log_level: &'static str,
    server: Child,
    /// Where it answers HTTP, as `address:port`.
    pub(crate) address: String,
}

impl Installation {
    /// Starts the server in a new folder inside `folder` and waits until it is ready.
    pub(crate) fn serving(program: PathBuf, folder: &Path, log_level: &'static str) -> Self {
        let data = tempfile::Builder::new().prefix("callwright-bench-").tempdir_in(folder).unwrap();
        // PostgreSQL refuses to be root, and its own user must get to the cluster.
        std::fs::set_permissions(data.path(), std::fs::Permissions::from_mode(0o711)).unwrap();
        let log = std::fs::File::create(data.path().join(LOG)).unwrap();
        let server = command(&program, data.path(), log_level)
            .arg("serve")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}", program.display()));
        let mut installation = Self { program, data, log_level, server, address: String::new() };
        installation.address = installation.wait_listening();
        installation.wait_ready();
        installation
    }

    /// The server's process.
    pub(crate) fn pid(&self) -> u32 {
        self.server.id()
    }

    /// The data directory.
    pub(crate) fn data(&self) -> &Path {
        self.data.path()
    }

    /// What the server has logged, as JSON lines.
    pub(crate) fn log(&self) -> impl Iterator<Item = Value> {
        let text = std::fs::read_to_string(self.data.path().join(LOG)).unwrap();
        let lines: Vec<_> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        lines.into_iter()
    }

    /// A command of the program with this installation's settings.
    pub(crate) fn command(&self) -> Command {
        command(&self.program, self.data.path(), self.log_level)
    }

    /// Runs an operator's command and gives the object that it prints.
    pub(crate) fn operator(&self, arguments: &[&str]) -> Value {
        let output = self.command().args(arguments).arg("--json").output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    fn wait_listening(&self) -> String {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let mut addresses = self
                .log()
                .filter_map(|entry| Some(entry.pointer("/fields/http.address")?.as_str()?.to_owned()));
            if let Some(address) = addresses.next() {
                return address;
            }
            assert!(Instant::now() < deadline, "the server does not say where it listens");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn wait_ready(&self) {
        let deadline = Instant::now() + PATIENCE;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        while runtime.block_on(crate::http::get(&self.address, "/readyz")) != Some(200) {
            assert!(Instant::now() < deadline, "the server never gets ready");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Installation {
    fn drop(&mut self) {
        // The way that a service manager ends it; the cluster ends with it.
        let _ = Command::new("kill").arg(self.server.id().to_string()).status();
        let _ = self.server.wait();
    }
}

fn command(program: &Path, data: &Path, log_level: &str) -> Command {
    let mut command = Command::new(program);
    command.env_remove("DATABASE_URL");
    for (name, value) in [
        ("DATA_DIR", data.to_str().unwrap()),
        ("HTTP__LISTEN", "127.0.0.1:0"),
        // The rate limit has no off switch, so the load comes as many clients of one proxy.
        ("HTTP__TRUSTED_PROXIES", "127.0.0.1"),
        ("SIP__LISTEN", "127.0.0.1:0"),
        ("MEDIA__PORTS", "20000-29999"),
        ("CALLBACKS__ALLOWED_NETWORKS", "127.0.0.0/8"),
        ("ENGINES__ALLOWED_NETWORKS", "127.0.0.0/8"),
        ("CALLS__DRAIN_LIMIT", "0"),
        ("LOG__FORMAT", "json"),
        ("LOG__LEVEL", log_level),
    ] {
        command.env(format!("CALLWRIGHT__{name}"), value);
    }
    command
}
