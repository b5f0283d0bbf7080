//! Which process owns the cluster of a data directory.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;

use super::{ClusterError, at};
use crate::data_dir;

/// What the owner wants the cluster for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// To serve, until further notice; commands join in.
    Server,
    /// For one command of the command line.
    Command,
}

impl Role {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Command => "command",
        }
    }
}

/// The ownership, held as long as this value lives; the system frees it when the process dies.
#[derive(Debug)]
pub(super) struct Lock(#[expect(dead_code, reason = "holds the lock by being open")] File);

/// The outcome of asking for ownership.
#[derive(Debug)]
pub(super) enum Taken {
    /// We are the owner.
    Ours(Lock),
    /// Another process is; what it wants may not be written down yet.
    Other {
        /// What for.
        role: Option<Role>,
        /// Which process.
        pid: Option<u32>,
    },
}

impl Lock {
    /// Makes the data directory when absent, and asks for ownership of its cluster.
    pub(super) fn take(data_dir: &Path, role: Role) -> Result<Taken, ClusterError> {
        data_dir::prepare(data_dir).map_err(at(data_dir))?;
        let path = data_dir.join("postgres.lock");
        let mut options = private_files::options();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(&path).map_err(at(&path))?;
        match file.try_lock() {
            Ok(()) => {
                let text = format!("{} {}\n", role.as_str(), std::process::id());
                file.set_len(0).map_err(at(&path))?;
                file.rewind().map_err(at(&path))?;
                file.write_all(text.as_bytes()).map_err(at(&path))?;
                Ok(Taken::Ours(Self(file)))
            }
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                file.read_to_string(&mut text).map_err(at(&path))?;
                Ok(parse(&text))
            }
            Err(TryLockError::Error(cause)) => Err(at(&path)(cause)),
        }
    }
}

fn parse(text: &str) -> Taken {
    let (role, pid) = text.trim().split_once(' ').unwrap_or_default();
    let role = [Role::Server, Role::Command].into_iter().find(|known| known.as_str() == role);
    Taken::Other { role, pid: pid.parse().ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_process_learns_who_the_first_is_and_takes_over_after_it() {
        let folder = tempfile::tempdir().unwrap();
        let first = Lock::take(folder.path(), Role::Server).unwrap();
        assert!(matches!(first, Taken::Ours(_)));
        let second = Lock::take(folder.path(), Role::Command).unwrap();
        let own = Some(std::process::id());
        assert!(matches!(second, Taken::Other { role: Some(Role::Server), pid } if pid == own), "{second:?}");
        drop(first);
        assert!(matches!(Lock::take(folder.path(), Role::Command).unwrap(), Taken::Ours(_)));
    }

    #[test]
    fn an_unfinished_note_says_nothing() {
        assert!(matches!(parse(""), Taken::Other { role: None, pid: None }));
        assert!(matches!(parse("serv"), Taken::Other { role: None, pid: None }));
    }
}
