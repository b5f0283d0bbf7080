//! The user that PostgreSQL runs as when we are root, which it refuses to be.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use super::ClusterError;

/// A user of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Account {
    name: String,
    pub(super) uid: u32,
    pub(super) gid: u32,
}

impl Account {
    /// Whom to become: nobody else unless we are root; then `postgres`, else `nobody`.
    pub(super) fn to_become() -> Result<Option<Self>, ClusterError> {
        if !rustix::process::geteuid().is_root() {
            return Ok(None);
        }
        let passwd = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
        let account = ["postgres", "nobody"].into_iter().find_map(|name| Self::find(&passwd, name));
        account.map(Some).ok_or(ClusterError::NoAccount)
    }

    /// Looks a user up in the form of passwd(5).
    fn find(passwd: &str, name: &str) -> Option<Self> {
        passwd.lines().find_map(|line| {
            let mut fields = line.split(':');
            let found = fields.next()? == name;
            let (uid, gid) = (fields.nth(1)?.parse().ok()?, fields.next()?.parse().ok()?);
            (found && uid != 0).then(|| Self { name: name.to_owned(), uid, gid })
        })
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

    #[test]
    fn a_user_is_found_by_name_and_never_root() {
        let passwd =
            "root:x:0:0:root:/root:/bin/sh\nbad line\npostgres:x:101:104:,,,:/var:/bin/sh\nnobody:x:0:0::/:";
        let postgres = Account { name: "postgres".into(), uid: 101, gid: 104 };
        assert_eq!(Account::find(passwd, "postgres"), Some(postgres));
        assert_eq!(Account::find(passwd, "nobody"), None);
        assert_eq!(Account::find(passwd, "bad line"), None);
    }
}
