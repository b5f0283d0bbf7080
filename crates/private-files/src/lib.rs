//! Folders and files that only the service's user may open, whatever the process's umask.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};

/// The mode of a private folder.
pub const FOLDER: u32 = 0o700;

/// The mode of a private file.
pub const FILE: u32 = 0o600;

/// What others than the owner may do.
const OTHERS: u32 = 0o077;

/// The permission bits of a mode.
const PERMISSIONS: u32 = 0o7777;

/// Options that create private files. An umask takes bits away and never adds any.
pub fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.mode(FILE);
    options
}

/// Makes a folder and those above it that are missing, all with exactly this mode: an umask would take bits
/// away that others may need. Folders that exist stay as they are.
pub fn make_folder(folder: &Path, mode: u32) -> io::Result<()> {
    let missing: Vec<&Path> = folder.ancestors().take_while(|above| is_missing(above)).collect();
    for folder in missing.into_iter().rev() {
        match DirBuilder::new().mode(mode).create(folder) {
            // Another process may have been faster.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
            Ok(()) => set_mode(&open(folder, OFlags::NOFOLLOW)?, mode)?,
        }
    }
    if folder.is_dir() { Ok(()) } else { Err(ErrorKind::NotADirectory.into()) }
}

/// Makes a private folder, or restricts the one that is there; what lies in it stays as it is.
pub fn make_private(folder: &Path) -> io::Result<()> {
    make_folder(folder, FOLDER)?;
    // A link to another disk is the operator's, so it is followed.
    restrict_one(folder, &folder.metadata()?, OFlags::empty());
    Ok(())
}

/// Restricts a folder and all that lies in it to modes [`FOLDER`] and [`FILE`]. What belongs to another user
/// is left alone, and links are not followed. A mode that cannot be changed is logged.
pub fn restrict(folder: &Path) -> io::Result<()> {
    let mut folders: Vec<PathBuf> = vec![folder.to_owned()];
    let mut restricted = usize::from(restrict_one(folder, &folder.metadata()?, OFlags::empty()));
    // From the top: nobody else can exchange what lies in a private folder.
    while let Some(folder) = folders.pop() {
        let entries = match fs::read_dir(&folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            entries => entries?,
        };
        for entry in entries {
            let path = entry?.path();
            let metadata = match path.symlink_metadata() {
                // Files come and go meanwhile.
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                metadata => metadata?,
            };
            restricted += usize::from(restrict_one(&path, &metadata, OFlags::NOFOLLOW));
            if metadata.is_dir() && is_own(&metadata) {
                folders.push(path);
            }
        }
    }
    if restricted > 0 {
        let folder = folder.display();
        tracing::info!(%folder, restricted, "what other users of this machine could open is private now");
    }
    Ok(())
}

/// Restricts one file to mode [`FILE`], where it is ours and open to others.
pub fn restrict_file(file: &Path) -> io::Result<()> {
    restrict_one(file, &file.symlink_metadata()?, OFlags::NOFOLLOW);
    Ok(())
}

/// Restricts a folder or file where it is ours and open to others; whether it was.
fn restrict_one(path: &Path, metadata: &Metadata, flags: OFlags) -> bool {
    if restricted_mode(metadata).is_none() {
        return false;
    }
    match restrict_opened(path, flags) {
        Ok(restricted) => restricted,
        Err(error) => {
            if error.kind() != ErrorKind::NotFound {
                let path = path.display();
                tracing::warn!(%path, %error, "other users of this machine may open it: its mode cannot be changed");
            }
            false
        }
    }
}

/// The mode that a folder or file gets, when it is ours and open to others.
fn restricted_mode(metadata: &Metadata) -> Option<u32> {
    let kind = metadata.file_type();
    let open = (kind.is_dir() || kind.is_file()) && metadata.mode() & OTHERS != 0 && is_own(metadata);
    open.then_some(if kind.is_dir() { FOLDER } else { FILE })
}

