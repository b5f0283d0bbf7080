//! Makes a cluster, as a whole or not at all.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use rustix::fs::{Mode, OFlags};

use super::account::Account;
use super::binaries::Programs;
use super::guard::{Guard, dismiss};
use super::place::{Place, make_folder, random_name};
use super::{ClusterError, at};

/// Only the user of the owning process and root are let in, whoever else can reach the socket.
const HBA: &str = "local all callwright peer map=owner\n";

/// Makes the cluster in a draft folder beside its place and moves it there when it is complete.
pub(super) fn make(place: &Place, programs: &Programs, guard: &Guard) -> Result<(), ClusterError> {
    let parent = place.cluster.parent().unwrap_or(Path::new("/"));
    remove_drafts(parent);
    let draft = parent.join(format!("{DRAFT}{}", random_name()));
    tracing::info!(cluster = %place.cluster.display(), version = programs.major, "making a PostgreSQL cluster");
    make_folder(&draft, 0o700)?;
    if let Some(account) = guard.account() {
        account.own(&draft).map_err(at(&draft))?;
    }
    let made = fill(&draft, programs, guard).and_then(|()| settle(&draft, &place.cluster));
    if made.is_err() {
        // A failed draft is of no use; a leftover is removed by the next start.
        let _ = std::fs::remove_dir_all(&draft);
    }
    made
}

/// Writes who may connect; again on each start, since the owner's user may have changed.
pub(super) fn admit_only_owner(cluster: &Path, account: Option<&Account>) -> Result<(), ClusterError> {
    let name = Command::new("id").arg("-un").stdin(Stdio::null()).output().map_err(at(cluster))?;
    let name = String::from_utf8_lossy(&name.stdout).trim().to_owned();
    let ident = format!("owner \"{name}\" callwright\nowner root callwright\n");
    for (file, text) in [("pg_hba.conf", HBA), ("pg_ident.conf", &ident)] {
        let path = cluster.join(file);
        replace_text(&path, text, account).map_err(at(&path))?;
    }
    Ok(())
}

/// Writes a file in a folder of another user, who could have put a link in its place: none is followed, and
/// nothing is changed before it is clear what was opened.
fn replace_text(path: &Path, text: &str, account: Option<&Account>) -> std::io::Result<()> {
    // Without NONBLOCK, a named pipe in its place would be waited for.
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let mut file = File::from(rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR)?);
    let found = file.metadata()?;
    if !found.is_file() || found.nlink() > 1 {
        return Err(std::io::Error::other("it is not a file of its own"));
    }
    if let Some(account) = account {
        // One that was missing would be root's alone.
        std::os::unix::fs::fchown(&file, Some(account.uid), Some(account.gid))?;
    }
    file.set_len(0)?;
    file.write_all(text.as_bytes())
}

const DRAFT: &str = "postgres.draft-";

fn remove_drafts(parent: &Path) {
    let entries = parent.read_dir().into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(DRAFT)) {
        let _ = std::fs::remove_dir_all(entry.path());
    }
}

fn fill(draft: &Path, programs: &Programs, guard: &Guard) -> Result<(), ClusterError> {
    // Letters beyond ASCII have upper and lower case, while text sorts by code point.
    let letters = if cfg!(target_os = "linux") { "C.UTF-8" } else { "en_US.UTF-8" };
    let mut initdb = guard.command(&programs.initdb);
    initdb
        .args(["--username=callwright", "--auth=peer", "--encoding=UTF8", "--locale=C", "--no-instructions"])
        .arg(format!("--lc-ctype={letters}"))
        .arg("--pgdata")
        .arg(draft);
    let mut child =
        initdb.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(at(&programs.initdb))?;
    // Held until the end, since its closing would tell the watchdog that we are gone.
    let stdin = child.stdin.take();
    let output = child.wait_with_output().map_err(at(&programs.initdb))?;
    dismiss(stdin);
    check("initdb", &output)?;
    create_database(draft, programs, guard)
}

/// Adds the database in PostgreSQL's single-user mode, which needs neither server nor client.
fn create_database(draft: &Path, programs: &Programs, guard: &Guard) -> Result<(), ClusterError> {
    let mut single = guard.short(&programs.postgres);
    single.arg("--single").arg("-D").arg(draft).args(["-c", "log_checkpoints=off", "postgres"]);
    let mut child = single
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(at(&programs.postgres))?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(b"CREATE DATABASE callwright\n").map_err(at(&programs.postgres))?;
    }
    let output = child.wait_with_output().map_err(at(&programs.postgres))?;
    check("postgres --single", &output)?;
    // Single-user mode goes on after an error and succeeds, so its words count.
    let complained = String::from_utf8_lossy(&output.stderr).contains("ERROR:");
    if complained { Err(failed("postgres --single", &output)) } else { Ok(()) }
}

fn settle(draft: &Path, cluster: &Path) -> Result<(), ClusterError> {
    std::fs::rename(draft, cluster).map_err(at(cluster))?;
    let parent: PathBuf = cluster.parent().unwrap_or(Path::new("/")).to_owned();
    File::open(&parent).and_then(|folder| folder.sync_all()).map_err(at(&parent))
}

fn check(program: &'static str, output: &Output) -> Result<(), ClusterError> {
    if output.status.success() { Ok(()) } else { Err(failed(program, output)) }
}

fn failed(program: &'static str, output: &Output) -> ClusterError {
    let words = [&output.stdout, &output.stderr].map(|words| String::from_utf8_lossy(words).into_owned());
    let words = words.join("\n");
    let lines: Vec<_> = words.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = lines.get(lines.len().saturating_sub(12)..).unwrap_or_default().join("\n");
    ClusterError::Failed { program, output: if last.is_empty() { output.status.to_string() } else { last } }
}

/// The arguments that every start of the postmaster gets.
pub(super) fn server_arguments(place: &Place) -> Vec<std::ffi::OsString> {
    let set = |name: &str, value: &OsStr| {
        let mut argument = std::ffi::OsString::from(name);
        argument.push("=");
        argument.push(value);
        argument
    };
    let fixed = [
        ("listen_addresses", ""),
        ("port", "5432"),
        ("unix_socket_permissions", "0700"),
        // One node needs no replication, and less is written without it.
        ("wal_level", "minimal"),
        ("max_wal_senders", "0"),
        ("jit", "off"),
        // Statements may hold what customers said; errors of ours are logged by ourselves.
        ("log_min_messages", "log"),
        ("log_min_error_statement", "panic"),
        ("log_error_verbosity", "terse"),
        ("log_checkpoints", "off"),
        ("log_line_prefix", ""),
        ("logging_collector", "off"),
        ("log_destination", "stderr"),
    ];
    let mut arguments = vec!["-D".into(), place.cluster.clone().into_os_string()];
    let fixed = fixed.into_iter().map(|(name, value)| set(name, OsStr::new(value)));
    let socket = std::iter::once(set("unix_socket_directories", place.socket.as_os_str()));
    arguments.extend(fixed.chain(socket).flat_map(|setting| ["-c".into(), setting]));
    arguments
}
