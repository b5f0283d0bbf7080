//! The files of records: how they are named, completed, read and removed.
//!
//! While a call is on there are `ID.wav.part` and `ID.turns`. A record is complete as soon as
//! `ID.done` is there, which is the text under its last name; `ID.wav` beside it is the sound.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use domain::ids::CallId;
use domain::ports::CompleteRecord;

use super::line::{FIRST, Told};
use crate::wav::{Channels, WavFile};

/// The folder of records, and the names in it.
#[derive(Clone, Debug)]
pub(super) struct Files {
    folder: PathBuf,
}

/// Names of a record's files, in the order in which they are removed: as long as there is text under
/// its last name the record is complete, and nothing less is taken for it.
const PART: &str = "wav.part";
const SOUND: &str = "wav";
const TURNS: &str = "turns";
const DONE: &str = "done";
const NAMES: [&str; 4] = [PART, SOUND, TURNS, DONE];

/// Text that is read of one record, in bytes: more than is ever written.
const MOST_READ: u64 = 32 * 1024 * 1024;

/// Why files are put aside.
#[derive(Clone, Copy, Debug)]
pub(super) enum Aside {
    /// They cannot be read.
    Broken,
    /// Nobody knows their call.
    Orphan,
}

impl Files {
    /// Makes the folder when there is none; nobody else may look into it, or open what lies there.
    pub(super) fn open(folder: &Path) -> io::Result<Self> {
        private_files::make_private(folder)?;
        private_files::restrict(folder)?;
        Ok(Self { folder: folder.to_owned() })
    }

    fn path(&self, call: CallId, name: &str) -> PathBuf {
        self.folder.join(format!("{call}.{name}"))
    }

    /// The calls that there are files of, oldest first.
    pub(super) fn calls(&self) -> io::Result<Vec<CallId>> {
        let mut calls = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let name = entry?.file_name();
            let split = name.to_str().and_then(|name| name.split_once('.'));
            if let Some((call, rest)) = split
                && let Some(call) = CallId::parse(call)
                && NAMES.contains(&rest)
            {
                calls.push(call);
            }
        }
        calls.sort_unstable();
        calls.dedup();
        Ok(calls)
    }

    /// Begins the sound of a call.
    pub(super) fn begin_sound(&self, call: CallId) -> io::Result<WavFile> {
        WavFile::begin(begin(&self.path(call, PART))?, Channels::Stereo)
    }

    /// Begins the text of a call; its first line is still to be written.
    pub(super) fn begin_turns(&self, call: CallId) -> io::Result<File> {
        begin(&self.path(call, TURNS))
    }

    /// Completes a record from what there is, however far it had come: again changes nothing.
    pub(super) fn complete(&self, call: CallId) -> io::Result<()> {
        let (turns, done) = (self.path(call, TURNS), self.path(call, DONE));
        self.complete_sound(call)?;
        if exists(&done)? {
            return Ok(());
        }
        let text = open(&turns)?;
        if text.metadata()?.len() == 0 {
            let mut first = Vec::new();
            FIRST.write(&mut first);
            (&text).write_all(&first)?;
        }
        text.sync_all()?;
        fs::rename(turns, done)?;
        // The names must survive too.
        File::open(&self.folder)?.sync_all()
    }

    fn complete_sound(&self, call: CallId) -> io::Result<()> {
        let part = self.path(call, PART);
        if !exists(&part)? {
            return Ok(());
        }
        match WavFile::resume(OpenOptions::new().read(true).write(true).open(&part)?, Channels::Stereo)? {
            Some(sound) if sound.bytes() > 0 => {
                sound.sync()?;
                fs::rename(part, self.path(call, SOUND))
            }
            None if fs::metadata(&part)?.len() > 0 => {
                tracing::error!(%call, "a recording cannot be read, and is put aside");
                fs::rename(&part, aside(&part, Aside::Broken))
            }
            // It holds no sound.
            _ => fs::remove_file(part),
        }
    }

    /// Reads a record.
    pub(super) fn read(&self, call: CallId) -> io::Result<CompleteRecord> {
        Ok(self.record(call, self.told(call)?))
    }

    /// Reads what there is of a record's text.
    pub(super) fn told(&self, call: CallId) -> io::Result<Told> {
        let file = match File::open(self.path(call, DONE)) {
            Err(error) if is_missing(&error) => File::open(self.path(call, TURNS))?,
            file => file?,
        };
        let mut text = Vec::new();
        file.take(MOST_READ).read_to_end(&mut text)?;
        let told = Told::read(&text).map_err(|not| io::Error::new(ErrorKind::InvalidData, not))?;
        if told.unread > 0 {
            tracing::error!(%call, lines = told.unread, "a part of a transcript is damaged and left out");
        }
        Ok(told)
    }

    /// A record of what was told, with the sound that there is.
    pub(super) fn record(&self, call: CallId, told: Told) -> CompleteRecord {
        CompleteRecord { call, sound: self.sound(call), transcript: told.transcript, facts: told.facts }
    }

    /// The sound that there is.
    pub(super) fn sound(&self, call: CallId) -> Option<PathBuf> {
        [SOUND, PART].map(|name| self.path(call, name)).into_iter().find(|path| path.is_file())
    }

    /// Removes a record's files.
    pub(super) fn remove(&self, call: CallId) -> io::Result<()> {
        self.each(call, |path| fs::remove_file(path))
    }

    /// Gives a record's files names under which they are left alone.
    pub(super) fn put_aside(&self, call: CallId, why: Aside) -> io::Result<()> {
        self.each(call, |path| fs::rename(path, aside(path, why)))
    }

    fn each(&self, call: CallId, work: impl Fn(&Path) -> io::Result<()>) -> io::Result<()> {
        for name in NAMES {
            match work(&self.path(call, name)) {
                Err(error) if !is_missing(&error) => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }
}

/// An empty file that only we may read: it is confidential.
fn begin(path: &Path) -> io::Result<File> {
    private_files::options().read(true).write(true).create(true).truncate(true).open(path)
}

/// The file as it is, empty when there is none.
fn open(path: &Path) -> io::Result<File> {
    private_files::options().read(true).write(true).create(true).truncate(false).open(path)
}

fn aside(path: &Path, why: Aside) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(match why {
        Aside::Broken => ".broken",
        Aside::Orphan => ".orphan",
    });
    name.into()
}

fn exists(path: &Path) -> io::Result<bool> {
    // What a link leads to does not matter: its name is taken.
    match fs::symlink_metadata(path) {
        Ok(_) => Ok(true),
        Err(error) if is_missing(&error) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether a record that was read so will never be read any better.
pub(super) fn is_broken(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::InvalidData | ErrorKind::IsADirectory | ErrorKind::NotFound)
}

fn is_missing(error: &io::Error) -> bool {
    error.kind() == ErrorKind::NotFound
}
