//! Finds the voices that the `ttspico-sys` package carries, so that they can be built in.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

#[expect(clippy::disallowed_methods, reason = "a build script is told everything by its environment")]
fn main() -> Result<(), Box<dyn Error>> {
    let (cargo, target) = (std::env::var("CARGO")?, std::env::var("TARGET")?);
    // What this build needs is on the disk already; only a plain `metadata` may want more.
    let voices = voices(&cargo, &target, &["--offline"]).or_else(|_| voices(&cargo, &target, &[]))?;
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={}", voices.display());
    println!("cargo::rustc-env=PICO_VOICES={}", voices.display());
    Ok(())
}

fn voices(cargo: &str, target: &str, more: &[&str]) -> Result<PathBuf, Box<dyn Error>> {
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--filter-platform", target])
        .args(more)
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let packages = metadata.get("packages").and_then(|packages| packages.as_array());
    let manifest = packages
        .into_iter()
        .flatten()
        .find(|package| package.get("name").is_some_and(|name| name == "ttspico-sys"))
        .and_then(|package| package.get("manifest_path")?.as_str())
        .ok_or("the package ttspico-sys is not among the dependencies")?;
    let voices = Path::new(manifest).with_file_name("build").join("pico").join("lang");
    if voices.is_dir() { Ok(voices) } else { Err(format!("no voices in {}", voices.display()).into()) }
}
