//! The private cluster, for real: it starts, outlives nothing, and comes back after any death.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "tests say what they mean")]
#![expect(clippy::disallowed_methods, reason = "a test that runs itself as another process tells it so")]

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{MetadataExt, chown, lchown, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use callwright::config::Settings;
use callwright::embedded::{Cluster, ClusterError};
use callwright::environment::Environment;
use rustix::process::{Pid, Signal, kill_process};

/// A data directory that the user PostgreSQL runs as can enter, removed in the end.
struct DataDir(tempfile::TempDir);

impl DataDir {
    fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("cw-").tempdir().unwrap();
        let open = std::os::unix::fs::PermissionsExt::from_mode(0o711);
        std::fs::set_permissions(folder.path(), open).unwrap();
        Self(folder)
    }

    fn settings(&self) -> Settings {
        settings(self.0.path())
    }

    fn postmaster(&self) -> Option<i32> {
        postmaster(&self.0.path().join("postgres"))
    }
}

fn settings(data_dir: &Path) -> Settings {
    let mut settings = Settings::load(None, &Environment::default()).unwrap();
    data_dir.clone_into(&mut settings.data_dir);
    settings
}

/// The living postmaster of a cluster.
fn postmaster(cluster: &Path) -> Option<i32> {
    let file = std::fs::read_to_string(cluster.join("postmaster.pid")).ok()?;
    let pid = file.lines().next()?.parse().ok()?;
    rustix::process::test_kill_process(Pid::from_raw(pid)?).ok().map(|()| pid)
}

fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !done() {
        assert!(Instant::now() < deadline, "{what} did not happen within 30 s");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn signal(pid: i32, signal: Signal) {
    kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
}

/// Runs one statement over a fresh connection and returns the first column of its first row.
fn ask(url: &str, statement: &str) -> Result<Option<String>, tokio_postgres::Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await?;
        let connection = tokio::spawn(connection);
        let answer = client.simple_query(statement).await;
        drop(client);
        connection.await.unwrap()?;
        let row = answer?.into_iter().find_map(|message| match message {
            tokio_postgres::SimpleQueryMessage::Row(row) => Some(row),
            _ => None,
        });
        Ok(row.and_then(|row| row.get(0).map(str::to_owned)))
    })
}

/// Another process of this test that holds a cluster the way a server does, until it is killed.
struct Server(Child, String);

impl Server {
    fn start(data_dir: &Path) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "holds_a_cluster_for_another_test", "--ignored", "--nocapture"])
            .env("HOLD_CLUSTER_IN", data_dir)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let url = output.lines().find_map(|line| Some(line.unwrap().split_once("url=")?.1.to_owned()));
        Self(child, url.unwrap())
    }

    fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
#[ignore = "not a test: other tests run it as the process that owns a cluster"]
fn holds_a_cluster_for_another_test() {
    let data_dir = std::env::var_os("HOLD_CLUSTER_IN").map(PathBuf::from).unwrap();
    let cluster = Cluster::start(&settings(&data_dir)).unwrap();
    println!("\nurl={}", cluster.url());
    loop {
        std::thread::park();
    }
}

#[test]
fn a_cluster_is_made_serves_on_its_socket_only_and_is_found_again() {
    let data_dir = DataDir::new();
    let cluster = Cluster::start(&data_dir.settings()).unwrap();
    let url = cluster.url().to_owned();
    assert_eq!(ask(&url, "SHOW listen_addresses").unwrap().as_deref(), Some(""));
    assert_eq!(ask(&url, "SELECT lower('ÄÉ')").unwrap().as_deref(), Some("äé"));
    ask(&url, "CREATE TABLE kept (); SELECT 1").unwrap();
    cluster.stop();
    assert_eq!(data_dir.postmaster(), None);
    ask(&url, "SELECT 1").unwrap_err();
    let again = Cluster::start(&data_dir.settings()).unwrap();
    assert_eq!(ask(again.url(), "SELECT count(*) FROM kept").unwrap().as_deref(), Some("0"));
    drop(again);
    assert_eq!(data_dir.postmaster(), None);
}

#[test]
fn only_the_owner_and_root_are_let_in() {
    let data_dir = DataDir::new();
    let cluster = Cluster::start(&data_dir.settings()).unwrap();
    let other_role = cluster.url().replace("callwright@", "postgres@");
    ask(&other_role, "SELECT 1").unwrap_err();
    let folder = data_dir.0.path().join("postgres").metadata().unwrap();
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&folder.permissions()) & 0o077, 0);
}

#[test]
fn the_postmaster_dies_with_a_killed_server_and_the_next_start_is_clean() {
    let data_dir = DataDir::new();
    let mut server = Server::start(data_dir.0.path());
    ask(&server.1, "CREATE TABLE kept (n int); INSERT INTO kept VALUES (42); SELECT 1").unwrap();
    let postmaster = data_dir.postmaster().unwrap();
    server.kill();
    // At once, while the old postmaster may still be on its way out.
    let cluster = Cluster::start(&data_dir.settings()).unwrap();
    assert_eq!(ask(cluster.url(), "SELECT n FROM kept").unwrap().as_deref(), Some("42"));
    assert_ne!(data_dir.postmaster(), Some(postmaster));
}

