//! Gives a cluster of an earlier release, which ran as `nobody`, to the user that runs it now.

use std::ffi::CStr;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

#[cfg(target_os = "linux")]
use rustix::fs::AtFlags;
use rustix::fs::{CWD, Dir, FileType, Gid, Mode, OFlags, Uid, fstat, openat};

use super::account::{Account, Users};
use super::{ClusterError, at, pid_file};

/// Hands a cluster over when it belongs to `nobody`. Its folder itself changes hands last, so that a start
/// after a crash goes on where this one stopped. A cluster of anybody else is left as it is.
pub(super) fn from_nobody(cluster: &Path, account: &Account) -> Result<(), ClusterError> {
    let Some(former) = Users::of_this_machine().former() else { return Ok(()) };
    let owner = cluster.symlink_metadata().map_err(at(cluster))?.uid();
    if owner != former.uid || owner == account.uid {
        return Ok(());
    }
    // An old postmaster writes files as `nobody` until it has stopped.
    pid_file::clear_way(cluster)?;
    tracing::warn!(
        cluster = %cluster.display(), from = former.name(), to = account.name(),
        "the cluster is handed over to a user of its own"
    );
    hand_over(cluster, &former, account).map_err(|error| at(cluster)(error.into()))
}

fn hand_over(cluster: &Path, former: &Account, account: &Account) -> rustix::io::Result<()> {
    let folder = openat(CWD, cluster, FOLDER, Mode::empty())?;
    hand_over_contents(&folder, former, account, DEEPEST)?;
    // What was handed over is on the disk before the folder says that all was.
    rustix::fs::sync();
    give(&folder, account)
}

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Holds whatever a name leads to, links and sockets too, without opening it.
#[cfg(target_os = "linux")]
const HELD: OFlags = OFlags::PATH.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Holds a file or folder; a link or socket is an error.
#[cfg(not(target_os = "linux"))]
const HELD: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// How deep folders may lie in one another: PostgreSQL's lie three deep, and each takes an open file.
const DEEPEST: u8 = 16;

/// Whoever runs as `nobody` may change these folders meanwhile: every step goes by an open folder and
/// follows no link, and only what belongs to `nobody` changes hands.
fn hand_over_contents(
    folder: &OwnedFd,
    former: &Account,
    account: &Account,
    deeper: u8,
) -> rustix::io::Result<()> {
    let deeper = deeper.checked_sub(1).ok_or(rustix::io::Errno::LOOP)?;
    let mut entries = Dir::read_from(folder)?;
    while let Some(entry) = entries.read() {
        let entry = entry?;
        let name: &CStr = entry.file_name();
        if name == c"." || name == c".." {
            continue;
        }
        // Held, it is what is looked at and what changes hands, whatever its name leads to by then.
        let held = match openat(folder, name, HELD, Mode::empty()) {
            Err(rustix::io::Errno::NOENT) => continue,
            held => held?,
        };
        let found = fstat(&held)?;
        let is_folder = FileType::from_raw_mode(found.st_mode).is_dir();
        if is_folder {
            let inner = openat(&held, c".", FOLDER, Mode::empty())?;
            hand_over_contents(&inner, former, account, deeper)?;
        }
        if found.st_uid == former.uid {
            if !is_folder && found.st_nlink > 1 {
                // It has a name elsewhere too, which would change hands with it.
                return Err(rustix::io::Errno::MLINK);
            }
            give(&held, account)?;
        }
    }
    Ok(())
}

#[cfg(target_os = "linux")]
fn give(held: &OwnedFd, to: &Account) -> rustix::io::Result<()> {
    let (user, group) = (Uid::from_raw(to.uid), Gid::from_raw(to.gid));
    rustix::fs::chownat(held, c"", Some(user), Some(group), AtFlags::EMPTY_PATH)
}

#[cfg(not(target_os = "linux"))]
fn give(held: &OwnedFd, to: &Account) -> rustix::io::Result<()> {
    rustix::fs::fchown(held, Some(Uid::from_raw(to.uid)), Some(Gid::from_raw(to.gid)))
}
