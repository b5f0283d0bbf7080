//! The user that PostgreSQL runs as when we are root, which it refuses to be.

use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use super::ClusterError;

/// Users that exist for PostgreSQL or for us; the first that is there runs a new cluster.
const NAMES: [&str; 2] = ["postgres", "callwright"];

/// The user of clusters of earlier releases. Every service without a user of its own runs as it, and would
/// own our data with us.
const FORMER: &str = "nobody";

/// A user of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Account {
    name: String,
    pub(super) uid: u32,
    pub(super) gid: u32,
}

/// The users of a machine, in the form of passwd(5).
pub(super) struct Users(String);

impl Users {
    /// Those of this machine.
    pub(super) fn of_this_machine() -> Self {
        Self(std::fs::read_to_string("/etc/passwd").unwrap_or_default())
    }

    /// Who runs the cluster in a folder, which may not be there yet: whom it belongs to, when that is one of
    /// [`NAMES`], else the first of these.
    pub(super) fn to_run(&self, cluster: &Path) -> Result<Account, ClusterError> {
        let mut known: Vec<Account> = NAMES.iter().filter_map(|name| self.find(name)).collect();
        let owner = cluster.symlink_metadata().ok().map(|folder| folder.uid());
        let first = known.iter().position(|account| Some(account.uid) == owner).unwrap_or_default();
        if first < known.len() { Ok(known.swap_remove(first)) } else { Err(ClusterError::NoAccount) }
    }

    /// The user of clusters of earlier releases.
    pub(super) fn former(&self) -> Option<Account> {
        self.find(FORMER)
    }

    fn find(&self, name: &str) -> Option<Account> {
        self.0.lines().find_map(|line| {
            let mut fields = line.split(':');
            let found = fields.next()? == name;
            let (uid, gid) = (fields.nth(1)?.parse().ok()?, fields.next()?.parse().ok()?);
            (found && uid != 0).then(|| Account { name: name.to_owned(), uid, gid })
        })
    }
}

impl Account {
    /// Whom to become for a cluster: nobody else unless we are root.
    pub(super) fn to_become(cluster: &Path) -> Result<Option<Self>, ClusterError> {
        if !rustix::process::geteuid().is_root() {
            return Ok(None);
        }
        Users::of_this_machine().to_run(cluster).map(Some)
    }

    /// Whether the user can reach a folder, by all the rules that this machine has.
    pub(super) fn can_enter(&self, folder: &Path) -> bool {
        let tried = Command::new("true")
            .uid(self.uid)
            .gid(self.gid)
            .current_dir(folder)
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .status();
        tried.is_ok_and(|status| status.success())
    }

    /// Gives a folder to the user.
    pub(super) fn own(&self, folder: &Path) -> std::io::Result<()> {
        std::os::unix::fs::chown(folder, Some(self.uid), Some(self.gid))
    }

    /// The user's name.
    pub(super) fn name(&self) -> &str {
        &self.name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = "callwright:x:998:998::/:";

    fn to_run(passwd: &str, cluster: &Path) -> Result<Account, ClusterError> {
        Users(passwd.to_owned()).to_run(cluster)
    }

    #[test]
    fn a_user_is_found_by_name_and_never_root() {
        let users = Users(
            "root:x:0:0:root:/root:/bin/sh\nbad line\npostgres:x:101:104:,,,:/var:/bin/sh\nnobody:x:0:0::/:"
                .to_owned(),
        );
        let postgres = Account { name: "postgres".into(), uid: 101, gid: 104 };
        assert_eq!(users.find("postgres"), Some(postgres));
        assert_eq!(users.former(), None);
        assert_eq!(users.find("bad line"), None);
    }

    #[test]
    fn root_without_a_user_for_clusters_is_refused() {
        let nowhere = Path::new("/nowhere");
        let refused = to_run("root:x:0:0::/:\nnobody:x:65534:65534::/:", nowhere).unwrap_err().to_string();
        assert!(refused.contains("useradd --system") && refused.contains("callwright"), "{refused}");
        assert!(refused.contains("CALLWRIGHT__DATABASE__URL"), "{refused}");
        assert_eq!(to_run(&format!("nobody:x:65534:65534::/:\n{OWN}"), nowhere).unwrap().uid, 998);
        let both = format!("{OWN}\npostgres:x:101:104::/:");
        assert_eq!(to_run(&both, nowhere).unwrap().name(), "postgres");
    }

    #[test]
    fn a_cluster_keeps_its_user_when_another_one_appears() {
        let cluster = tempfile::tempdir().unwrap();
        let uid = cluster.path().metadata().unwrap().uid();
        // Root owns what root makes, and runs nothing.
        let uid = if uid == 0 { chowned(cluster.path(), 998) } else { uid };
        let users = format!("postgres:x:101:104::/:\ncallwright:x:{uid}:998::/:");
        assert_eq!(to_run(&users, cluster.path()).unwrap().name(), "callwright");
    }

    fn chowned(folder: &Path, uid: u32) -> u32 {
        std::os::unix::fs::chown(folder, Some(uid), None).unwrap();
        uid
    }
}
