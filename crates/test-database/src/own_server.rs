//! A PostgreSQL server of a test's own, reached by TCP: with TLS, or without.

use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, io::Write};

use rustix::process::{Pid, Signal, kill_process};
use test_ports::free_port;

use crate::authority::Certificate;

/// A server is there within this time, or something is wrong.
const PATIENCE: Duration = Duration::from_mins(1);

/// The name and the password of the role that [`OwnServer::url`] names.
const ROLE: &str = "callwright";
const PASSWORD: &str = "hunter2-and-more";

/// A server on a port of the loopback interface and on a Unix socket; it ends when this is dropped. By TCP
/// it wants a password by SCRAM-SHA-256, and with a certificate it takes no connection without TLS.
#[derive(Debug)]
pub struct OwnServer {
    folder: tempfile::TempDir,
    port: u16,
    process: Child,
}

/// The user that runs the server: PostgreSQL refuses root.
#[derive(Clone, Copy)]
struct User {
    uid: u32,
    gid: u32,
}

impl OwnServer {
    /// Starts one without TLS. It panics, saying why, when it cannot. It ends with the thread that starts
    /// it, even if that is killed.
    pub fn start() -> Self {
        Self::with(None)
    }

    /// Starts one that shows a certificate.
    pub fn with_certificate(certificate: &Certificate) -> Self {
        Self::with(Some(certificate))
    }

    fn with(certificate: Option<&Certificate>) -> Self {
        let folder = tempfile::Builder::new().prefix("cw-pg-").tempdir().expect("a folder");
        let user = user();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("a mode");
        give(user, folder.path());
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            let mut file = fs::File::options().write(true).create_new(true).mode(0o600).open(&path);
            file.as_mut().expect("a file").write_all(text.as_bytes()).expect("room");
            give(user, &path);
            path
        };
        let (data, password) = (folder.path().join("data"), write("password", PASSWORD));
        let mut initdb = run(user, &programs().join("initdb"));
        initdb.args(["--no-sync", "--auth=trust", "--encoding=UTF8", "--locale=C", "--username", ROLE]);
        let made = initdb.arg("--pwfile").arg(&password).arg("--pgdata").arg(&data).output();
        let made = made.expect("initdb runs");
        assert!(made.status.success(), "initdb: {}", String::from_utf8_lossy(&made.stderr));
        let kind = if certificate.is_some() { "hostssl" } else { "host" };
        let hba = format!("local all all trust\n{kind} all all 127.0.0.1/32 scram-sha-256\n");
        fs::write(data.join("pg_hba.conf"), hba).expect("room");
        let mut options = Vec::new();
        if let Some(Certificate { chain, key }) = certificate {
            let files =
                [("ssl_cert_file", write("chain.pem", chain)), ("ssl_key_file", write("key.pem", key))];
            options.push("ssl=on".to_owned());
            options.extend(files.map(|(name, path)| format!("{name}={}", path.display())));
        }
        // Between asking for a free port and listening on it somebody else may take it.
        for _ in 0..10 {
            let port = free_port().port();
            if let Some(process) = launch(user, folder.path(), port, &options) {
                return Self { folder, port, process };
            }
        }
        let log = fs::read_to_string(folder.path().join("log")).unwrap_or_default();
        panic!("the server does not start: {log}")
    }

    /// The port that it listens on.
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// The maintenance database by TCP, at `host`, with a query such as `sslmode=require`.
    pub fn url(&self, host: &str, query: &str) -> String {
        self.url_at(host, self.port, query)
    }

    /// The same at another port, where something else leads to this server.
    pub fn url_at(&self, host: &str, port: u16, query: &str) -> String {
        let separator = if query.is_empty() { "" } else { "?" };
        format!("postgres://{ROLE}:{PASSWORD}@{host}:{port}/postgres{separator}{query}")
    }

    /// What must never be shown.
    pub const fn password(&self) -> &'static str {
        PASSWORD
    }

    /// Runs statements past TLS and password, and returns the rows of the last, every value as text.
    pub async fn rows(&self, sql: &str) -> Vec<Vec<Option<String>>> {
        let folder = self.folder.path().display().to_string().replace('/', "%2F");
        crate::rows_of(&format!("postgres://{ROLE}@{folder}:{}/postgres", self.port), sql).await
    }
}

impl Drop for OwnServer {
    fn drop(&mut self) {
        // At once, yet in an orderly way: SIGKILL would leave its shared memory behind.
        let _ = kill_process(Pid::from_child(&self.process), Signal::QUIT);
        let _ = self.process.wait();
    }
}

fn launch(user: User, folder: &Path, port: u16, options: &[String]) -> Option<Child> {
    let data = folder.join("data");
    let log = fs::File::options().create(true).append(true).open(folder.join("log")).expect("a log");
    let mut server = run(user, Path::new("setpriv"));
    server.args(["--pdeathsig", "QUIT", "--"]).arg(programs().join("postgres")).arg("-D").arg(&data);
    let fixed = ["listen_addresses=127.0.0.1", "fsync=off", "shared_buffers=16MB", "max_connections=60"];
    let places = [format!("port={port}"), format!("unix_socket_directories={}", folder.display())];
    for option in fixed.iter().copied().chain(places.iter().chain(options).map(String::as_str)) {
        server.args(["-c", option]);
    }
    let mut process = server.stdout(Stdio::null()).stderr(log).spawn().expect("setpriv of util-linux runs");
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        // The postmaster's own word for it: the eighth line of its file.
        let told = fs::read_to_string(data.join("postmaster.pid")).unwrap_or_default();
        if told.lines().nth(7).is_some_and(|state| state.trim() == "ready") {
            return Some(process);
        }
        if !matches!(process.try_wait(), Ok(None)) {
            return None;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let _ = kill_process(Pid::from_child(&process), Signal::QUIT);
    let _ = process.wait();
    None
}

/// A command as the server's user, in a folder that it may enter.
fn run(user: User, program: &Path) -> Command {
    let mut command = Command::new(program);
    if rustix::process::geteuid().is_root() {
        command.uid(user.uid).gid(user.gid);
    }
    command.current_dir("/").stdin(Stdio::null());
    command
}

fn give(user: User, path: &Path) {
    if rustix::process::geteuid().is_root() {
        chown(path, Some(user.uid), Some(user.gid)).expect("root may give files away");
    }
}

/// Ourselves, or what root becomes: `postgres`, or the user that `./just` makes.
fn user() -> User {
    let own = rustix::process::geteuid();
    if !own.is_root() {
        return User { uid: own.as_raw(), gid: rustix::process::getegid().as_raw() };
    }
    let passwd = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let find = |name: &&str| {
        let line = passwd.lines().find(|line| line.split(':').next() == Some(*name))?;
        let mut numbers = line.split(':').skip(2).map_while(|field| field.parse().ok());
        Some(User { uid: numbers.next()?, gid: numbers.next()? })
    };
    let found = ["postgres", "callwright"].iter().find_map(find);
    found.expect("a user `postgres` or `callwright`: run the tests with `./just test`, which brings one")
}

/// The folder of PostgreSQL's programs, of the newest version; Debian keeps them out of `PATH`.
fn programs() -> PathBuf {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let numbered = versions.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    if let Some(newest) = numbered.max() {
        return format!("/usr/lib/postgresql/{newest}/bin").into();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).find_map(|folder| folder.join("initdb").canonicalize().ok());
    let initdb = found.expect("PostgreSQL's programs: run the tests with `./just test`, which brings them");
    initdb.parent().expect("a program lies in a folder").to_owned()
}
