//! Why the private cluster does not run, in words for the operator.

use std::fmt;
use std::path::PathBuf;

/// Why the private cluster does not run.
#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    /// PostgreSQL is not installed, or too old.
    #[error(
        "no PostgreSQL programs (initdb and postgres, version 15 or later) were found: install them \
         (Debian and Ubuntu: apt install postgresql), or set CALLWRIGHT__DATABASE__URL to use a \
         database of your own"
    )]
    NoBinaries,
    /// The cluster was made by a version that is not installed any more.
    #[error(
        "the cluster in {cluster} was made by PostgreSQL {major}, whose programs are gone: install \
         them (Debian: apt install postgresql-{major}), or move its data to a database of your own and \
         set CALLWRIGHT__DATABASE__URL"
    )]
    OtherVersion {
        /// The cluster.
        cluster: PathBuf,
        /// Its major version.
        major: u32,
    },
    /// A server runs on this data directory already.
    #[error("another callwright{} is serving with the data directory {data_dir}", Pid(*pid))]
    InUse {
        /// The data directory.
        data_dir: PathBuf,
        /// The other process.
        pid: Option<u32>,
    },
    /// Another process kept the cluster too long, or did not bring it up.
    #[error("another callwright{} has kept the database in {data_dir} busy for a minute", Pid(*pid))]
    Waited {
        /// The data directory.
        data_dir: PathBuf,
        /// The other process.
        pid: Option<u32>,
    },
    /// The cluster lay outside the data directory and is gone.
    #[error(
        "the cluster {cluster} that {remembered} names is gone: put it back, or remove that file to \
         begin with an empty database"
    )]
    Gone {
        /// Where the cluster was.
        cluster: PathBuf,
        /// The file that says so.
        remembered: PathBuf,
    },
    /// The cluster lies in a data directory that the user who runs it cannot enter.
    #[error(
        "the cluster lies in {data_dir}, which the user {user} that PostgreSQL runs as cannot enter: let it \
         pass through (chmod o+x on that folder, and on those above it)"
    )]
    Closed {
        /// The data directory.
        data_dir: PathBuf,
        /// The user's name.
        user: String,
    },
    /// PostgreSQL refuses to run as root, and there is no other user to run it.
    #[error(
        "PostgreSQL does not run as root, and there is neither a user `postgres` nor `callwright` to run it: \
         make one (useradd --system --no-create-home --shell /usr/sbin/nologin callwright), start callwright \
         as another user, or set CALLWRIGHT__DATABASE__URL to use a database of your own"
    )]
    NoAccount,
    /// A program said no.
    #[error("{program} failed:\n{output}")]
    Failed {
        /// Which program.
        program: &'static str,
        /// Its last words.
        output: String,
    },
    /// An old postmaster holds on to the cluster.
    #[error("the postmaster {pid} of an earlier start does not stop")]
    Stuck {
        /// The old postmaster.
        pid: u32,
    },
    /// A file or folder cannot be used.
    #[error("{path} cannot be used: {source}")]
    Path {
        /// Which one.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
}

/// A process in brackets, when it is known.
struct Pid(Option<u32>);

impl fmt::Display for Pid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |pid| write!(f, " (process {pid})"))
    }
}
