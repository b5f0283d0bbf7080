//! SIPp as the callee, with the scenarios in `tests/sipp`.

use std::io::Write;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;

use tempfile::NamedTempFile;
use tokio::process::{Child, Command};

use test_ports::free_port;

use super::{PATIENCE, until_bound};

/// One running scenario.
pub struct Sipp {
    child: Child,
    pub address: SocketAddr,
    scenario: String,
    _file: NamedTempFile,
}

impl Sipp {
    /// Starts a scenario for one call; `keys` fill its `[key]` fields.
    pub async fn start(scenario: &str, keys: &[(&str, &str)]) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sipp").join(format!("{scenario}.xml"));
        // SIPp's own keys may not stand in a status line.
        let mut text = std::fs::read_to_string(path).unwrap();
        for (key, value) in keys {
            text = text.replace(&format!("[{key}]"), value);
        }
        let mut file = NamedTempFile::with_suffix(".xml").unwrap();
        file.write_all(text.as_bytes()).unwrap();
        let address = free_port();
        let mut command = Command::new("sipp");
        command.arg("-sf").arg(file.path());
        command.args(["-i", "127.0.0.1", "-mi", "127.0.0.1", "-m", "1", "-nostdin"]);
        command.args(["-timeout", "20", "-timeout_error", "-recv_timeout", "8000"]);
        command.arg("-p").arg(address.port().to_string());
        command.arg("-mp").arg(free_port().port().to_string());
        let child = command
            .current_dir(std::env::temp_dir())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("sipp (Debian package sip-tester) must be installed");
        until_bound(address).await;
        Self { child, address, scenario: scenario.to_owned(), _file: file }
    }

    /// Waits for the scenario's end, which must be its success.
    pub async fn succeeds(self) {
        let Self { child, scenario, _file, .. } = self;
        let output = tokio::time::timeout(2 * PATIENCE, child.wait_with_output());
        let output = output.await.expect("sipp does not end").unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "scenario {scenario}: {}\n{said}", output.status);
    }
}
