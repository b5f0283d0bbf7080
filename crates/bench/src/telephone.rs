//! `callwright phone` as the callee, in a process of its own.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Stdio};

use serde_json::Value;

use crate::installation::Installation;

/// A telephone that takes any number of calls; it ends when dropped.
pub(crate) struct Telephone {
    process: Child,
    /// Where it takes calls.
    pub(crate) address: SocketAddr,
}

impl Telephone {
    /// Starts one that answers at once and does what the arguments say.
    pub(crate) fn start(installation: &Installation, arguments: &[String]) -> Self {
        let mut process = installation
            .command()
            .args(["phone", "--listen", "127.0.0.1:0", "--answer-after", "0", "--json"])
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let first: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        let address = first["address"].as_str().unwrap().parse().unwrap();
        // What happens on its calls is read, so that it never waits, and not used.
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        Self { process, address }
    }
}

impl Drop for Telephone {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
