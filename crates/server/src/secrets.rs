//! The key that encrypts secrets at rest: read from a file, made on the first start.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::ports::Entropy;
use domain::secret::Secret;

use crate::config::Settings;

/// A key of 256 bits, as the store's cipher wants it.
pub type AtRestKey = Secret<[u8; 32]>;

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
        "the key file {0} does not hold a key: one line with 32 bytes in base64 is expected, \
         as `openssl rand -base64 32` prints it"
    )]
    NotAKey(PathBuf),
}

/// The configured key, or the one in the data directory, which is made when absent.
pub fn at_rest_key(settings: &Settings, entropy: &dyn Entropy) -> Result<AtRestKey, KeyFileError> {
    let own = settings.data_dir.join("secret.key");
    let path = settings.secrets.key_file.as_ref().unwrap_or(&own);
    let unusable = |source| KeyFileError::Unusable { path: path.clone(), source };
    // Only our own file is made: a named one that is missing is a mount that failed, and a fresh
    // key in its place would make everything encrypted before unreadable.
    if settings.secrets.key_file.is_none() && !path.exists() {
        make(path, entropy).map_err(unusable)?;
    }
    let text = std::fs::read_to_string(path).map_err(unusable)?;
    let others = std::fs::metadata(path).map_err(unusable)?.mode() & 0o007;
    if others != 0 {
        tracing::warn!(path = %path.display(), "every user of this machine may open the key file; chmod 600 it");
    }
    let bytes = STANDARD.decode(text.trim()).ok().and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
    bytes.map(Secret::new).ok_or_else(|| KeyFileError::NotAKey(path.clone()))
}

/// Puts a fresh key in place, whole or not at all; another process's key stays when it was faster.
fn make(path: &Path, entropy: &dyn Entropy) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    std::fs::create_dir_all(folder)?;
    let mut bytes = [0; 32];
    entropy.fill(&mut bytes);
    let mut suffix = [0; 8];
    entropy.fill(&mut suffix);
    let draft = folder.join(format!(".secret-{:016x}", u64::from_ne_bytes(suffix)));
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
    writeln!(file, "{}", STANDARD.encode(bytes))?;
    file.sync_all()?;
    let linked = std::fs::hard_link(&draft, path);
    std::fs::remove_file(&draft)?;
    match linked {
        Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(cause) => Err(cause),
        Ok(()) => File::open(folder)?.sync_all(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Environment;
    use crate::system::SystemEntropy;

    fn settings(data_dir: &Path, key_file: Option<&Path>) -> Settings {
        let mut settings = Settings::load(None, &Environment::default()).unwrap();
        settings.data_dir = data_dir.to_owned();
        settings.secrets.key_file = key_file.map(Path::to_owned);
        settings
    }

    #[test]
    fn the_key_is_made_once_for_the_owner_only_and_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let settings = settings(&folder.path().join("deep"), None);
        let first = at_rest_key(&settings, &SystemEntropy).unwrap();
        let file = settings.data_dir.join("secret.key");
        assert_eq!(file.metadata().unwrap().mode() & 0o777, 0o600);
        assert_eq!(at_rest_key(&settings, &SystemEntropy).unwrap().reveal(), first.reveal());
        let names: Vec<_> = settings.data_dir.read_dir().unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names, ["secret.key"]);
    }

    #[test]
    fn many_starts_at_once_agree_on_one_key() {
        let folder = tempfile::tempdir().unwrap();
        let settings = settings(folder.path(), None);
        let keys: Vec<_> = std::thread::scope(|scope| {
            let start = || scope.spawn(|| *at_rest_key(&settings, &SystemEntropy).unwrap().reveal());
            let starts: Vec<_> = (0..8).map(|_| start()).collect();
            starts.into_iter().map(|start| start.join().unwrap()).collect()
        });
        assert!(keys.windows(2).all(|pair| pair[0] == pair[1]));
    }

    #[test]
    fn a_named_file_is_read_and_never_made() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("key");
        let settings = settings(folder.path(), Some(&file));
        let absent = at_rest_key(&settings, &SystemEntropy).unwrap_err();
        assert!(matches!(absent, KeyFileError::Unusable { .. }) && !file.exists());
        std::fs::write(&file, format!("{}\n", STANDARD.encode([7; 32]))).unwrap();
        assert_eq!(at_rest_key(&settings, &SystemEntropy).unwrap().reveal(), &[7; 32]);
        std::fs::write(&file, "too short").unwrap();
        assert!(matches!(at_rest_key(&settings, &SystemEntropy), Err(KeyFileError::NotAKey(_))));
    }
}
