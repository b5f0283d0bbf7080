//! The receivers that customers copy (`examples/receivers`), each as the process that it would be.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::mpsc;

use super::installation::{PATIENCE, PROGRAM};

/// Which of them.
#[derive(Clone, Copy, Debug)]
pub enum Language {
    Python,
    Node,
    Rust,
}

impl Language {
    fn command(self) -> Command {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/receivers");
        let run = |program: &str, file: &str| {
            let mut command = Command::new(program);
            command.arg(folder.join(file));
            command
        };
        match self {
            Self::Python => run("python3", "python/receiver.py"),
            Self::Node => run("node", "node/receiver.mjs"),
            Self::Rust => Command::new(beside_the_program("examples/receiver")),
        }
    }
}

/// What cargo builds together with these tests.
fn beside_the_program(name: &str) -> PathBuf {
    let path = Path::new(PROGRAM).parent().unwrap().join(name);
    assert!(path.exists(), "`cargo build --package callwright --examples` is missing: {}", path.display());
    path
}

/// A running receiver; it ends with its owner.
pub struct Copied {
    child: Child,
    url: String,
    said: mpsc::UnboundedReceiver<String>,
    complained: mpsc::UnboundedReceiver<String>,
}

impl Copied {
    /// Starts one on a port of its own and waits until it listens.
    pub async fn start(language: Language, settings: &[(&str, &str)]) -> Self {
        let mut command = language.command();
        let mut child = command
            .envs(settings.iter().copied())
            .env("PORT", "0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{language:?}: {error}; `./just test` brings it"));
        let mut said = lines(child.stdout.take().unwrap());
        let complained = lines(child.stderr.take().unwrap());
        let first = next(&mut said).await;
        let url = first.strip_prefix("listening on ").expect("where it listens").to_owned();
        Self { child, url, said, complained }
    }

    /// Where it takes callbacks.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The next call that it acted upon.
    pub async fn acted(&mut self) -> Value {
        serde_json::from_str(&next(&mut self.said).await).unwrap()
    }

    /// The next thing that it complained of.
    pub async fn complained(&mut self) -> String {
        next(&mut self.complained).await
    }

    /// Whether it acts on nothing (more) for so long.
    pub async fn stays_quiet(&mut self, patience: Duration) -> bool {
        tokio::time::timeout(patience, self.said.recv()).await.is_err()
    }
}

impl Drop for Copied {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

async fn next(lines: &mut mpsc::UnboundedReceiver<String>) -> String {
    tokio::time::timeout(PATIENCE, lines.recv()).await.expect("it said nothing").expect("it has ended")
}

fn lines(from: impl std::io::Read + Send + 'static) -> mpsc::UnboundedReceiver<String> {
    let (sender, receiver) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for line in BufReader::new(from).lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
    });
    receiver
}
