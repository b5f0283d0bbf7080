//! A Redis of its own for every test: on a port of its own, without persistence.

#![allow(
    clippy::panic,
    clippy::expect_used,
    clippy::missing_panics_doc,
    clippy::disallowed_methods,
    reason = "for tests only: without Redis a test fails, and says why"
)]

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use test_ports::free_port;

/// A server is there within this time, or something is wrong.
const PATIENCE: Duration = Duration::from_secs(20);

/// A `redis-server` that ends when this is dropped.
#[derive(Debug)]
pub struct TestRedis {
    folder: tempfile::TempDir,
    port: u16,
    options: Vec<String>,
    server: Option<Child>,
}

impl TestRedis {
    /// Starts one. It panics, saying how to run the tests, when the program is missing.
    pub fn start() -> Self {
        Self::with(&[])
    }

    /// Starts one with further options of its command line, e.g. `["--requirepass", "secret"]`.
    pub fn with(options: &[&str]) -> Self {
        let mut redis = Self::absent();
        redis.options = options.iter().map(|option| (*option).to_owned()).collect();
        // Between asking for a free port and listening on it somebody else may take it.
        for _ in 0..10 {
            if redis.try_start() {
                return redis;
            }
            redis.port = free_port().port();
        }
        panic!("redis-server does not start: {}", redis.log());
    }

    /// Only the place: nothing listens there until [`TestRedis::restart`].
    pub fn absent() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        Self { folder, port: free_port().port(), options: Vec::new(), server: None }
    }

    /// Where it listens, by TLS when its options say so.
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// Its address without password.
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Sends SIGKILL and waits for its end: everything it knew is gone.
    pub fn kill(&mut self) {
        if let Some(mut server) = self.server.take() {
            let _ = server.kill();
            let _ = server.wait();
        }
    }

    /// Starts it again, empty, in the same place.
    pub fn restart(&mut self) {
        assert!(self.try_start(), "redis-server does not start: {}", self.log());
    }

    /// Lets it hang: connections are accepted, and nobody answers.
    pub fn freeze(&self) {
        self.signal(Signal::STOP);
    }

    /// Lets it go on.
    pub fn thaw(&self) {
        self.signal(Signal::CONT);
    }

    /// Sends one command, its words in the order of `redis-cli`, and gives what comes back first.
    pub fn command(&self, words: &[&str]) -> String {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a read timeout");
        let mut request = format!("*{}\r\n", words.len()).into_bytes();
        for word in words {
            write!(request, "${}\r\n{word}\r\n", word.len()).expect("memory takes it");
        }
        stream.write_all(&request).expect("Redis reads");
        let mut answer = [0; 16 * 1024];
        let length = stream.read(&mut answer).expect("Redis answers");
        String::from_utf8_lossy(answer.get(..length).unwrap_or_default()).into_owned()
    }

    fn signal(&self, signal: Signal) {
        let server = self.server.as_ref().expect("it runs");
        kill_process(Pid::from_child(server), signal).expect("it takes signals");
    }

    fn try_start(&mut self) -> bool {
        self.kill();
        let log = self.folder.path().join("log");
        let mut command = Command::new("redis-server");
        command.args(["--save", "", "--appendonly", "no", "--daemonize", "no", "--bind", "127.0.0.1"]);
        command.arg("--dir").arg(self.folder.path()).arg("--logfile").arg(&log);
        if !self.options.iter().any(|option| option == "--port") {
            command.args(["--port", &self.port.to_string()]);
        }
        let options = self.options.iter().map(|option| option.replace("PORT", &self.port.to_string()));
        command.args(options).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let server = command.spawn().unwrap_or_else(|error| {
            panic!("redis-server: {error}; run the tests with `./just test`, which brings it")
        });
        self.server = Some(server);
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            if self.server.as_mut().is_some_and(|server| !matches!(server.try_wait(), Ok(None))) {
                return false;
            }
            if self.is_listening(&log) {
                return true;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        false
    }

    /// Its own word for it: another program could be listening on that port.
    fn is_listening(&self, log: &Path) -> bool {
        let process = self.server.as_ref().map(Child::id).unwrap_or_default();
        let told = std::fs::read_to_string(log).unwrap_or_default();
        told.lines().any(|line| {
            line.starts_with(&format!("{process}:")) && line.contains("Ready to accept connections")
        })
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }
}

impl Drop for TestRedis {
    fn drop(&mut self) {
        // SIGKILL ends a stopped process too.
        self.kill();
    }
}
