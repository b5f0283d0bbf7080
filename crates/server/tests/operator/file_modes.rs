//! The data directory that a first command makes, whatever its umask.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::installation::Installation;

fn mode(path: &Path) -> u32 {
    path.symlink_metadata().unwrap().permissions().mode() & 0o7777
}

/// Everything in a folder that other users may do anything with.
fn open_to_others(folder: &Path) -> Vec<String> {
    let mut open = Vec::new();
    for path in folder.read_dir().unwrap().map(|entry| entry.unwrap().path()) {
        let metadata = path.symlink_metadata().unwrap();
        if !metadata.is_symlink() && mode(&path) & 0o077 != 0 {
            open.push(format!("{} {:o}", path.display(), mode(&path)));
        }
        if metadata.is_dir() {
            open.extend(open_to_others(&path));
        }
    }
    open
}

#[test]
fn a_new_data_directory_is_private_under_any_umask() {
    for umask in ["000", "022", "077"] {
        let installation = Installation::new();
        let data = installation.0.path().join("new/data");
        let made = Command::new("/bin/sh")
            .args(["-c", r#"umask "$0" && exec "$@""#, umask, env!("CARGO_BIN_EXE_callwright")])
            .args(["tenant", "create", "--name", "Acme"])
            .env_remove("DATABASE_URL")
            .env("CALLWRIGHT__DATA_DIR", &data)
            .output()
            .unwrap();
        assert!(made.status.success(), "{umask}: {}", String::from_utf8_lossy(&made.stderr));
        // Of root's the cluster's user passes through to the cluster; anybody else's is closed.
        let passable = if rustix::process::geteuid().is_root() { 0o711 } else { 0o700 };
        assert_eq!([mode(&data), mode(data.parent().unwrap())], [passable; 2], "{umask}");
        assert_eq!(open_to_others(&data), Vec::<String>::new(), "{umask}");
        assert!(data.join("postgres/PG_VERSION").exists(), "{umask}: the cluster lies elsewhere");
        assert_eq!(mode(&data.join("secret.key")), 0o600, "{umask}");
    }
}
