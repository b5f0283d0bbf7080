//! Finds PostgreSQL's server programs on this machine.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::ClusterError;

/// The oldest major version that we run on.
const OLDEST: u32 = 15;

/// Where packages put one folder per version: Debian, Red Hat, Homebrew, Postgres.app.
const VERSIONED: [(&str, &str); 5] = [
    ("/usr/lib/postgresql", "bin"),
    ("/usr", "bin"),
    ("/opt/homebrew/opt", "bin"),
    ("/usr/local/opt", "bin"),
    ("/Applications/Postgres.app/Contents/Versions", "bin"),
];

/// The programs of one version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Programs {
    /// Makes a cluster.
    pub(super) initdb: PathBuf,
    /// The server.
    pub(super) postgres: PathBuf,
    /// Their major version.
    pub(super) major: u32,
}

/// The newest version there is, or exactly the one that made the cluster.
pub(super) fn find(search_path: &[PathBuf], made_by: Option<&Made>) -> Result<Programs, ClusterError> {
    let mut folders = search_path.to_vec();
    for (parent, inner) in VERSIONED {
        let entries = Path::new(parent).read_dir().into_iter().flatten().flatten();
        // Under /usr and Homebrew's folder other software has its place too.
        let ours = entries.filter(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            name.starts_with("pgsql-") || name.starts_with("postgresql@") || name.parse::<u32>().is_ok()
        });
        folders.extend(ours.map(|entry| entry.path().join(inner)));
    }
    let found = folders.iter().filter_map(|folder| programs_in(folder));
    match made_by {
        Some(Made { cluster, major }) => found
            .into_iter()
            .find(|programs| programs.major == *major)
            .ok_or_else(|| ClusterError::OtherVersion { cluster: cluster.clone(), major: *major }),
        None => found
            .filter(|programs| programs.major >= OLDEST)
            .max_by_key(|programs| programs.major)
            .ok_or(ClusterError::NoBinaries),
    }
}

/// A cluster's own version.
#[derive(Clone, Debug)]
pub(super) struct Made {
    /// The cluster.
    pub(super) cluster: PathBuf,
    /// The major version that made it.
    pub(super) major: u32,
}

fn programs_in(folder: &Path) -> Option<Programs> {
    // PATH often holds a link to the one program; its siblings lie where the link leads.
    let initdb = folder.join("initdb").canonicalize().ok()?;
    let postgres = initdb.parent()?.join("postgres");
    let version = Command::new(&postgres).arg("--version").stdin(Stdio::null()).output().ok()?;
    let major = major(&String::from_utf8_lossy(&version.stdout))?;
    Some(Programs { initdb, postgres, major })
}

/// Reads `postgres (PostgreSQL) 15.13 (Debian 15.13-0+deb12u1)` or `… 18devel`.
fn major(version: &str) -> Option<u32> {
    let number = version.split_once("(PostgreSQL) ")?.1;
    let digits: String = number.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// A folder whose `postgres` claims a version.
    fn install(root: &Path, major: u32) -> PathBuf {
        let folder = root.join(format!("pg{major}"));
        std::fs::create_dir_all(&folder).unwrap();
        for program in ["initdb", "postgres"] {
            let path = folder.join(program);
            std::fs::write(&path, format!("#!/bin/sh\necho 'postgres (PostgreSQL) {major}.1 (Test)'"))
                .unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        folder
    }

    #[test]
    fn versions_are_read_in_all_their_forms() {
        assert_eq!(major("postgres (PostgreSQL) 15.13 (Debian 15.13-0+deb12u1)\n"), Some(15));
        assert_eq!(major("postgres (PostgreSQL) 18devel"), Some(18));
        assert_eq!(major("something else"), None);
    }

    #[test]
    fn the_newest_version_is_taken_for_a_new_cluster_and_its_own_for_an_old_one() {
        let root = tempfile::tempdir().unwrap();
        let path = [install(root.path(), 9), install(root.path(), 99), install(root.path(), 98)];
        assert_eq!(find(&path, None).unwrap().major, 99);
        let made = |major| Made { cluster: "/c".into(), major };
        assert_eq!(find(&path, Some(&made(98))).unwrap().postgres, path[2].join("postgres"));
        let gone = find(&path, Some(&made(77))).unwrap_err().to_string();
        assert!(gone.contains("apt install postgresql-77"), "{gone}");
    }

    #[test]
    fn without_programs_the_message_names_the_package_and_the_way_out() {
        let text = ClusterError::NoBinaries.to_string();
        assert!(
            text.contains("apt install postgresql") && text.contains("CALLWRIGHT__DATABASE__URL"),
            "{text}"
        );
    }

    #[test]
    fn a_link_on_the_path_leads_to_its_siblings() {
        let root = tempfile::tempdir().unwrap();
        let real = install(root.path(), 97);
        let links = root.path().join("links");
        std::fs::create_dir(&links).unwrap();
        std::os::unix::fs::symlink(real.join("initdb"), links.join("initdb")).unwrap();
        assert_eq!(programs_in(&links).unwrap().postgres, real.canonicalize().unwrap().join("postgres"));
    }
}
