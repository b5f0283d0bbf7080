//! The keys that encrypt secrets at rest: read from a file, made on the first start, followed when
//! the file is changed.

mod change;
mod text;

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use domain::at_rest::AtRestKeys;
use domain::ports::{Clock, Entropy, KeyRing};
use parking_lot::RwLock;

use crate::config::Settings;
use crate::data_dir;
pub use change::fresh;

/// Values under unknown keys have the file read no more often than this.
const READ_AGAIN: Duration = Duration::from_millis(500);

/// Why there is no key.
#[derive(Debug, thiserror::Error)]
pub enum KeyFileError {
    /// The file could not be read or made.
    #[error("the key file {path} cannot be used")]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file holds something else.
    #[error(
        "the key file {0} does not hold a key: one line with 32 bytes in base64 is expected, as \
         `openssl rand -base64 32` prints it, or a line for each of several keys, each with its number before it"
    )]
    NotAKey(PathBuf),
    /// The file could not be given other keys.
    #[error(
        "the key file {path} cannot be changed: {wanted} by hand, there and wherever nodes have a copy, and run this again"
    )]
    Unchangeable {
        /// The file.
        path: PathBuf,
        /// What the operator has to do.
        wanted: &'static str,
        /// What the system says.
        source: io::Error,
    },
}

/// The key file, and the keys that were read from it.
pub struct KeyFile {
    path: PathBuf,
    clock: Arc<dyn Clock>,
    held: RwLock<Held>,
}

struct Held {
    keys: Arc<AtRestKeys>,
    // Since boot.
    read_at: Duration,
    failing: bool,
}

impl KeyFile {
    /// Opens the configured file, or the one in the data directory, which is made when absent.
    pub fn open(
        settings: &Settings,
        entropy: &dyn Entropy,
        clock: Arc<dyn Clock>,
    ) -> Result<Arc<Self>, KeyFileError> {
        let own = settings.data_dir.join("secret.key");
        let path = settings.secrets.key_file.as_ref().unwrap_or(&own);
        let unusable = |source| KeyFileError::Unusable { path: path.clone(), source };
        if settings.secrets.key_file.is_none() {
            data_dir::prepare(&settings.data_dir).map_err(unusable)?;
        }
        // Only our own file is made: a named one that is missing is a mount that failed, and a fresh
        // key in its place would make everything encrypted before unreadable.
        if settings.secrets.key_file.is_none() && !path.exists() {
            change::make(path, entropy).map_err(unusable)?;
        }
        let keys = Arc::new(read(path)?);
        let others = std::fs::metadata(path).map_err(unusable)?.mode() & 0o007;
        if others != 0 {
            tracing::warn!(path = %path.display(), "every user of this machine may open the key file; chmod 600 it");
        }
        let held = Held { keys, read_at: clock.since_boot(), failing: false };
        Ok(Arc::new(Self { path: path.clone(), clock, held: RwLock::new(held) }))
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the file again; whether it holds other keys than before, which is told. What cannot be read
    /// changes nothing, and is told once.
    pub fn follow(&self) -> bool {
        let found = read(&self.path);
        let mut held = self.held.write();
        held.read_at = self.clock.since_boot();
        match found {
            Ok(keys) => {
                held.failing = false;
                let changed = *held.keys != keys;
                if changed {
                    tell_change(&held.keys, &keys);
                    held.keys = Arc::new(keys);
                }
                changed
            }
            Err(error) => {
                if !held.failing {
                    tracing::error!(error = %error, "the keys go on being used as they were read before");
                }
                held.failing = true;
                false
            }
        }
    }
}

impl KeyRing for KeyFile {
    fn keys(&self) -> Arc<AtRestKeys> {
        self.held.read().keys.clone()
    }

    fn keys_anew(&self) -> Arc<AtRestKeys> {
        let read_at = self.held.read().read_at;
        if self.clock.since_boot().saturating_sub(read_at) >= READ_AGAIN {
            self.follow();
        }
        self.keys()
    }
}

/// A change leaves a key from before, or it was none of ours: another installation's file, or a restored one.
fn tell_change(before: &AtRestKeys, now: &AtRestKeys) {
    let keys = now.all().count();
    if now.all().any(|key| before.all().any(|old| old == key)) {
        tracing::info!(keys, "the key file has changed");
    } else {
        tracing::error!(
            keys,
            "the key file has changed, and none of its keys was there before: what those encrypted opens no \
             more, and nothing is encrypted beside it"
        );
    }
}

fn read(path: &Path) -> Result<AtRestKeys, KeyFileError> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| KeyFileError::Unusable { path: path.to_owned(), source })?;
    text::keys_of(&text).ok_or_else(|| KeyFileError::NotAKey(path.to_owned()))
}

#[cfg(test)]
mod tests;
