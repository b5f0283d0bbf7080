//! One call's record while it is written, on the disk thread.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use domain::audio::{AudioFormat, FRAME_BYTES};
use domain::ids::CallId;

use super::files::Files;
use super::intake::{Beat, Gathered, Intake};
use super::line::{FIRST, Line};
use crate::codec::{Decoder, NARROW};
use crate::wav::WavFile;

/// Bytes of 20 ms: two sides of 16 bits.
const BEAT_BYTES: usize = 4 * FRAME_BYTES;
/// The header tells what was added about once a second.
const TELL_AFTER: u64 = 32_000;
/// Text that one call may leave, in bytes: some hundred pages.
const MOST_TEXT: usize = 4 * 1024 * 1024;
/// Silence is written in pieces of a second.
static SILENCE: [u8; 50 * BEAT_BYTES] = [0; 50 * BEAT_BYTES];

/// The decoders of both directions.
struct Sides {
    heard: Decoder,
    played: Decoder,
}

/// The sound of a call.
enum Sound {
    /// It is not kept.
    Unkept,
    /// Its file is to be made.
    Wanted(AudioFormat),
    /// It is being written.
    Written(Sides, WavFile),
    /// The disk refused: it ends here.
    Ended,
}

/// A call's files.
pub(super) struct Tape {
    call: CallId,
    intake: Arc<Intake>,
    files: Files,
    sound: Sound,
    turns: Option<File>,
    turns_bytes: u64,
    /// Lines that the disk has not taken; they are tried again.
    unwritten: Vec<Line>,
    /// All lines, about.
    text: usize,
    refused: bool,
    lost_beats: u64,
    lost_lines: u32,
}

impl Tape {
    pub(super) fn new(files: Files, call: CallId, intake: Arc<Intake>, format: Option<AudioFormat>) -> Self {
        Self {
            call,
            intake,
            files,
            sound: format.map_or(Sound::Unkept, Sound::Wanted),
            turns: None,
            turns_bytes: 0,
            unwritten: vec![FIRST],
            text: 0,
            refused: false,
            lost_beats: 0,
            lost_lines: 0,
        }
    }

    /// Writes what has gathered; true when that was the end of the call.
    pub(super) fn write(&mut self, spare: &mut Gathered, bytes: &mut Vec<u8>, hurry: bool) -> bool {
        if !self.intake.take(spare, hurry) {
            return false;
        }
        self.write_lines(spare, bytes);
        self.write_sound(spare, bytes);
        spare.ended
    }

    /// The call, and the lines that could not be written.
    pub(super) fn end(mut self) -> (CallId, Vec<Line>) {
        if let Sound::Written(_, file) = &mut self.sound
            && let Err(error) = file.tell()
        {
            // Its length still tells what there is.
            tracing::warn!(call = %self.call, %error, "the header of a recording could not be written");
        }
        if self.lost_beats > 0 || self.lost_lines > 0 {
            let lost_ms = self.lost_beats * 20;
            tracing::warn!(
                call = %self.call, lost_ms, lost_turns = self.lost_lines,
                "the disk was too slow for a call: what it lost is silence in the recording"
            );
        }
        (self.call, self.unwritten)
    }

    fn write_lines(&mut self, gathered: &mut Gathered, bytes: &mut Vec<u8>) {
        self.lost_lines += gathered.lost_lines;
        for line in gathered.lines.drain(..) {
            if self.text + line.size() > MOST_TEXT {
                self.lost_lines += 1;
            } else {
                self.text += line.size();
                self.unwritten.push(line);
            }
        }
        if self.unwritten.is_empty() {
            return;
        }
        bytes.clear();
        self.unwritten.iter().for_each(|line| line.write(bytes));
        match self.append_turns(bytes) {
            Ok(()) => self.unwritten.clear(),
            Err(error) => self.refuse(&error, "a transcript cannot be written; it is kept in memory"),
        }
    }

    fn append_turns(&mut self, bytes: &[u8]) -> io::Result<()> {
        let file = match &self.turns {
            Some(file) => file,
            None => self.turns.insert(self.files.begin_turns(self.call)?),
        };
        if let Err(error) = file.write_all_at(bytes, self.turns_bytes) {
            // Nothing stays behind the last whole line; what does is written over, or cut off when read.
            let _ = file.set_len(self.turns_bytes);
            return Err(error);
        }
        self.turns_bytes += u64::try_from(bytes.len()).unwrap_or(0);
        Ok(())
    }

    fn write_sound(&mut self, gathered: &Gathered, bytes: &mut Vec<u8>) {
        let written = match &mut self.sound {
            Sound::Unkept | Sound::Ended => return,
            Sound::Wanted(format) => {
                let mut sides = Sides { heard: Decoder::new(*format), played: Decoder::of_ours(*format) };
                self.files.begin_sound(self.call).and_then(|mut file| {
                    let written = write_beats(&mut file, &mut sides, gathered, bytes);
                    self.sound = Sound::Written(sides, file);
                    written
                })
            }
            Sound::Written(sides, file) => write_beats(file, sides, gathered, bytes),
        };
        self.lost_beats += gathered.lost_beats;
        if let Err(error) = written {
            if let Sound::Written(_, file) = &mut self.sound {
                // What a failed write left is cut off; if not even that works, its length is the truth.
                let _ = file.cut();
            }
            self.sound = Sound::Ended;
            self.refuse(&error, "a recording cannot be written; it ends here");
        }
    }

    /// Tells of it, once a call.
    fn refuse(&mut self, error: &io::Error, what: &'static str) {
        if !std::mem::replace(&mut self.refused, true) {
            tracing::error!(call = %self.call, %error, "{what}");
        }
    }
}

fn write_beats(
    file: &mut WavFile,
    sides: &mut Sides,
    gathered: &Gathered,
    bytes: &mut Vec<u8>,
) -> io::Result<()> {
    bytes.clear();
    for Beat { heard, played } in &gathered.beats {
        let [left, right] = [(heard, &mut sides.heard), (played, &mut sides.played)]
            .map(|(frame, decoder)| frame.as_ref().map_or([0; NARROW], |frame| decoder.decode_narrow(frame)));
        for (left, right) in left.into_iter().zip(right) {
            bytes.extend(left.to_le_bytes());
            bytes.extend(right.to_le_bytes());
        }
    }
    file.append(bytes)?;
    let mut lost = gathered.lost_beats;
    while lost > 0 {
        let now = lost.min(50);
        let length = usize::try_from(now).unwrap_or(0) * BEAT_BYTES;
        file.append(SILENCE.get(..length).unwrap_or(&SILENCE))?;
        lost -= now;
    }
    if file.untold() >= TELL_AFTER { file.tell() } else { Ok(()) }
}

#[cfg(test)]
#[path = "tape_tests.rs"]
mod tests;
