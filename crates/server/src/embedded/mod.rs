//! A private PostgreSQL cluster in the data directory, for installations without a database.
//!
//! One process at a time owns the cluster (a lock on `postgres.lock` says which), runs its
//! postmaster as a child, and starts it again when it dies. The postmaster listens on a Unix
//! socket only, and dies with its owner, however that one ends. Everything here blocks: call it
//! from a thread that may.

mod account;
mod binaries;
mod error;
mod guard;
mod hand_over;
mod initdb;
mod keeper;
mod lock;
mod pid_file;
mod place;

use std::path::{Path, PathBuf};
use std::time::Duration;

use domain::ports::Clock;

use crate::config::Settings;
use crate::system::SystemClock;
use account::Account;
pub use error::ClusterError;
use keeper::{Keeper, Postmaster};
use lock::{Lock, Role, Taken};
use place::Place;

/// How long one process waits for another to finish with the cluster, or to bring it up.
const PATIENCE: Duration = Duration::from_mins(1);

/// How often files of other processes are looked at.
const LOOK: Duration = Duration::from_millis(20);

/// A running cluster: our own, or that of the server on the same data directory.
#[derive(Debug)]
pub struct Cluster {
    url: String,
    // Declared before the lock, so that the postmaster is gone when the lock is given up.
    keeper: Option<Keeper>,
    _lock: Option<Lock>,
}

impl Cluster {
    /// Starts the cluster for a server, making it when absent. Another server on the same data
    /// directory is an error; a command that is using the cluster is awaited.
    pub fn start(settings: &Settings) -> Result<Self, ClusterError> {
        let deadline = Deadline::after(PATIENCE);
        loop {
            match Lock::take(&settings.data_dir, Role::Server)? {
                Taken::Ours(lock) => return Self::own(settings, lock),
                Taken::Other { role: Some(Role::Server), pid } => {
                    return Err(ClusterError::InUse { data_dir: settings.data_dir.clone(), pid });
                }
                Taken::Other { pid, .. } => deadline.look_again(&settings.data_dir, pid)?,
            }
        }
    }

    /// Joins the cluster of the server that runs on this data directory; without one, starts it
    /// for as long as the result lives.
    pub fn attach_or_start(settings: &Settings) -> Result<Self, ClusterError> {
        let deadline = Deadline::after(PATIENCE);
        loop {
            match Lock::take(&settings.data_dir, Role::Command)? {
                Taken::Ours(lock) => return Self::own(settings, lock),
                Taken::Other { role: Some(Role::Server), pid } => {
                    let place = Place::remembered(&settings.data_dir)?;
                    if pid_file::is_taking_connections(&place.cluster) {
                        return Ok(Self { url: place.url(), keeper: None, _lock: None });
                    }
                    deadline.look_again(&settings.data_dir, pid)?;
                }
                Taken::Other { pid, .. } => deadline.look_again(&settings.data_dir, pid)?,
            }
        }
    }

    fn own(settings: &Settings, lock: Lock) -> Result<Self, ClusterError> {
        let remembered = Place::remembered(&settings.data_dir)?;
        let account = Account::to_become(&remembered.cluster)?;
        let place = Place::choose(&settings.data_dir, account.as_ref())?;
        let programs = binaries::find(&settings.database.search_path, place.major()?.as_ref())?;
        let guard = guard::Guard::of_this_machine(account);
        if !place.is_made() {
            initdb::make(&place, &programs, &guard)?;
        } else if let Some(account) = guard.account() {
            hand_over::from_nobody(&place.cluster, account)?;
        }
        initdb::admit_only_owner(&place.cluster, guard.account())?;
        let postmaster = Postmaster { place: place.clone(), programs, guard };
        let keeper = Keeper::start(postmaster)?;
        tracing::info!(cluster = %place.cluster.display(), "the private PostgreSQL cluster runs");
        Ok(Self { url: place.url(), keeper: Some(keeper), _lock: Some(lock) })
    }

    /// The database's address, over the Unix socket.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Whether this process runs the postmaster.
    pub fn is_own(&self) -> bool {
        self.keeper.is_some()
    }

    /// Shuts our postmaster down (its "fast" way) and waits for its end; a joined one goes on.
    /// Dropping a cluster does the same.
    pub fn stop(mut self) {
        if let Some(keeper) = self.keeper.take() {
            keeper.stop();
        }
    }
}

/// A moment after which waiting for another process is given up.
struct Deadline(Duration);

impl Deadline {
    fn after(patience: Duration) -> Self {
        Self(SystemClock.since_boot() + patience)
    }

    fn is_over(&self) -> bool {
        SystemClock.since_boot() >= self.0
    }

    /// Lets a moment pass, or tells that the other process took too long.
    fn look_again(&self, data_dir: &Path, pid: Option<u32>) -> Result<(), ClusterError> {
        if self.is_over() {
            return Err(ClusterError::Waited { data_dir: data_dir.to_owned(), pid });
        }
        std::thread::sleep(LOOK);
        Ok(())
    }
}

/// Turns an I/O error into one that names the path.
fn at(path: &Path) -> impl FnOnce(std::io::Error) -> ClusterError {
    let path: PathBuf = path.to_owned();
    move |source| ClusterError::Path { path, source }
}
