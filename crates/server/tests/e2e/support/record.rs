//! What a finished call left behind, as its customer fetches it.

use std::io::Cursor;
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use super::Desk;
use super::installation::{Installation, PATIENCE, client};

/// Samples a second.
pub const RATE: usize = 8_000;

/// Samples of a moment that is looked at: 20 ms.
const MOMENT: usize = RATE / 50;

/// A stereo recording.
pub struct Recording {
    /// The callee.
    pub left: Vec<i16>,
    /// The assistant.
    pub right: Vec<i16>,
}

/// A line of a transcript.
#[derive(Debug, PartialEq, Eq)]
pub struct Turn {
    pub at: Duration,
    pub who: String,
    pub text: String,
}

impl Recording {
    /// Reads a WAV file, which has to be whole: its header tells its true length.
    pub fn read(file: &[u8]) -> Self {
        let mut reader = hound::WavReader::new(Cursor::new(file)).unwrap();
        let spec = reader.spec();
        assert_eq!((spec.channels, spec.sample_rate, spec.bits_per_sample), (2, 8_000, 16));
        let samples: Vec<i16> = reader.samples().map(Result::unwrap).collect();
        assert_eq!(file.len(), 44 + samples.len() * 2);
        let (left, right) = samples.chunks_exact(2).map(|pair| (pair[0], pair[1])).unzip();
        Self { left, right }
    }

    /// Its length.
    pub fn length(&self) -> Duration {
        Duration::from_secs_f64(self.left.len() as f64 / RATE as f64)
    }
}

/// In which moments of a side there is sound: above -40 dBFS.
pub fn sounds(side: &[i16]) -> Vec<bool> {
    let power = |moment: &[i16]| {
        moment.iter().map(|sample| f64::from(*sample).powi(2)).sum::<f64>() / moment.len() as f64
    };
    side.chunks(MOMENT).map(|moment| power(moment) > 328.0 * 328.0).collect()
}

/// Reads a transcript: `[mm:ss] Who: text`.
pub fn turns(transcript: &str) -> Vec<Turn> {
    let turn = |line: &str| {
        let (at, rest) = line.strip_prefix('[').unwrap().split_once("] ").unwrap();
        let (minutes, seconds) = at.split_once(':').unwrap();
        let seconds = minutes.parse::<u64>().unwrap() * 60 + seconds.parse::<u64>().unwrap();
        let (who, text) = rest.split_once(": ").unwrap();
        Turn { at: Duration::from_secs(seconds), who: who.to_owned(), text: text.to_owned() }
    };
    transcript.lines().map(turn).collect()
}

/// Fetches what an address leads to, without a key.
pub async fn fetch(address: &Value) -> Vec<u8> {
    let answer = client().get(address.as_str().expect("an address")).send().await.unwrap();
    assert_eq!(answer.status(), 200, "{address}");
    answer.bytes().await.unwrap().to_vec()
}

impl Desk {
    /// Waits until a call's record holds a transcript and summaries, and a recording too if it is to.
    pub async fn complete_record(&self, call: &str, sound: bool) -> Value {
        let written = ["transcriptUrl", "callSummary", "callSummaryFr", "recordingUrl"];
        self.record_with(call, if sound { &written } else { &written[..3] }).await
    }

    /// Waits until a call's record holds summaries.
    pub async fn summarized(&self, call: &str) -> Value {
        self.record_with(call, &["callSummary", "callSummaryFr"]).await
    }

    async fn record_with(&self, call: &str, fields: &[&str]) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let record = self.record(call).await;
            if fields.iter().all(|field| record[field].is_string()) {
                return record;
            }
            assert!(Instant::now() < deadline, "the record lacks {fields:?}: {record}");
            // The rate limit counts these questions too: 600 without a minute's pause.
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// The sound of a complete record.
    pub async fn recording(&self, record: &Value) -> Recording {
        Recording::read(&fetch(&record["recordingUrl"]).await)
    }

    /// The turns of a complete record.
    pub async fn transcript(&self, record: &Value) -> Vec<Turn> {
        turns(&String::from_utf8(fetch(&record["transcriptUrl"]).await).unwrap())
    }
}

impl Installation {
    /// Waits until no record is left on the machine.
    pub async fn keeps_no_records(&self) {
        let folder = self.data().join("records");
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
            if left.is_empty() {
                return;
            }
            assert!(Instant::now() < deadline, "left behind: {left:?}\n{}", self.log());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Waits until the sound that was written of the only call is so long.
    pub async fn has_recorded(&self, length: Duration) {
        let folder = self.data().join("records");
        let bytes = u64::try_from(length.as_millis()).unwrap() * 32;
        let deadline = Instant::now() + PATIENCE;
        let written = || {
            let entries = folder.read_dir().unwrap().map(Result::unwrap);
            let mut sounds =
                entries.filter(|entry| entry.file_name().to_string_lossy().ends_with(".wav.part"));
            sounds.next().map_or(0, |sound| sound.metadata().unwrap().len())
        };
        while written() < bytes {
            assert!(Instant::now() < deadline, "too little is recorded:\n{}", self.log());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}
