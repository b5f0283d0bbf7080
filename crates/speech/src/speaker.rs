//! Speech as the application sees it: lines in, audio out, each spoken once.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use domain::audio::Encoded;
use domain::ports::{Line, Speech, SpeechError};
use parking_lot::Mutex;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use crate::cache::Cache;
use crate::encoding::{encode, is_wideband};
use crate::process::{Failure, Process};
use crate::words;

/// How long a line may take, from asking to audio.
const LINE_DEADLINE: Duration = Duration::from_secs(10);
/// How many lines may wait to be spoken.
const WAITING_LINES: usize = 1024;
/// The longest line, in characters: some ten minutes of speech.
const LONGEST_LINE: usize = 10_000;

/// Samples up to this are silence.
const SILENT: u16 = 50;
/// The silence kept at the end of a line: 100 ms at 8,000 samples a second.
const TAIL: usize = 800;

/// How built-in speech runs.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The program that speaks: one that calls [`crate::child::run`].
    pub program: PathBuf,
    /// What makes it do so, e.g. `speak`.
    pub args: Vec<String>,
    /// How many such processes may run at once; at least one does when needed.
    pub processes: usize,
    /// How many bytes of spoken lines are kept; 8,000 a second and line.
    pub cache_bytes: usize,
}

/// Pico's voices, spoken by child processes that are started when the first line is asked for.
/// When it is dropped, they end.
#[derive(Debug)]
pub struct PicoSpeech {
    lines: Arc<Lines>,
    queue: mpsc::Sender<Arc<Line>>,
}

type Spoken = Result<Encoded, Failure>;

/// The lines that were spoken, and who waits for those that are being spoken.
#[derive(Debug)]
struct Lines {
    cache: Mutex<Cache>,
    waiting: Mutex<HashMap<Arc<Line>, Vec<oneshot::Sender<Spoken>>>>,
}

impl PicoSpeech {
    /// Makes ready to speak; to be called within a tokio runtime, which does the waiting.
    pub fn start(settings: &Settings) -> Arc<Self> {
        let (queue, lines_to_speak) = mpsc::channel(WAITING_LINES);
        let cache = Mutex::new(Cache::new(settings.cache_bytes));
        let lines = Arc::new(Lines { cache, waiting: Mutex::default() });
        let lines_to_speak = Arc::new(tokio::sync::Mutex::new(lines_to_speak));
        for _ in 0..settings.processes.max(1) {
            let process = Process::new(settings.program.clone(), settings.args.clone());
            tokio::spawn(speak_lines(process, Arc::clone(&lines_to_speak), Arc::clone(&lines)));
        }
        Arc::new(Self { lines, queue })
    }

    async fn spoken(&self, mut line: Line) -> Spoken {
        line.text = words::speakable(&line.text);
        if line.text.chars().count() > LONGEST_LINE {
            return Err(Failure::TooLong);
        }
        if line.text.is_empty() {
            return Ok(encode(&[], line.format));
        }
        let (sender, spoken) = oneshot::channel();
        let line = Arc::new(line);
        if let Some(audio) = self.ask(&line, sender)? {
            return Ok(audio);
        }
        if let Ok(spoken) = timeout(LINE_DEADLINE, spoken).await {
            return spoken.unwrap_or(Err(Failure::Broken));
        }
        let mut waiting = self.lines.waiting.lock();
        if let Some(senders) = waiting.get_mut(&line) {
            senders.retain(|sender| !sender.is_closed());
            // Nobody waits any more: whoever asks next starts over.
            if senders.is_empty() {
                waiting.remove(&line);
            }
        }
        Err(Failure::Late)
    }

    /// The line's audio if it is kept; else the sender waits, and the first to do so queues it.
    fn ask(&self, line: &Arc<Line>, sender: oneshot::Sender<Spoken>) -> Result<Option<Encoded>, Failure> {
        // Held over the look into the cache: a line that is just settled is in one or the other.
        let mut waiting = self.lines.waiting.lock();
        if let Some(audio) = self.lines.cache.lock().get(line) {
            return Ok(Some(audio));
        }
        if let Some(others) = waiting.get_mut(line) {
            others.push(sender);
            return Ok(None);
        }
        self.queue.try_send(Arc::clone(line)).map_err(|_| Failure::Busy)?;
        waiting.insert(Arc::clone(line), vec![sender]);
        Ok(None)
    }
}

#[async_trait]
impl Speech for PicoSpeech {
    async fn say(&self, line: Line) -> Result<Encoded, SpeechError> {
        self.spoken(line).await.map_err(|failure| SpeechError(Box::new(failure)))
    }
}

/// Speaks the lines of the queue, one after the other, until [`PicoSpeech`] is dropped.
async fn speak_lines(
    mut process: Process,
    queue: Arc<tokio::sync::Mutex<mpsc::Receiver<Arc<Line>>>>,
    lines: Arc<Lines>,
) {
    loop {
        let next = queue.lock().await.recv().await;
        let Some(line) = next else { return };
        let spoken = speak(&mut process, &line).await;
        lines.settle(line, &spoken);
    }
}

async fn speak(process: &mut Process, line: &Line) -> Spoken {
    let (mut samples, wideband) = (Vec::new(), is_wideband(line.format));
    for piece in words::pieces(&line.text) {
        samples.extend(process.speak(line.language, wideband, piece).await?);
    }
    let tail = if wideband { 2 * TAIL } else { TAIL };
    Ok(encode(without_tail(&samples, tail), line.format))
}

/// The samples without most of the silence after the last sound: Pico adds half a second or more,
/// in which the callee would answer already.
fn without_tail(samples: &[i16], tail: usize) -> &[i16] {
    let sounds = samples.iter().rposition(|sample| sample.unsigned_abs() > SILENT).map_or(0, |last| last + 1);
    samples.get(..sounds + tail).unwrap_or(samples)
}

impl Lines {
    /// Keeps a spoken line and tells everyone who waits for it.
    fn settle(&self, line: Arc<Line>, spoken: &Spoken) {
        let mut waiting = self.waiting.lock();
        let senders = waiting.remove(&line).unwrap_or_default();
        if let Ok(audio) = spoken {
            self.cache.lock().put(line, audio.clone());
        }
        drop(waiting);
        for sender in senders {
            // Who no longer waits is not told.
            drop(sender.send(spoken.clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_ends_100_ms_after_its_last_sound() {
        let line = [[51_i16; 1000], [-SILENT.cast_signed(); 1000], [0; 1000]].concat();
        assert_eq!(without_tail(&line, TAIL).len(), 1800);
        assert_eq!(without_tail(&line[..1500], TAIL).len(), 1500);
        assert_eq!(without_tail(&[], TAIL), [0_i16; 0]);
    }
}
