//! Builds anew when a migration changed, because the migrations are embedded.

#![expect(clippy::print_stdout, reason = "cargo reads the build script's output")]

fn main() {
    println!("cargo:rerun-if-changed=../../migrations");
}
