//! Writing the key file: whole or not at all, and never over what another has just written.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use domain::at_rest::AtRestKeys;
use domain::ports::{Entropy, KeyRing};
use domain::secret::Secret;

use super::{KeyFile, KeyFileError, read, text};
use crate::system::SystemEntropy;

impl KeyFile {
    /// Puts what `decide` makes of the keys in the file into it, if it makes anything of them. Nobody
    /// else changes the file meanwhile; `wanted` tells the operator what to do where it cannot be changed.
    pub fn change(
        &self,
        wanted: &'static str,
        decide: impl FnOnce(&AtRestKeys) -> Option<AtRestKeys>,
    ) -> Result<Arc<AtRestKeys>, KeyFileError> {
        let unchangeable =
            |source| KeyFileError::Unchangeable { path: self.path().to_owned(), wanted, source };
        // Where a link leads, so that the link stays.
        let path = self.path().canonicalize().map_err(unchangeable)?;
        let folder = File::open(path.parent().unwrap_or(Path::new("/"))).map_err(unchangeable)?;
        // Freed with the file, also by a crash.
        folder.lock().map_err(unchangeable)?;
        if let Some(keys) = decide(&read(&path)?) {
            replace(&path, &folder, &keys).map_err(unchangeable)?;
        }
        self.follow();
        Ok(self.keys())
    }
}

/// A random key.
pub fn fresh(entropy: &dyn Entropy) -> Secret<[u8; 32]> {
    let mut bytes = [0; 32];
    entropy.fill(&mut bytes);
    Secret::new(bytes)
}

/// Puts a fresh key in place, whole or not at all; another process's key stays when it was faster.
pub(super) fn make(path: &Path, entropy: &dyn Entropy) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    let draft = draft_in(folder, entropy);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
    file.write_all(text::text_of(&AtRestKeys::first(fresh(entropy))).as_bytes())?;
    file.sync_all()?;
    let linked = std::fs::hard_link(&draft, path);
    std::fs::remove_file(&draft)?;
    match linked {
        Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(cause) => Err(cause),
        Ok(()) => File::open(folder)?.sync_all(),
    }
}

/// A name that nobody else gives to a file.
fn draft_in(folder: &Path, entropy: &dyn Entropy) -> PathBuf {
    let mut suffix = [0; 8];
    entropy.fill(&mut suffix);
    folder.join(format!(".secret-{:016x}", u64::from_ne_bytes(suffix)))
}

/// Renames a file with these keys over the old one; it belongs to whom the old one belonged to, or the
/// service could no longer read it.
fn replace(path: &Path, folder: &File, keys: &AtRestKeys) -> io::Result<()> {
    let draft = draft_in(path.parent().unwrap_or(Path::new("/")), &SystemEntropy);
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
    if let Err(cause) = fill(file, path, keys).and_then(|()| std::fs::rename(&draft, path)) {
        // No keys are left lying about; what went wrong first is what is told.
        let _ = std::fs::remove_file(&draft);
        return Err(cause);
    }
    folder.sync_all()
}

/// Writes these keys, for whoever may read the old file.
fn fill(mut file: File, old: &Path, keys: &AtRestKeys) -> io::Result<()> {
    let (old, new) = (old.metadata()?, file.metadata()?);
    if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
        fchown(&file, Some(old.uid()), Some(old.gid()))?;
    }
    // A group may go on reading it; others never should have.
    file.set_permissions(std::fs::Permissions::from_mode(old.mode() & 0o640 | 0o600))?;
    file.write_all(text::text_of(keys).as_bytes())?;
    file.sync_all()
}
