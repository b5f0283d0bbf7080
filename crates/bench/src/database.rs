//! The installation's database, asked with PostgreSQL's own programs.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::installation::{Installation, PATIENCE};

/// The folder of the cluster's socket, as the server remembers it or would choose it.
fn socket(installation: &Installation) -> PathBuf {
    let remembered = std::fs::read(installation.data().join("postgres.json")).ok();
    let remembered: serde_json::Value =
        remembered.map(|text| serde_json::from_slice(&text).unwrap()).unwrap_or_default();
    let folder = remembered["socket"].as_str().or(remembered["cluster"].as_str()).map(PathBuf::from);
    folder.unwrap_or_else(|| installation.data().join("postgres"))
}

/// A program of PostgreSQL, told where the database is.
pub(crate) fn program(installation: &Installation, name: &str) -> Command {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let installed =
        versions.map(|version| version.path().join("bin").join(name)).filter(|path| path.exists()).max();
    let mut command = Command::new(installed.unwrap_or_else(|| name.into()));
    for (variable, value) in [("PGUSER", "callwright"), ("PGDATABASE", "callwright"), ("PGPORT", "5432")] {
        command.env(variable, value);
    }
    command.env("PGHOST", socket(installation));
    command
}

/// What a query prints: values separated by `|`.
pub(crate) fn query(installation: &Installation, sql: &str) -> String {
    let output = program(installation, "psql").args(["-XAtqc", sql]).output().unwrap();
    assert!(output.status.success(), "{sql}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// Version, and what makes its commits durable.
pub(crate) fn settings(installation: &Installation) -> String {
    let shown = "SELECT 'PostgreSQL ' || current_setting('server_version') || ', fsync ' || current_setting('fsync') \
                 || ', synchronous_commit ' || current_setting('synchronous_commit')";
    query(installation, shown)
}

/// Waits until every call is final, and gives how many there are.
pub(crate) fn settled(installation: &Installation) -> u64 {
    let deadline = Instant::now() + PATIENCE;
    while query(installation, "SELECT count(*) FROM call_legs WHERE state <> 'ended'") != "0" {
        assert!(Instant::now() < deadline, "calls do not end");
        std::thread::sleep(Duration::from_millis(20));
    }
    query(installation, "SELECT count(*) FROM calls").parse().unwrap()
}
