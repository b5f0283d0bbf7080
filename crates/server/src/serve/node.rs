//! This machine's identity: a UUID in the data directory that survives restarts.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use domain::ids::{BootId, NewId, NodeId};
use domain::ports::{Clock, Entropy};

/// The identity of this machine, held by one start at a time: of two that shared it, the second
/// would take the first one's calls over.
pub(super) struct Identity {
    pub(super) node: NodeId,
    // Held by being open; the system frees it when the process dies.
    _lock: fs::File,
}

/// Takes the identity that lies in the data directory, made at the first start.
pub(super) fn identity(data_dir: &Path, clock: &dyn Clock, entropy: &dyn Entropy) -> io::Result<Identity> {
    let path = data_dir.join("node.lock");
    let lock = private_files::options().write(true).create(true).truncate(true).open(path)?;
    match lock.try_lock() {
        Ok(()) => Ok(Identity { node: node_id(data_dir, clock, entropy)?, _lock: lock }),
        Err(fs::TryLockError::WouldBlock) => Err(io::Error::other(format!(
            "another server runs on the data directory {}; each needs one of its own (DATA_DIR)",
            data_dir.display()
        ))),
        Err(fs::TryLockError::Error(error)) => Err(error),
    }
}

fn node_id(data_dir: &Path, clock: &dyn Clock, entropy: &dyn Entropy) -> io::Result<NodeId> {
    let path = data_dir.join("node-id");
    match fs::read_to_string(&path) {
        Ok(text) => NodeId::parse(text.trim())
            .ok_or_else(|| io::Error::other(format!("{} does not hold a UUID", path.display()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let id: NodeId = fresh(clock, entropy).into();
            let unfinished = data_dir.join("node-id.part");
            let mut file =
                private_files::options().write(true).create(true).truncate(true).open(&unfinished)?;
            writeln!(file, "{id}")?;
            file.sync_all()?;
            fs::rename(unfinished, path)?;
            Ok(id)
        }
        Err(error) => Err(error),
    }
}

/// The id of this start.
pub(super) fn boot_id(clock: &dyn Clock, entropy: &dyn Entropy) -> BootId {
    fresh(clock, entropy).into()
}

fn fresh(clock: &dyn Clock, entropy: &dyn Entropy) -> NewId {
    let mut random = [0; 10];
    entropy.fill(&mut random);
    NewId::at(clock.now(), random)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::{SystemClock, SystemEntropy};

    #[test]
    fn a_machine_keeps_its_identity_and_lends_it_to_one_start_at_a_time() {
        let data_dir = tempfile::tempdir().unwrap();
        let start = || identity(data_dir.path(), &SystemClock, &SystemEntropy);
        let first = start().unwrap();
        let refused = start().map(|second| second.node).unwrap_err().to_string();
        assert!(refused.contains("another server"), "{refused}");
        let node = first.node;
        drop(first);
        assert_eq!(start().unwrap().node, node);
    }
}
