//! Files that are there whole, or not at all.

use std::fs::{DirBuilder, File};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use domain::ports::ArtifactBody;

/// Where files are written until they are whole; no key has such a name.
const DRAFTS: &str = "drafts";

/// Makes the folder, and clears away what was never finished.
pub(super) fn prepare(root: &Path) -> io::Result<()> {
    let drafts = root.join(DRAFTS);
    make_folder(&drafts)?;
    for entry in drafts.read_dir()? {
        std::fs::remove_file(entry?.path())?;
    }
    Ok(())
}

/// Puts a file in its place, on the disk and not only in its cache; tells how many bytes it has.
pub(super) fn store(root: &Path, name: &str, body: ArtifactBody) -> io::Result<u64> {
    let place = root.join(name);
    let folder = place.parent().unwrap_or(root);
    make_folder(folder)?;
    let mut draft = tempfile::Builder::new().prefix("").tempfile_in(root.join(DRAFTS))?;
    let bytes = match body {
        // The kernel copies from file to file; nothing is held here.
        ArtifactBody::File(path) => io::copy(&mut File::open(path)?, draft.as_file_mut())?,
        ArtifactBody::Text(text) => {
            draft.write_all(text.as_bytes())?;
            u64::try_from(text.len()).unwrap_or(u64::MAX)
        }
    };
    draft.as_file().sync_all()?;
    draft.persist(&place).map_err(|refused| refused.error)?;
    // The name, and those of the folders that may be new.
    for folder in folder.ancestors().take_while(|folder| folder.starts_with(root)) {
        File::open(folder)?.sync_all()?;
    }
    Ok(bytes)
}

/// What people said is for nobody else on this machine.
fn make_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}