#[test]
fn a_killed_server_takes_its_postmaster_along_without_another_start() {
    let data_dir = DataDir::new();
    let mut server = Server::start(data_dir.0.path());
    assert!(data_dir.postmaster().is_some());
    server.kill();
    wait_until("the end of the postmaster", || data_dir.postmaster().is_none());
}

#[test]
fn everything_killed_at_once_is_recovered_from() {
    let data_dir = DataDir::new();
    let mut server = Server::start(data_dir.0.path());
    ask(&server.1, "CREATE TABLE kept (n int); INSERT INTO kept VALUES (7); SELECT 1").unwrap();
    signal(data_dir.postmaster().unwrap(), Signal::KILL);
    server.kill();
    let cluster = Cluster::start(&data_dir.settings()).unwrap();
    assert_eq!(ask(cluster.url(), "SELECT n FROM kept").unwrap().as_deref(), Some("7"));
}

#[test]
fn a_postmaster_that_dies_while_serving_is_started_again() {
    let data_dir = DataDir::new();
    let cluster = Cluster::start(&data_dir.settings()).unwrap();
    for deadly in [Signal::KILL, Signal::INT] {
        let postmaster = data_dir.postmaster().unwrap();
        signal(postmaster, deadly);
        wait_until("the next postmaster", || {
            data_dir.postmaster().is_some_and(|pid| pid != postmaster)
                && ask(cluster.url(), "SELECT 1").is_ok()
        });
    }
    cluster.stop();
    assert_eq!(data_dir.postmaster(), None);
}

#[test]
fn a_command_joins_the_server_and_leaves_its_cluster_running() {
    let data_dir = DataDir::new();
    let server = Server::start(data_dir.0.path());
    let joined = Cluster::attach_or_start(&data_dir.settings()).unwrap();
    assert!(!joined.is_own());
    assert_eq!(joined.url(), server.1);
    ask(joined.url(), "SELECT 1").unwrap();
    joined.stop();
    assert!(data_dir.postmaster().is_some());
    let refused = Cluster::start(&data_dir.settings()).unwrap_err();
    assert!(
        matches!(refused, ClusterError::InUse { pid: Some(pid), .. } if pid == server.0.id()),
        "{refused}"
    );
}

#[test]
fn a_command_without_a_server_starts_the_cluster_for_itself_and_others_wait_for_their_turn() {
    let data_dir = DataDir::new();
    let answers: Vec<_> = std::thread::scope(|scope| {
        let command = || {
            let cluster = Cluster::attach_or_start(&data_dir.settings()).unwrap();
            assert!(cluster.is_own());
            ask(cluster.url(), "SELECT current_user").unwrap()
        };
        let commands: Vec<_> = (0..3).map(|_| scope.spawn(command)).collect();
        commands.into_iter().map(|command| command.join().unwrap()).collect()
    });
    assert_eq!(answers, vec![Some("callwright".to_owned()); 3]);
    assert_eq!(data_dir.postmaster(), None);
}

#[test]
fn a_data_directory_that_postgresql_cannot_enter_gets_its_cluster_elsewhere() {
    if !rustix::process::geteuid().is_root() {
        // Only root runs PostgreSQL as somebody else; the same user can always enter.
        return;
    }
    let data_dir = DataDir::new();
    let closed = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    std::fs::set_permissions(data_dir.0.path(), closed).unwrap();
    let cluster = Cluster::start(&data_dir.settings()).unwrap();
    ask(cluster.url(), "CREATE TABLE kept (); SELECT 1").unwrap();
    assert!(!data_dir.0.path().join("postgres").exists());
    let remembered = std::fs::read_to_string(data_dir.0.path().join("postgres.json")).unwrap();
    let elsewhere: PathBuf =
        serde_json::from_str::<serde_json::Value>(&remembered).unwrap()["cluster"].as_str().unwrap().into();
    assert!(postmaster(&elsewhere).is_some());
    cluster.stop();
    let again = Cluster::attach_or_start(&data_dir.settings()).unwrap();
    assert_eq!(ask(again.url(), "SELECT count(*) FROM kept").unwrap().as_deref(), Some("0"));
    again.stop();
    std::fs::remove_dir_all(elsewhere.parent().unwrap()).unwrap();
}

#[test]
fn a_cluster_in_a_closed_data_directory_is_never_replaced() {
    let data_dir = DataDir::new();
    let cluster = Cluster::start(&data_dir.settings()).unwrap();
    ask(cluster.url(), "CREATE TABLE kept (); SELECT 1").unwrap();
    cluster.stop();
    let set_mode = |mode| {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
        std::fs::set_permissions(data_dir.0.path(), mode).unwrap();
    };
    set_mode(0o700);
    if rustix::process::geteuid().is_root() {
        let refused = Cluster::start(&data_dir.settings()).unwrap_err();
        assert!(matches!(refused, ClusterError::Closed { .. }), "{refused}");
        let told = refused.to_string();
        assert!(told.contains(data_dir.0.path().to_str().unwrap()), "{told}");
        assert!(!data_dir.0.path().join("postgres.json").exists());
        set_mode(0o711);
    }
    let cluster = Cluster::start(&data_dir.settings()).unwrap();
    assert_eq!(ask(cluster.url(), "SELECT count(*) FROM kept").unwrap().as_deref(), Some("0"));
}

