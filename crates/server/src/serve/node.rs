//! This machine's identity: a UUID in the data directory that survives restarts.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use domain::ids::{BootId, NewId, NodeId};
use domain::ports::{Clock, Entropy};

/// The node's id, made at its first start.
pub(super) fn node_id(data_dir: &Path, clock: &dyn Clock, entropy: &dyn Entropy) -> io::Result<NodeId> {
    let path = data_dir.join("node-id");
    match fs::read_to_string(&path) {
        Ok(text) => NodeId::parse(text.trim())
            .ok_or_else(|| io::Error::other(format!("{} does not hold a UUID", path.display()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let id: NodeId = fresh(clock, entropy).into();
            let unfinished = data_dir.join("node-id.part");
            let mut file = fs::File::create(&unfinished)?;
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
