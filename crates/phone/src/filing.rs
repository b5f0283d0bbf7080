//! Where recordings go: a name of its own for each call, never one that is taken.

use std::fs::OpenOptions;
use std::io;
use std::path::{Path, PathBuf};

/// Makes an empty file for a call to `number`. A `target` that ends in `.wav` names the file,
/// anything else the folder; when the name is taken, `-2`, `-3` … is added.
pub(crate) fn reserve(target: &Path, number: &str) -> io::Result<PathBuf> {
    let names_file = target.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("wav"));
    let (folder, stem) = if names_file {
        let stem = target.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        (target.parent().unwrap_or(Path::new("")), stem.unwrap_or_default())
    } else {
        // The number comes from the caller: it must not lead out of the folder.
        let safe: String = number.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '+').collect();
        (target, if safe.is_empty() { "call".to_owned() } else { safe })
    };
    if !folder.as_os_str().is_empty() {
        std::fs::create_dir_all(folder)?;
    }
    let mut count = 1_u32;
    loop {
        let name = if count == 1 { format!("{stem}.wav") } else { format!("{stem}-{count}.wav") };
        let path = folder.join(name);
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(_empty) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => count += 1,
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_to_one_number_get_names_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let names = [1, 2, 3].map(|_| reserve(folder.path(), "+1555").unwrap());
        assert_eq!(names, ["+1555.wav", "+1555-2.wav", "+1555-3.wav"].map(|name| folder.path().join(name)));
    }

    #[test]
    fn a_number_cannot_lead_out_of_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(reserve(folder.path(), "../../etc/x").unwrap(), folder.path().join("etcx.wav"));
        assert_eq!(reserve(folder.path(), "..").unwrap(), folder.path().join("call.wav"));
    }

    #[test]
    fn a_target_with_the_ending_wav_names_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = reserve(&folder.path().join("new/heard.wav"), "1").unwrap();
        assert_eq!(path, folder.path().join("new/heard.wav"));
    }
}