#[test]
fn a_link_in_place_of_a_clusters_file_stops_the_start() {
    let data_dir = DataDir::new();
    Cluster::start(&data_dir.settings()).unwrap().stop();
    let outside = tempfile::tempdir_in(data_dir.0.path()).unwrap();
    let (target, place) = (outside.path().join("target"), data_dir.0.path().join("postgres/pg_hba.conf"));
    std::fs::write(&target, "unchanged").unwrap();
    let owner = target.metadata().unwrap().uid();
    let links: [fn(&Path, &Path) -> std::io::Result<()>; 2] =
        [|target, place| symlink(target, place), |target, place| std::fs::hard_link(target, place)];
    for link in links {
        std::fs::remove_file(&place).unwrap();
        link(&target, &place).unwrap();
        let refused = Cluster::start(&data_dir.settings()).unwrap_err();
        assert!(matches!(&refused, ClusterError::Path { path, .. } if *path == place), "{refused}");
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "unchanged");
        assert_eq!(target.metadata().unwrap().uid(), owner);
    }
    std::fs::remove_file(&place).unwrap();
    // A missing one is made, and PostgreSQL can read it.
    let cluster = Cluster::start(&data_dir.settings()).unwrap();
    assert_eq!(ask(cluster.url(), "SELECT 1").unwrap().as_deref(), Some("1"));
}

/// Who owns what lies in a folder, itself included.
fn owners(folder: &Path) -> BTreeSet<u32> {
    let metadata = folder.symlink_metadata().unwrap();
    let mut owners = BTreeSet::from([metadata.uid()]);
    if metadata.is_dir() {
        let entries = folder.read_dir().unwrap().map(|entry| entry.unwrap().path());
        owners.extend(entries.flat_map(|path| self::owners(&path)));
    }
    owners
}

/// The number of a user of this machine.
fn uid(name: &str) -> u32 {
    let told = Command::new("id").args(["-u", name]).output().unwrap();
    String::from_utf8(told.stdout).unwrap().trim().parse().unwrap()
}

#[test]
fn a_cluster_of_nobody_is_handed_over_with_its_data() {
    let data_dir = DataDir::new();
    let folder = data_dir.0.path().join("postgres");
    let cluster = Cluster::start(&data_dir.settings()).unwrap();
    ask(cluster.url(), "CREATE TABLE kept (n int); INSERT INTO kept VALUES (5); SELECT 1").unwrap();
    cluster.stop();
    let before = owners(&folder);
    let outside = tempfile::NamedTempFile::new().unwrap();
    let own = outside.path().metadata().unwrap().uid();
    if rustix::process::geteuid().is_root() {
        assert!(before.len() == 1 && !before.contains(&uid("nobody")) && !before.contains(&0), "{before:?}");
        let given = Command::new("chown").args(["-R", "nobody"]).arg(&folder).status();
        assert!(given.unwrap().success());
        // A start that was killed in the middle had given some of it already.
        chown(folder.join("base"), before.first().copied(), None).unwrap();
        // `nobody` could point anywhere.
        symlink(outside.path(), folder.join("link")).unwrap();
        lchown(folder.join("link"), Some(uid("nobody")), None).unwrap();
    } else {
        // Only root runs PostgreSQL as another user: there is nobody else's cluster to give away, and what
        // is one's own stays so.
        assert_eq!(before, BTreeSet::from([own]));
    }
    for _ in 0..2 {
        let cluster = Cluster::start(&data_dir.settings()).unwrap();
        assert_eq!(ask(cluster.url(), "SELECT n FROM kept").unwrap().as_deref(), Some("5"));
        let postmaster = data_dir.postmaster().unwrap();
        let running = Path::new("/proc").join(postmaster.to_string()).metadata().unwrap().uid();
        assert!(before.contains(&running), "{running} is none of {before:?}");
        cluster.stop();
        assert_eq!(owners(&folder), before);
    }
    assert_eq!(outside.path().metadata().unwrap().uid(), own, "a link is not followed");
}

#[test]
fn a_path_too_long_for_a_socket_still_works() {
    let data_dir = DataDir::new();
    let deep = data_dir.0.path().join("x".repeat(120));
    std::fs::create_dir(&deep).unwrap();
    let cluster = Cluster::start(&settings(&deep)).unwrap();
    assert_eq!(ask(cluster.url(), "SELECT 1").unwrap().as_deref(), Some("1"));
    cluster.stop();
    let remembered = std::fs::read_to_string(deep.join("postgres.json")).unwrap();
    let socket = serde_json::from_str::<serde_json::Value>(&remembered).unwrap()["socket"].clone();
    std::fs::remove_dir(socket.as_str().unwrap()).unwrap();
}
