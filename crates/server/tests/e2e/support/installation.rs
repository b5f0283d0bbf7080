//! A running `callwright serve` with a database of its own, and the operator's command line.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, mpsc};
use std::time::Duration;
use tokio::time::Instant;

use serde_json::Value;
use test_database::TestDatabase;

/// The program under test.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_callwright");

/// Nothing that a test waits for takes longer than this, unless it says so.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// A data directory, a database and, while it runs, a server.
pub struct Installation {
    data: tempfile::TempDir,
    database: Arc<TestDatabase>,
    settings: Vec<(String, String)>,
    umask: Option<&'static str>,
    server: Option<Running>,
}

struct Running {
    child: Child,
    base: String,
    log: PathBuf,
}

impl Installation {
    /// Prepares an installation with extra settings (without the `CALLWRIGHT__` prefix).
    pub async fn new(settings: &[(&str, &str)]) -> Self {
        let database = Arc::new(TestDatabase::create().await);
        let settings =
            settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Self { data: tempfile::tempdir().unwrap(), database, settings, umask: None, server: None }
    }

    /// Changes a setting for everything that is started from now on.
    pub fn set(&mut self, name: &str, value: &str) {
        self.settings.retain(|(own, _)| own != name);
        self.settings.push((name.to_owned(), value.to_owned()));
    }

    /// Prepares one whose database and key file come from elsewhere.
    pub async fn restored(database: &str, key_file: &str, settings: &[(&str, &str)]) -> Self {
        let mut installation = Self::new(settings).await;
        installation.database = Arc::new(TestDatabase::create_empty().await);
        installation.database.rows(database).await;
        let path = installation.data.path().join("secret.key");
        std::fs::write(&path, key_file).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        installation
    }

    /// Prepares another node of the same service.
    pub fn beside(other: &Self) -> Self {
        let key = other.data.path().join("secret.key").to_str().unwrap().to_owned();
        let settings = vec![("SECRETS__KEY_FILE".to_owned(), key)];
        let (data, database) = (tempfile::tempdir().unwrap(), other.database.clone());
        Self { data, database, settings, umask: None, server: None }
    }

    /// Prepares one and starts its server.
    pub async fn serving(settings: &[(&str, &str)]) -> Self {
        let mut installation = Self::new(settings).await;
        installation.start(&[]);
        installation.ready().await;
        installation
    }

    /// Everything runs under this umask from now on.
    pub fn under_umask(&mut self, umask: &'static str) {
        self.umask = Some(umask);
    }

