//! What a phone can say: words, tones, noise and files, made ready in the encodings of the phone.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use domain::assistant::Language;
use domain::audio::{AudioFormat, Encoded, Frame};
use domain::ports::{Line, Speech, SpeechError};
use media::codec::{Decoder, Encoder};
use media::wav;

use crate::performance::Spoken;

/// Samples a second of everything on a telephone line.
pub(crate) const SAMPLE_RATE: u32 = 8_000;
/// Level of tones and noise: a quarter of full scale, −12 dBFS at the peak.
const AMPLITUDE: f64 = 8_192.0;

/// Something audible.
#[derive(Clone, Debug, PartialEq)]
pub enum Sound {
    /// Words, by the [`Speech`] port.
    Text {
        /// The voice's language.
        language: Language,
        /// The words.
        text: String,
    },
    /// Audio that is encoded already; converted when the call agrees on the other law.
    Encoded(Encoded),
    /// A sine tone.
    Tone {
        /// Its frequency, 1–3,999 Hz.
        hertz: u16,
        /// Its length.
        length: Duration,
    },
    /// White noise, the same each time.
    Noise {
        /// Its length.
        length: Duration,
    },
    /// A WAV file: 8,000 samples a second of 16 bits; of two channels the first is taken.
    Wav(PathBuf),
}

/// A sound could not be made ready.
#[derive(Debug, thiserror::Error)]
pub enum Unsayable {
    /// The phone was given no speech.
    #[error("no speech is available to say {0:?}")]
    NoSpeech(String),
    /// The speech failed.
    #[error("cannot say {text:?}")]
    Speech {
        /// The words.
        text: String,
        /// Why.
        #[source]
        cause: SpeechError,
    },
    /// The file cannot be used.
    #[error("cannot play {}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        cause: wav::WavError,
    },
}

impl fmt::Display for Sound {
    /// As the script has it, for people.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text { text, .. } => write!(f, "{text:?}"),
            Self::Encoded(encoded) => write!(f, "{:.1} s of audio", encoded.length().as_secs_f64()),
            Self::Tone { hertz, length } => write!(f, "{hertz} Hz for {:.1} s", length.as_secs_f64()),
            Self::Noise { length } => write!(f, "noise for {:.1} s", length.as_secs_f64()),
            Self::Wav(path) => write!(f, "{}", path.display()),
        }
    }
}

impl Sound {
    /// Makes it ready for calls in these formats.
    pub(crate) async fn ready(
        &self,
        formats: &[AudioFormat],
        speech: Option<&dyn Speech>,
    ) -> Result<Spoken, Unsayable> {
        let encoded = match self {
            Self::Text { language, text } => self::text(formats, speech, *language, text).await?,
            Self::Encoded(encoded) => formats.iter().map(|format| converted(encoded, *format)).collect(),
            Self::Tone { hertz, length } => encode(formats, &tone(*hertz, *length)),
            Self::Noise { length } => encode(formats, &noise(*length)),
            Self::Wav(path) => {
                let samples =
                    wav::read_samples(path).map_err(|cause| Unsayable::File { path: path.clone(), cause })?;
                encode(formats, &samples)
            }
        };
        Ok(Spoken { what: self.to_string().into(), encoded })
    }
}

async fn text(
    formats: &[AudioFormat],
    speech: Option<&dyn Speech>,
    language: Language,
    text: &str,
) -> Result<Vec<Encoded>, Unsayable> {
    let speech = speech.ok_or_else(|| Unsayable::NoSpeech(text.to_owned()))?;
    let mut spoken = Vec::with_capacity(formats.len());
    for format in formats {
        let line = Line { language, text: text.to_owned(), format: *format };
        let said = speech.say(line).await;
        spoken.push(said.map_err(|cause| Unsayable::Speech { text: text.to_owned(), cause })?);
    }
    Ok(spoken)
}

fn converted(encoded: &Encoded, format: AudioFormat) -> Encoded {
    if encoded.format == format {
        return encoded.clone();
    }
    let mut frames = encoded.frames.to_vec();
    convert(encoded.format, format, &mut frames);
    Encoded { format, frames: frames.into() }
}

/// Brings a stream's frames to another format.
pub(crate) fn convert(from: AudioFormat, to: AudioFormat, frames: &mut [Frame]) {
    let (mut decoder, mut encoder) = (Decoder::new(from), Encoder::new(to));
    for frame in frames {
        *frame = encoder.encode_narrow(&decoder.decode_narrow(frame));
    }
}

fn encode(formats: &[AudioFormat], samples: &[i16]) -> Vec<Encoded> {
    let encoded = |format: &AudioFormat| {
        let frames = Encoder::new(*format).encode_all(samples).into();
        Encoded { format: *format, frames }
    };
    formats.iter().map(encoded).collect()
}

