//! The recogniser's process, and the lines to and from it.

use std::env;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{self, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Longer than any answer takes on a busy machine.
const PATIENCE: Duration = Duration::from_mins(2);

/// A recogniser that is ready; it ends with its standard input, so at the latest with the test.
pub(crate) struct Child {
    process: process::Child,
    sound: ChildStdin,
    lines: Receiver<String>,
}

impl Child {
    pub(crate) fn start() -> Self {
        let program = python();
        assert!(
            program.exists(),
            "the speech recogniser of the tests is not at {}: run ./just ears",
            program.display()
        );
        let mut process = Command::new(&program)
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("ears.py"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the recogniser starts");
        let sound = process.stdin.take().expect("its input is ours");
        let output = process.stdout.take().expect("so is its output");
        let (said, lines) = channel();
        // Reading in a thread gives an answer a time limit.
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if said.send(line).is_err() {
                    return;
                }
            }
        });
        let child = Self { process, sound, lines };
        assert_eq!(child.line(), "ready");
        child
    }

    pub(crate) fn hear(&mut self, samples: &[i16]) -> String {
        let bytes: Vec<u8> = samples.iter().flat_map(|sample| sample.to_le_bytes()).collect();
        let mut line = STANDARD.encode(bytes);
        line.push('\n');
        self.sound.write_all(line.as_bytes()).expect("the recogniser listens");
        self.line()
    }

    fn line(&self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("the recogniser answers; its own words are above")
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The interpreter that has the recogniser: of this repository, or of `CALLWRIGHT_TEST_EARS`, the
/// folder of another one.
fn python() -> PathBuf {
    let ours = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools/ears");
    env::var_os("CALLWRIGHT_TEST_EARS").map_or_else(ours, PathBuf::from).join("bin/python")
}
