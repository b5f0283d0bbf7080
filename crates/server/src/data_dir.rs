//! The data directory itself; what lies in it is made by whom it belongs to.

use std::fs::{File, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

/// Root's lets the user that PostgreSQL runs as pass through to the cluster, and look at nothing.
const OF_ROOT: u32 = 0o711;

/// The permission of others to change what lies in a folder.
const OTHERS_WRITE: u32 = 0o022;

/// With this bit others cannot exchange our files even where they may write, as in `/tmp`.
const STICKY: u32 = 0o1000;

/// Files of ours that lie in it directly.
const FILES: [&str; 5] = ["secret.key", "node-id", "node.lock", "postgres.json", "postgres.lock"];

/// Makes the data directory when absent. What an earlier release left open to others is restricted: our
/// files in it are private, and others cannot write to it.
pub(crate) fn prepare(data_dir: &Path) -> io::Result<()> {
    let own = rustix::process::geteuid();
    private_files::make_folder(data_dir, if own.is_root() { OF_ROOT } else { private_files::FOLDER })?;
    let is_open = |found: &Metadata| {
        found.uid() == own.as_raw() && found.mode() & OTHERS_WRITE != 0 && found.mode() & STICKY == 0
    };
    // Whose folder it is not may pass through it without opening it.
    if is_open(&data_dir.metadata()?) {
        // It may have been exchanged: what is looked at here is what is changed.
        let opened = File::open(data_dir)?;
        let found = opened.metadata()?;
        if !found.is_dir() || !is_open(&found) {
            return Err(io::Error::other("the data directory was exchanged meanwhile"));
        }
        // An operator may let others read it; who may write to it could exchange the key file.
        opened.set_permissions(Permissions::from_mode(found.mode() & 0o7777 & !OTHERS_WRITE))?;
        tracing::warn!(data_dir = %data_dir.display(), "other users could write to the data directory, and no longer can");
    }
    for name in FILES {
        match private_files::restrict_file(&data_dir.join(name)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            done => done?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        path.metadata().unwrap().mode() & 0o7777
    }

    #[test]
    fn a_new_data_directory_lets_cluster_users_through() {
        let root = tempfile::tempdir().unwrap();
        let data_dir = root.path().join("new/data");
        prepare(&data_dir).unwrap();
        // Only root runs PostgreSQL as another user.
        let expected = if rustix::process::geteuid().is_root() { 0o711 } else { 0o700 };
        assert_eq!([mode(&data_dir), mode(data_dir.parent().unwrap())], [expected; 2]);
    }

    #[test]
    fn what_others_could_open_or_exchange_is_restricted() {
        let data_dir = tempfile::tempdir().unwrap();
        for name in FILES {
            std::fs::write(data_dir.path().join(name), "").unwrap();
            std::fs::set_permissions(data_dir.path().join(name), Permissions::from_mode(0o666)).unwrap();
        }
        for (found, expected) in [(0o777, 0o755), (0o711, 0o711), (0o1777, 0o1777), (0o700, 0o700)] {
            std::fs::set_permissions(data_dir.path(), Permissions::from_mode(found)).unwrap();
            prepare(data_dir.path()).unwrap();
            assert_eq!(mode(data_dir.path()), expected);
        }
        for name in FILES {
            assert_eq!(mode(&data_dir.path().join(name)), 0o600, "{name}");
        }
    }
}
