//! Files that are there whole, or not at all.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread;

use domain::ports::ArtifactBody;

/// Where files are written until they are whole; no key has such a name.
const DRAFTS: &str = "drafts";

/// Makes the folder, which nobody else on this machine may open, and clears away what was never finished.
pub(super) fn prepare(root: &Path) -> io::Result<()> {
    private_files::make_private(root)?;
    restrict(root.to_owned())?;
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

/// Restricts what an earlier release or a restored backup left open to others, in the background: there may
/// be very many files, and the private folder already keeps others out.
fn restrict(root: PathBuf) -> io::Result<()> {
    let work = move || {
        if let Err(error) = private_files::restrict(&root) {
            tracing::warn!(folder = %root.display(), %error, "the modes of its files could not be looked at");
        }
    };
    thread::Builder::new().name("artifact-modes".to_owned()).spawn(work).map(drop)
}

fn make_folder(path: &Path) -> io::Result<()> {
    private_files::make_folder(path, private_files::FOLDER)
}