fn samples_in(length: Duration) -> u32 {
    u32::try_from(length.as_millis() * u128::from(SAMPLE_RATE) / 1_000).unwrap_or(u32::MAX)
}

fn tone(hertz: u16, length: Duration) -> Vec<i16> {
    let step = std::f64::consts::TAU * f64::from(hertz) / f64::from(SAMPLE_RATE);
    (0..samples_in(length)).map(|index| sample(AMPLITUDE * (step * f64::from(index)).sin())).collect()
}

/// The tone that a caller hears while it rings: 425 Hz, one second in five (ITU-T E.180).
pub(crate) fn ringback(formats: &[AudioFormat]) -> Spoken {
    let mut samples = tone(425, Duration::from_secs(1));
    samples.resize(samples.len() * 5, 0);
    Spoken { what: "ringback".into(), encoded: encode(formats, &samples) }
}

/// Marsaglia's xorshift: white enough, and the same in every run.
fn noise(length: Duration) -> Vec<i16> {
    let mut state = 0x9E37_79B9_u32;
    (0..samples_in(length))
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            let [high, low, ..] = state.to_be_bytes();
            i16::from_be_bytes([high, low]) / 4
        })
        .collect()
}

#[expect(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    reason = "a float becomes an integer in no other way; this cast saturates"
)]
fn sample(value: f64) -> i16 {
    value.round() as i16
}

#[cfg(test)]
mod tests {
    use domain::audio::FRAME_BYTES;
    use media::g711;

    use super::*;

    const BOTH: [AudioFormat; 2] = [AudioFormat::Pcmu, AudioFormat::Pcma];

    #[tokio::test]
    async fn a_tone_lasts_whole_frames_in_both_encodings_and_is_as_loud_as_promised() {
        let spoken = Sound::Tone { hertz: 1_000, length: Duration::from_millis(110) }
            .ready(&BOTH, None)
            .await
            .unwrap();
        for format in [AudioFormat::Pcmu, AudioFormat::Pcma] {
            let frames = spoken.frames(format);
            assert_eq!(frames.len(), 6);
            let peak = frames.iter().flatten().map(|byte| g711::decode(format, *byte)).max().unwrap();
            assert!((7_900..8_500).contains(&peak), "{peak}");
            assert!(frames[5][80..].iter().all(|byte| *byte == format.silence()));
        }
    }

    #[tokio::test]
    async fn encoded_audio_is_converted_to_the_other_law() {
        let frames: std::sync::Arc<[Frame]> =
            vec![[g711::encode(AudioFormat::Pcmu, 4_000); FRAME_BYTES]].into();
        let sound = Sound::Encoded(Encoded { format: AudioFormat::Pcmu, frames: frames.clone() });
        let spoken = sound.ready(&BOTH, None).await.unwrap();
        assert_eq!(spoken.frames(AudioFormat::Pcmu).as_ptr(), frames.as_ptr());
        let sample = g711::decode(AudioFormat::Pcma, spoken.frames(AudioFormat::Pcma)[0][0]);
        assert!((3_700..4_300).contains(&sample), "{sample}");
    }

    #[tokio::test]
    async fn words_without_speech_are_an_error_that_names_them() {
        let text = Sound::Text { language: Language::French, text: "bonjour".into() };
        assert!(text.ready(&BOTH, None).await.unwrap_err().to_string().contains("bonjour"));
    }

    #[tokio::test]
    async fn a_file_that_is_missing_is_an_error_that_names_it() {
        let file = Sound::Wav("/nowhere/hello.wav".into());
        assert_eq!(file.ready(&BOTH, None).await.unwrap_err().to_string(), "cannot play /nowhere/hello.wav");
    }

    /// Says everything as one frame, in the format asked for.
    struct Parrot;

    #[async_trait::async_trait]
    impl Speech for Parrot {
        async fn say(&self, line: Line) -> Result<Encoded, SpeechError> {
            assert_eq!((line.language, line.text.as_str()), (Language::German, "guten Tag"));
            let frames = vec![[g711::encode(line.format, 1_000); FRAME_BYTES]].into();
            Ok(Encoded { format: line.format, frames })
        }
    }

    #[tokio::test]
    async fn words_are_spoken_once_for_each_encoding() {
        let text = Sound::Text { language: Language::German, text: "guten Tag".into() };
        let spoken = text.ready(&BOTH, Some(&Parrot)).await.unwrap();
        for format in [AudioFormat::Pcmu, AudioFormat::Pcma] {
            let sample = g711::decode(format, spoken.frames(format)[0][0]);
            assert!((950..1_050).contains(&sample), "{format:?}: {sample}");
        }
        assert_eq!(&*spoken.what, "\"guten Tag\"");
    }
}