    /// A command with this installation's environment.
    pub fn command(&self) -> Command {
        let mut command = Command::new(if self.umask.is_some() { "/bin/sh" } else { PROGRAM });
        if let Some(umask) = self.umask {
            command.args(["-c", r#"umask "$0" && exec "$@""#, umask, PROGRAM]);
        }
        command.env_remove("DATABASE_URL").env("TRUNK_PASSWORD", "secret");
        for (name, value) in [
            ("DATA_DIR", self.data.path().to_str().unwrap()),
            ("DATABASE__URL", self.database.url()),
            ("HTTP__LISTEN", "127.0.0.1:0"),
            ("SIP__LISTEN", "127.0.0.1:0"),
            ("MEDIA__PORTS", "21000-29998"),
            ("CALLBACKS__ALLOWED_NETWORKS", "127.0.0.0/8"),
            ("LOG__FORMAT", "json"),
            ("LOG__LEVEL", "info,callwright::turns=debug"),
        ] {
            command.env(format!("CALLWRIGHT__{name}"), value);
        }
        for (name, value) in &self.settings {
            command.env(format!("CALLWRIGHT__{name}"), value);
        }
        command
    }

    /// Starts the server with extra environment, e.g. fail points, and waits until it listens.
    pub fn start(&mut self, environment: &[(&str, &str)]) {
        let log = self.data.path().join(format!("server-{}.log", std::process::id()));
        let mut child = self
            .command()
            .arg("serve")
            .envs(environment.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (listening, address) = mpsc::channel();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let copy = std::fs::File::options().create(true).append(true).open(&log).unwrap();
        std::thread::spawn(move || follow(lines, copy, &listening));
        let address = address.recv_timeout(PATIENCE).unwrap_or_else(|_| {
            panic!("the server did not say where it listens:\n{}", std::fs::read_to_string(&log).unwrap())
        });
        self.server = Some(Running { child, base: format!("http://{address}"), log });
    }

    /// Waits for readiness.
    pub async fn ready(&self) {
        let client = client();
        let deadline = Instant::now() + PATIENCE;
        loop {
            let answer = client.get(format!("{}/readyz", self.base())).send().await;
            if answer.is_ok_and(|answer| answer.status().is_success()) {
                return;
            }
            assert!(Instant::now() < deadline, "never ready:\n{}", self.log());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Where the server is.
    pub fn base(&self) -> &str {
        &self.server.as_ref().unwrap().base
    }

    /// All that the server has logged.
    pub fn log(&self) -> String {
        std::fs::read_to_string(&self.server.as_ref().unwrap().log).unwrap()
    }

    /// Waits until the server has logged something.
    pub async fn logs(&self, words: &str) {
        let deadline = Instant::now() + PATIENCE;
        while !self.log().contains(words) {
            assert!(Instant::now() < deadline, "never logged: {words}\n{}", self.log());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Runs statements and gives the rows of the last.
    pub async fn rows(&self, sql: &str) -> Vec<Vec<Option<String>>> {
        self.database.rows(sql).await
    }

    /// Waits until a query has rows.
    pub async fn rows_until(&self, sql: &str) {
        let deadline = Instant::now() + PATIENCE;
        while self.rows(sql).await.is_empty() {
            assert!(Instant::now() < deadline, "no rows: {sql}\n{}", self.log());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Takes the database away from the service, or gives it back.
    pub async fn without_database(&self, away: bool) {
        self.database.refuse_connections(away).await;
    }

    /// How many rows a table has.
    pub async fn count(&self, table: &str) -> usize {
        self.database.rows(&format!("SELECT 1 FROM {table}")).await.len()
    }

    /// Runs a statement on the database, as nobody in the service would.
    pub async fn sql(&self, statement: &str) {
        self.database.rows(statement).await;
    }

    /// Files a recording of a call, as if it were stored.
    pub async fn files_a_recording(&self, call: &str) {
        let filing = format!("INSERT INTO call_artifacts VALUES ('{call}', 'recording', 10, now())");
        self.database.rows(&filing).await;
    }

    /// Waits until a dialog has been saved: from here on another node can say BYE. The log tells of
    /// the answer before it is written.
    pub async fn saves_an_answer(&self) {
        let deadline = Instant::now() + PATIENCE;
        while self.count("call_legs WHERE state = 'connected'").await == 0 {
            assert!(Instant::now() < deadline, "no answer was saved:\n{}", self.log());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// The data directory.
    pub fn data(&self) -> &Path {
        self.data.path()
    }

    /// Sends SIGKILL and waits for the process to be gone.
    pub fn kill(&mut self) {
        let mut running = self.server.take().unwrap();
        running.child.kill().unwrap();
        running.child.wait().unwrap();
    }

    /// Sends SIGTERM, once.
    pub fn terminate(&self) {
        let pid = rustix::process::Pid::from_child(&self.server.as_ref().unwrap().child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    }

    /// Waits until the server has ended by itself, and forgets it.
    pub async fn wait_for_end(&mut self) -> std::process::ExitStatus {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.server.as_mut().unwrap().child.try_wait().unwrap() {
                self.server = None;
                return status;
            }
            assert!(Instant::now() < deadline, "the server goes on:\n{}", self.log());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Runs an operator's command with `--json` and gives its object.
    pub fn operator(&self, arguments: &[&str]) -> Value {
        self.operator_typing(arguments, "")
    }

    /// The same with something on its standard input.
    pub fn operator_typing(&self, arguments: &[&str], typed: &str) -> Value {
        let mut command = self.command();
        command.args(arguments).arg("--json");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut running = command.spawn().unwrap();
        running.stdin.take().unwrap().write_all(typed.as_bytes()).unwrap();
        let output = running.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{arguments:?}: {said}{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_str(&said).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {said}"))
    }
}

impl Drop for Installation {
    fn drop(&mut self) {
        if let Some(mut running) = self.server.take() {
            let _ = running.child.kill();
            let _ = running.child.wait();
        }
    }
}

/// Copies the log to a file and tells the first `listening` address.
fn follow(lines: std::io::Lines<impl BufRead>, mut copy: std::fs::File, listening: &mpsc::Sender<String>) {
    for line in lines.map_while(Result::ok) {
        let _ = writeln!(copy, "{line}");
        let Ok(entry) = serde_json::from_str::<Value>(&line) else { continue };
        if let Some(address) = entry.pointer("/fields/http.address").and_then(Value::as_str) {
            let _ = listening.send(address.to_owned());
        }
    }
}

/// An HTTP client; TLS wants its provider chosen first.
pub fn client() -> reqwest::Client {
    // Somebody in this process may have chosen the same one already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::new()
}
