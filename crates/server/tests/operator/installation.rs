//! An installation of its own for each test, and the program run in it.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// An installation with nothing in it.
pub(crate) struct Installation(pub(crate) tempfile::TempDir);

impl Installation {
    pub(crate) fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("cw-").tempdir().unwrap();
        let open = std::os::unix::fs::PermissionsExt::from_mode(0o711);
        std::fs::set_permissions(folder.path(), open).unwrap();
        Self(folder)
    }

    pub(crate) fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_callwright"));
        command
            .args(line.split_whitespace())
            .env_remove("DATABASE_URL")
            .env("CALLWRIGHT__DATA_DIR", self.0.path())
            .env("CALLWRIGHT__HTTP__LISTEN", "127.0.0.1:0")
            .env("CALLWRIGHT__SIP__LISTEN", "127.0.0.1:0")
            .env("CALLWRIGHT__LOG__FORMAT", "json")
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, line: &str) -> Output {
        self.command(line).env("TRUNK_PASSWORD", "hunter2-and-more").output().unwrap()
    }

    /// Runs a command that reads this from its standard input.
    pub(crate) fn run_with(&self, line: &str, input: &str) -> Output {
        let mut command = self.command(line);
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    }

    /// Writes a file into the installation's folder and gives its path.
    pub(crate) fn file(&self, name: &str, text: &str) -> String {
        let path = self.0.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    }

    /// Runs a command that must succeed with `--json`, and gives its one object.
    pub(crate) fn object(&self, line: &str) -> Value {
        let output = self.run(&format!("{line} --json"));
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(text.trim().lines().count(), 1, "{line}: {text}");
        let object: Value = serde_json::from_str(&text).unwrap();
        assert!(object["id"].is_string(), "{line}: {text}");
        object
    }

    pub(crate) fn id(&self, line: &str) -> String {
        self.object(line)["id"].as_str().unwrap().to_owned()
    }

    /// Runs a command that must fail with this code, and gives its words.
    pub(crate) fn failure(&self, line: &str, code: i32) -> String {
        let output = self.run(line);
        let words = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{line}: {words}");
        words
    }
}

/// A running server.
pub(crate) struct Server(Child);

impl Server {
    /// Starts one and waits until it is ready to take calls.
    pub(crate) fn start(installation: &Installation) -> Self {
        let mut child = installation.command("serve").stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let ready = lines.by_ref().map(Result::unwrap).any(|line| line.contains(r#""message":"ready""#));
        assert!(ready, "the server ended before it was ready");
        // Somebody has to read on, or the server's log would block.
        std::thread::spawn(move || lines.for_each(drop));
        Self(child)
    }

    /// Asks it to end and waits for that.
    pub(crate) fn end(mut self) {
        kill_process(Pid::from_child(&self.0), Signal::TERM).unwrap();
        let deadline = Instant::now() + Duration::from_secs(30);
        while self.0.try_wait().unwrap().is_none() {
            assert!(Instant::now() < deadline, "the server goes on");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Sets everything up that a call needs, and gives tenant and organization.
pub(crate) fn provision(installation: &Installation) -> (String, String) {
    let tenant = installation.id("tenant create --name Acme");
    let organization = installation.id(&format!(
        "organization create --tenant {tenant} --name Clinic --email a@b.example --timezone Europe/Paris"
    ));
    let trunk = installation.object(&format!(
        "trunk create --tenant {tenant} --name main --address 127.0.0.1:9 --username bob \
         --password-env TRUNK_PASSWORD --default-country 1 --max-calls 5"
    ));
    assert!(!trunk.to_string().contains("hunter2"), "{trunk}");
    let trunk = trunk["id"].as_str().unwrap();
    installation
        .id(&format!("number create --organization {organization} --trunk {trunk} --number +14155550100"));
    let file = installation.file("assistant.toml", "name = 'A'\nengine = 'builtin'\nfirst_message = 'Hello'");
    installation.id(&format!("assistant create --organization {organization} --file {file}"));
    (tenant, organization)
}
