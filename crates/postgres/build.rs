//! Builds anew when a migration changed, because migrations are embedded, and names their content.

use std::hash::{DefaultHasher, Hasher};
use std::path::Path;

const MIGRATIONS: &str = "../../migrations";

fn main() -> std::io::Result<()> {
    let mut hasher = DefaultHasher::new();
    read(Path::new(MIGRATIONS), &mut hasher)?;
    println!("cargo:rerun-if-changed={MIGRATIONS}");
    println!("cargo:rustc-env=MIGRATIONS_DIGEST={:016x}", hasher.finish());
    Ok(())
}

fn read(folder: &Path, hasher: &mut DefaultHasher) -> std::io::Result<()> {
    let entries = std::fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
    let mut paths = entries.collect::<Result<Vec<_>, _>>()?;
    paths.sort();
    for path in paths {
        if path.is_dir() {
            read(&path, hasher)?;
        } else {
            hasher.write(path.to_string_lossy().as_bytes());
            hasher.write(&std::fs::read(&path)?);
        }
    }
    Ok(())
}
