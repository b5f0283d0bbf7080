//! Spoken lines, kept up to a number of bytes; the one unused for longest goes first.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use domain::audio::{Encoded, FRAME_BYTES};
use domain::ports::Line;

/// What an entry costs beside its audio and its words, roughly.
const OVERHEAD: usize = 256;

#[derive(Debug)]
pub(crate) struct Cache {
    limit: usize,
    bytes: usize,
    entries: HashMap<Arc<Line>, Entry>,
    /// The lines by when they were used last.
    by_use: BTreeMap<u64, Arc<Line>>,
    uses: u64,
}

#[derive(Debug)]
struct Entry {
    audio: Encoded,
    bytes: usize,
    used: u64,
}

impl Cache {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, bytes: 0, entries: HashMap::new(), by_use: BTreeMap::new(), uses: 0 }
    }

    pub(crate) fn get(&mut self, line: &Line) -> Option<Encoded> {
        let entry = self.entries.get_mut(line)?;
        let key = self.by_use.remove(&entry.used)?;
        self.uses += 1;
        entry.used = self.uses;
        self.by_use.insert(self.uses, key);
        Some(entry.audio.clone())
    }

    /// Keeps a line, unless it alone is too big.
    pub(crate) fn put(&mut self, line: Arc<Line>, audio: Encoded) {
        let bytes = audio.frames.len() * FRAME_BYTES + line.text.len() + OVERHEAD;
        if bytes > self.limit {
            return;
        }
        self.remove(&line);
        while self.bytes + bytes > self.limit {
            let Some(oldest) = self.by_use.first_key_value().map(|(_, line)| Arc::clone(line)) else { break };
            self.remove(&oldest);
        }
        self.uses += 1;
        self.bytes += bytes;
        self.by_use.insert(self.uses, Arc::clone(&line));
        self.entries.insert(line, Entry { audio, bytes, used: self.uses });
    }

    fn remove(&mut self, line: &Line) {
        if let Some(entry) = self.entries.remove(line) {
            self.by_use.remove(&entry.used);
            self.bytes -= entry.bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::assistant::Language;
    use domain::audio::AudioFormat;

    use super::*;

    fn line(text: &str) -> Arc<Line> {
        Arc::new(Line { language: Language::German, text: text.into(), format: AudioFormat::Pcma })
    }

    fn audio(frames: usize) -> Encoded {
        Encoded { format: AudioFormat::Pcma, frames: vec![[0; FRAME_BYTES]; frames].into() }
    }

    #[test]
    fn the_line_unused_for_longest_goes_first_and_the_limit_holds() {
        let mut cache = Cache::new(3 * (10 * FRAME_BYTES + 1 + OVERHEAD));
        for text in ["a", "b", "c"] {
            cache.put(line(text), audio(10));
        }
        assert!(cache.get(&line("a")).is_some());
        cache.put(line("d"), audio(10));
        let kept = ["a", "b", "c", "d"].map(|text| cache.get(&line(text)).is_some());
        assert_eq!(kept, [true, false, true, true]);
        cache.put(line("d"), audio(10));
        assert_eq!((cache.bytes, cache.by_use.len()), (cache.limit, 3), "putting again costs nothing");
        cache.put(line("e"), audio(1000));
        assert!(cache.get(&line("e")).is_none(), "it alone is too big");
        assert_eq!(cache.entries.len(), 3);
        cache.put(line("f"), audio(29));
        assert_eq!(cache.entries.len(), 1);
    }

    #[test]
    fn voice_words_and_codec_make_a_line() {
        let mut cache = Cache::new(1 << 20);
        cache.put(line("a"), audio(1));
        assert!(cache.get(&Line { format: AudioFormat::Pcmu, ..(*line("a")).clone() }).is_none());
        assert!(cache.get(&Line { language: Language::Italian, ..(*line("a")).clone() }).is_none());
        assert!(cache.get(&line("A")).is_none());
        assert!(cache.get(&line("a")).is_some());
    }
}
