use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::secret::Secret;

use super::*;
use crate::environment::Environment;
use crate::system::{SystemClock, SystemEntropy};

fn settings(data_dir: &Path, key_file: Option<&Path>) -> Settings {
    let mut settings = Settings::load(None, &Environment::default()).unwrap();
    settings.data_dir = data_dir.to_owned();
    settings.secrets.key_file = key_file.map(Path::to_owned);
    settings
}

fn open(settings: &Settings) -> Result<Arc<KeyFile>, KeyFileError> {
    KeyFile::open(settings, &SystemEntropy, Arc::new(SystemClock))
}

fn names(folder: &Path) -> Vec<std::ffi::OsString> {
    folder.read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect()
}

#[test]
fn the_key_is_made_once_for_the_owner_only_and_found_again() {
    let folder = tempfile::tempdir().unwrap();
    let settings = settings(&folder.path().join("deep"), None);
    let first = open(&settings).unwrap().keys();
    let file = settings.data_dir.join("secret.key");
    assert_eq!(file.metadata().unwrap().mode() & 0o777, 0o600);
    assert_eq!(open(&settings).unwrap().keys(), first);
    assert_eq!(names(&settings.data_dir), ["secret.key"]);
}

#[test]
fn many_starts_at_once_agree_on_one_key() {
    let folder = tempfile::tempdir().unwrap();
    let settings = settings(folder.path(), None);
    let keys: Vec<_> = std::thread::scope(|scope| {
        let starts: Vec<_> = (0..8).map(|_| scope.spawn(|| open(&settings).unwrap().keys())).collect();
        starts.into_iter().map(|start| start.join().unwrap()).collect()
    });
    assert!(keys.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn a_named_file_is_read_and_never_made() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("key");
    let settings = settings(folder.path(), Some(&file));
    assert!(matches!(open(&settings), Err(KeyFileError::Unusable { .. })) && !file.exists());
    std::fs::write(&file, format!("{}\n", STANDARD.encode([7; 32]))).unwrap();
    assert_eq!(*open(&settings).unwrap().keys(), AtRestKeys::first(Secret::new([7; 32])));
    std::fs::write(&file, "too short").unwrap();
    assert!(matches!(open(&settings), Err(KeyFileError::NotAKey(_))));
}

#[test]
fn a_changed_file_is_whole_belongs_to_the_same_and_is_followed_by_who_has_it_open() {
    let folder = tempfile::tempdir().unwrap();
    let settings = settings(folder.path(), None);
    let (one, other) = (open(&settings).unwrap(), open(&settings).unwrap());
    let first = one.keys();
    std::fs::set_permissions(one.path(), std::os::unix::fs::PermissionsExt::from_mode(0o664)).unwrap();
    let both = one.change("", |keys| keys.with_next(change::fresh(&SystemEntropy))).unwrap();
    assert_eq!((both.sealing(), both.all().count()), (first.sealing(), 2));
    assert_eq!(one.path().metadata().unwrap().mode() & 0o777, 0o640);
    assert_eq!(names(folder.path()), ["secret.key"]);
    assert_eq!(other.keys(), first);
    assert!(other.follow() && !other.follow());
    assert_eq!(other.keys(), both);
    // What cannot be read changes nothing.
    std::fs::write(one.path(), "nonsense").unwrap();
    assert!(!other.follow());
    assert_eq!(other.keys(), both);
    assert!(matches!(one.change("", |keys| Some(keys.clone())), Err(KeyFileError::NotAKey(_))));
}

#[test]
fn no_other_file_is_touched_by_a_change_whatever_the_key_file_is_called() {
    for (name, neighbour) in [("secret.key", "secret.new"), ("secret.new", "secret.key"), ("key", "key.new")]
    {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(name);
        std::fs::write(&file, STANDARD.encode([7; 32])).unwrap();
        std::fs::write(folder.path().join(neighbour), "of the operator").unwrap();
        let ring = open(&settings(folder.path(), Some(&file))).unwrap();
        ring.change("", |keys| keys.with_next(Secret::new([8; 32]))).unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap().lines().count(), 2, "{name}");
        assert_eq!(std::fs::read_to_string(folder.path().join(neighbour)).unwrap(), "of the operator");
        let (mut expected, mut found) = ([name, neighbour], names(folder.path()));
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected);
    }
}

#[test]
fn changes_at_once_are_made_one_after_another() {
    let folder = tempfile::tempdir().unwrap();
    let settings = settings(folder.path(), None);
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                let file = open(&settings).unwrap();
                file.change("", |keys| keys.with_next(change::fresh(&SystemEntropy))).unwrap();
            });
        }
    });
    let numbers: Vec<_> = open(&settings).unwrap().keys().all().map(|key| key.number).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn a_file_behind_a_link_is_changed_where_it_lies() {
    let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (link, file) = (folder.path().join("link"), elsewhere.path().join("key"));
    std::fs::write(&file, STANDARD.encode([7; 32])).unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    let ring = open(&settings(folder.path(), Some(&link))).unwrap();
    ring.change("", |keys| keys.with_next(Secret::new([8; 32]))).unwrap();
    assert!(link.is_symlink());
    assert_eq!(std::fs::read_to_string(&file).unwrap().lines().count(), 2);
}
