//! What is worked out of the sound that is heard: whether somebody speaks, and steady tones.

use domain::audio::{AudioFormat, Frame};
use domain::ports::Detects;

use crate::codec::{Decoder, WIDE};
use crate::tone::ToneDetector;
use crate::voice_activity::VoiceActivity;

/// What a frame is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Judgement {
    /// Whether somebody speaks in it.
    pub speech: bool,
    /// Whether it is part of one steady tone.
    pub tone: bool,
}

/// Listens to one stream, frame by frame.
#[derive(Debug)]
pub struct Listening {
    decoder: Option<Decoder>,
    voice: Option<VoiceActivity>,
    tones: Option<ToneDetector>,
}

impl Listening {
    /// Nothing was heard yet.
    pub fn new(detects: Detects) -> Self {
        let voice = detects.speech.then(VoiceActivity::new);
        Self { decoder: None, voice, tones: detects.tones.then(ToneDetector::new) }
    }

    /// Begins or ends to listen; what goes on keeps what it knows.
    pub(crate) fn change(&mut self, detects: Detects) {
        let fresh = Self::new(detects);
        self.voice = fresh.voice.map(|new| self.voice.take().unwrap_or(new));
        self.tones = fresh.tones.map(|new| self.tones.take().unwrap_or(new));
    }

    /// Judges the next frame; none is one that never came.
    pub fn hear(&mut self, format: AudioFormat, frame: Option<&Frame>) -> Judgement {
        if self.voice.is_none() && self.tones.is_none() {
            return Judgement::default();
        }
        // Another format is another stream.
        let decoder = self.decoder.take().filter(|decoder| decoder.format() == format);
        let decoder = self.decoder.insert(decoder.unwrap_or_else(|| Decoder::new(format)));
        let mut space = [0; WIDE];
        let samples = frame.map(|frame| decoder.decode(frame, &mut space));
        let rate = if format == AudioFormat::G722 { 16_000 } else { 8_000 };
        let speech = self.voice.as_mut().is_some_and(|voice| voice.hear(samples));
        let tone = self.tones.as_mut().is_some_and(|tones| tones.hear(samples, rate));
        Judgement { speech, tone }
    }
}
