//! Where the cluster and its socket lie, and how that is remembered.

use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use domain::ports::Entropy;
use serde::{Deserialize, Serialize};

use super::account::Account;
use super::binaries::Made;
use super::{ClusterError, at};
use crate::system::SystemEntropy;

/// The longest path of a socket that every system takes (`sun_path`, with its final NUL).
const SOCKET_PATH_MAX: usize = 103;
/// The socket's name: PostgreSQL derives it from the port, which no network sees.
const SOCKET: &str = ".s.PGSQL.5432";
/// The role and the database that everything of ours uses.
const NAME: &str = "callwright";
/// Where clusters go whose data directory PostgreSQL's user cannot reach.
const ELSEWHERE: &str = "/var/lib/callwright/clusters";

/// The mode of a folder that others can pass through, and not look into.
const PASSABLE: u32 = 0o711;

/// The permissions of everybody but the owner.
const OTHERS: u32 = 0o077;

/// The folders of one cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The cluster (`PGDATA`).
    pub(super) cluster: PathBuf,
    /// The folder of its socket: the cluster itself when that path is short enough.
    pub(super) socket: PathBuf,
}

/// What `postgres.json` in the data directory holds: only folders outside it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Remembered {
    #[serde(skip_serializing_if = "Option::is_none")]
    cluster: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    socket: Option<PathBuf>,
}

impl Place {
    /// The place as an earlier start remembered it, or would choose it within the data directory.
    pub(super) fn remembered(data_dir: &Path) -> Result<Self, ClusterError> {
        let Remembered { cluster, socket } = Remembered::read(data_dir)?;
        let cluster = cluster.unwrap_or_else(|| data_dir.join("postgres"));
        let socket = socket.unwrap_or_else(|| cluster.clone());
        Ok(Self { cluster, socket })
    }

    /// The place for an owner: the remembered one, or a new one that `account` can reach.
    pub(super) fn choose(data_dir: &Path, account: Option<&Account>) -> Result<Self, ClusterError> {
        let before = Remembered::read(data_dir)?;
        let mut now = before.clone();
        let inside = data_dir.join("postgres");
        if let Some(cluster) = &now.cluster {
            if !cluster.exists() {
                let (cluster, remembered) = (cluster.clone(), Remembered::path(data_dir));
                return Err(ClusterError::Gone { cluster, remembered });
            }
        } else if let Some(account) = account
            && !account.can_enter(data_dir)
        {
            // A folder was closed whose cluster holds data: an empty one elsewhere would hide them.
            if inside.symlink_metadata().is_ok() {
                let user = account.name().to_owned();
                return Err(ClusterError::Closed { data_dir: data_dir.to_owned(), user });
            }
            let folder = Path::new(ELSEWHERE).join(random_name());
            make_passable(Path::new(ELSEWHERE))?;
            make_passable(&folder)?;
            let cluster = folder.join("postgres");
            tracing::warn!(
                data_dir = %data_dir.display(), cluster = %cluster.display(), user = account.name(),
                "the user that PostgreSQL runs as cannot enter the data directory, so the cluster lies elsewhere"
            );
            now.cluster = Some(cluster);
        }
        let cluster = now.cluster.clone().unwrap_or(inside);
        if cluster.join(SOCKET).as_os_str().len() > SOCKET_PATH_MAX {
            let usable = now.socket.as_deref().is_some_and(|folder| belongs_to(folder, account));
            if !usable {
                let folder = std::env::temp_dir().join(format!("callwright-{}", random_name()));
                make_folder(&folder, 0o700)?;
                account.map_or(Ok(()), |account| account.own(&folder)).map_err(at(&folder))?;
                now.socket = Some(folder);
            }
        } else {
            now.socket = None;
        }
        if now != before {
            now.write(data_dir)?;
        }
        let socket = now.socket.unwrap_or_else(|| cluster.clone());
        Ok(Self { cluster, socket })
    }

    /// Whether the cluster was made, which happens as a whole or not at all.
    pub(super) fn is_made(&self) -> bool {
        self.version_file().exists()
    }

    /// Which version made the cluster; none when it was not made yet.
    pub(super) fn major(&self) -> Result<Option<Made>, ClusterError> {
        if !self.is_made() {
            return Ok(None);
        }
        let path = self.version_file();
        let text = std::fs::read_to_string(&path).map_err(at(&path))?;
        let major = text.trim().parse().map_err(|cause| at(&path)(std::io::Error::other(cause)))?;
        Ok(Some(Made { cluster: self.cluster.clone(), major }))
    }

    /// The database's address in the form of libpq (a percent-encoded folder as the host).
    pub(super) fn url(&self) -> String {
        let folder = self.socket.as_os_str().as_encoded_bytes().iter().map(|byte| {
            if byte.is_ascii_alphanumeric() || b"-._~".contains(byte) {
                char::from(*byte).to_string()
            } else {
                format!("%{byte:02X}")
            }
        });
        format!("postgres://{NAME}@{}/{NAME}", folder.collect::<String>())
    }