/// Restricts what a path leads to now: it may have been exchanged since it was looked at.
fn restrict_opened(path: &Path, flags: OFlags) -> io::Result<bool> {
    let opened = open(path, flags)?;
    let Some(mode) = restricted_mode(&opened.metadata()?) else { return Ok(false) };
    set_mode(&opened, mode).map(|()| true)
}

/// Opens a folder or file to look at it and to change its mode; a named pipe is not waited for.
fn open(path: &Path, flags: OFlags) -> io::Result<File> {
    let flags = flags | OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

fn set_mode(opened: &File, mode: u32) -> io::Result<()> {
    if opened.metadata()?.mode() & PERMISSIONS == mode {
        return Ok(());
    }
    opened.set_permissions(Permissions::from_mode(mode))
}

fn is_own(metadata: &Metadata) -> bool {
    metadata.uid() == rustix::process::geteuid().as_raw()
}

/// Whether a path names nothing; the empty path of a relative one's end is the working directory.
fn is_missing(path: &Path) -> bool {
    !path.as_os_str().is_empty()
        && path.symlink_metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn mode(path: &Path) -> u32 {
        path.symlink_metadata().unwrap().mode() & PERMISSIONS
    }

    fn open_to_all(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn missing_folders_get_the_mode_and_others_keep_theirs() {
        let root = tempfile::tempdir().unwrap();
        open_to_all(root.path(), 0o755);
        let deep = root.path().join("a/b");
        make_folder(&deep, 0o711).unwrap();
        assert_eq!([mode(&deep), mode(deep.parent().unwrap()), mode(root.path())], [0o711, 0o711, 0o755]);
        make_folder(&deep, 0o700).unwrap();
        assert_eq!(mode(&deep), 0o711);
        make_private(&deep).unwrap();
        assert_eq!(mode(&deep), 0o700);
        let file = root.path().join("file");
        fs::write(&file, "").unwrap();
        assert_eq!(make_private(&file).unwrap_err().kind(), ErrorKind::NotADirectory);
    }

    #[test]
    fn what_was_open_to_others_is_restricted_at_any_depth() {
        let root = tempfile::tempdir().unwrap();
        let inner = root.path().join("tenant/call");
        fs::create_dir_all(&inner).unwrap();
        let (file, outside) = (inner.join("recording.wav"), tempfile::NamedTempFile::new().unwrap());
        fs::write(&file, "sound").unwrap();
        open_to_all(outside.path(), 0o644);
        symlink(outside.path(), inner.join("link")).unwrap();
        for path in [root.path(), inner.parent().unwrap(), &inner] {
            open_to_all(path, 0o777);
        }
        open_to_all(&file, 0o666);
        restrict(root.path()).unwrap();
        assert_eq!([mode(root.path()), mode(&inner), mode(&file)], [0o700, 0o700, 0o600]);
        assert_eq!(mode(outside.path()), 0o644, "a link leads to what is not ours to change");
    }

    #[test]
    fn what_was_exchanged_for_a_link_is_left_alone() {
        let root = tempfile::tempdir().unwrap();
        let (file, target) = (root.path().join("file"), root.path().join("target"));
        for path in [&file, &target] {
            fs::write(path, "").unwrap();
            open_to_all(path, 0o644);
        }
        let looked_at = file.symlink_metadata().unwrap();
        fs::remove_file(&file).unwrap();
        symlink(&target, &file).unwrap();
        assert!(!restrict_one(&file, &looked_at, OFlags::NOFOLLOW));
        assert_eq!(mode(&target), 0o644);
    }

    #[test]
    fn new_files_are_private() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("file");
        options().write(true).create_new(true).open(&file).unwrap();
        assert_eq!(mode(&file), 0o600);
        open_to_all(&file, 0o640);
        restrict_file(&file).unwrap();
        assert_eq!(mode(&file), 0o600);
    }
}
