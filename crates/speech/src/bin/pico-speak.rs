//! The child's program for the tests of this crate; it can be told to fail once.

use std::io::{self, Read, Write};
use std::path::Path;
use std::process;

/// `pico-speak [note|crash|hang|always-crash MARK]`: writes its id to the file, and with a fault,
/// fails in the middle of its first answer, `crash` and `hang` only if there was no such file.
fn main() -> io::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [fault, mark] = args.as_slice() {
        let failed_before = Path::new(mark).exists();
        std::fs::write(mark, process::id().to_string())?;
        match fault.as_str() {
            "crash" if !failed_before => crash()?,
            "always-crash" => crash()?,
            "hang" if !failed_before => loop {
                std::thread::park();
            },
            _ => {}
        }
    }
    speech::child::run(io::stdin().lock(), io::stdout().lock())
}

/// Dies after the first bytes of an answer.
fn crash() -> io::Result<()> {
    let mut length = [0; 4];
    io::stdin().read_exact(&mut length)?;
    io::stdout().write_all(&[64, 0, 0, 0, 1, 2, 3])?;
    io::stdout().flush()?;
    process::abort()
}