    fn version_file(&self) -> PathBuf {
        self.cluster.join("PG_VERSION")
    }
}

impl Remembered {
    fn path(data_dir: &Path) -> PathBuf {
        data_dir.join("postgres.json")
    }

    fn read(data_dir: &Path) -> Result<Self, ClusterError> {
        let path = Self::path(data_dir);
        match std::fs::read(&path) {
            Ok(text) => serde_json::from_slice(&text).map_err(|cause| at(&path)(cause.into())),
            Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(cause) => Err(at(&path)(cause)),
        }
    }

    fn write(&self, data_dir: &Path) -> Result<(), ClusterError> {
        let path = Self::path(data_dir);
        let draft = data_dir.join(".postgres.json");
        let text = serde_json::to_vec(self).map_err(|cause| at(&path)(cause.into()))?;
        let made = private_files::options().write(true).create(true).truncate(true).open(&draft);
        made.and_then(|mut file| file.write_all(&text)).map_err(at(&draft))?;
        std::fs::rename(&draft, &path).map_err(at(&path))
    }
}

/// A name that nobody can guess and no earlier start has used.
pub(super) fn random_name() -> String {
    let mut bytes = [0; 8];
    SystemEntropy.fill(&mut bytes);
    format!("{:016x}", u64::from_ne_bytes(bytes))
}

/// Makes a folder with its parents; one that is there stays as it is.
pub(super) fn make_folder(folder: &Path, mode: u32) -> Result<(), ClusterError> {
    private_files::make_folder(folder, mode).map_err(at(folder))
}

/// Makes a folder of root's that PostgreSQL's user can pass through; one that an umask closed is opened.
fn make_passable(folder: &Path) -> Result<(), ClusterError> {
    make_folder(folder, PASSABLE)?;
    let mode = std::os::unix::fs::PermissionsExt::from_mode(PASSABLE);
    std::fs::set_permissions(folder, mode).map_err(at(folder))
}

/// Whether a folder is there, a real one, and private to the user that PostgreSQL runs as.
fn belongs_to(folder: &Path, account: Option<&Account>) -> bool {
    let uid = account.map_or_else(|| rustix::process::geteuid().as_raw(), |account| account.uid);
    let private = |data: std::fs::Metadata| data.is_dir() && data.uid() == uid && data.mode() & OTHERS == 0;
    folder.symlink_metadata().is_ok_and(private)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_data_directory_that_can_be_reached_holds_the_cluster_and_its_socket() {
        let data_dir = tempfile::tempdir().unwrap();
        let place = Place::choose(data_dir.path(), None).unwrap();
        assert_eq!(place.cluster, data_dir.path().join("postgres"));
        assert_eq!(place.socket, place.cluster);
        assert!(!Remembered::path(data_dir.path()).exists());
        assert_eq!(Place::remembered(data_dir.path()).unwrap(), place);
    }

    #[test]
    fn a_long_path_gets_a_short_private_socket_folder_that_is_remembered() {
        let root = tempfile::tempdir().unwrap();
        let data_dir = root.path().join("x".repeat(100));
        std::fs::create_dir(&data_dir).unwrap();
        let place = Place::choose(&data_dir, None).unwrap();
        assert!(place.socket.join(SOCKET).as_os_str().len() <= SOCKET_PATH_MAX);
        assert_eq!(place.socket.metadata().unwrap().mode() & 0o777, 0o700);
        assert_eq!(Place::choose(&data_dir, None).unwrap(), place);
        assert_eq!(Place::remembered(&data_dir).unwrap(), place);
        std::fs::remove_dir(&place.socket).unwrap();
        let fresh = Place::choose(&data_dir, None).unwrap();
        assert_ne!(fresh.socket, place.socket);
        std::fs::remove_dir(&fresh.socket).unwrap();
    }

    #[test]
    fn a_remembered_cluster_that_is_gone_is_not_replaced_by_an_empty_one() {
        let data_dir = tempfile::tempdir().unwrap();
        let gone = Remembered { cluster: Some("/nowhere/postgres".into()), socket: None };
        gone.write(data_dir.path()).unwrap();
        let error = Place::choose(data_dir.path(), None).unwrap_err();
        assert!(matches!(error, ClusterError::Gone { .. }), "{error}");
    }

    #[test]
    fn the_address_names_the_folder_in_a_form_that_clients_read() {
        let place = Place { cluster: "/c".into(), socket: "/tmp/a b/é".into() };
        assert_eq!(place.url(), "postgres://callwright@%2Ftmp%2Fa%20b%2F%C3%A9/callwright");
        let config: tokio_postgres::Config = place.url().parse().unwrap();
        assert_eq!(config.get_hosts(), [tokio_postgres::config::Host::Unix("/tmp/a b/é".into())]);
        assert_eq!((config.get_user(), config.get_dbname()), (Some("callwright"), Some("callwright")));
        url::Url::parse(&place.url()).unwrap();
    }
}
