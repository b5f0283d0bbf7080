//! What the double hears and how it speaks.

use std::io::Cursor;

use domain::assistant::Language;
use parking_lot::Mutex;

/// A turn that was sent to be written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heard {
    /// Samples a second.
    pub rate: u32,
    /// The samples.
    pub samples: Vec<i16>,
    /// The language that was named, if any.
    pub language: Option<String>,
}

/// Reads a WAV file of one channel and 16 bits; what is wrong with it is told.
pub(crate) fn read_wav(file: &[u8], language: Option<String>) -> Result<Heard, String> {
    let mut reader = hound::WavReader::new(Cursor::new(file)).map_err(|error| error.to_string())?;
    let spec = reader.spec();
    if (spec.channels, spec.bits_per_sample, spec.sample_format) != (1, 16, hound::SampleFormat::Int) {
        return Err(format!("not one channel of 16 bits: {spec:?}"));
    }
    let samples: Result<Vec<i16>, _> = reader.samples().collect();
    let samples = samples.map_err(|error| error.to_string())?;
    if file.len() != samples.len() * 2 + 44 {
        return Err("the file's length is not that of its head".to_owned());
    }
    if samples.len() < usize::try_from(spec.sample_rate / 10).unwrap_or(0) {
        return Err("Audio file is too short. Minimum audio length is 0.1 seconds.".to_owned());
    }
    Ok(Heard { rate: spec.sample_rate, samples, language })
}

/// The tone, in Hz, that stands for a text: one of 20 between 300 and 2200.
pub fn pitch(text: &str) -> u32 {
    let sum = text.bytes().fold(0_u32, |sum, byte| (sum * 31 + u32::from(byte)) % 9973);
    300 + sum % 20 * 100
}

static PICO: Mutex<()> = Mutex::new(());

/// How the double sounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Voice {
    /// A text is a tone of 10 ms for each of its characters, at its [`pitch`].
    Tones,
    /// Pico reads in this language.
    Pico(Language),
}

/// A text at 24,000 samples a second, the low byte first.
pub(crate) async fn speak(voice: Voice, text: &str) -> Vec<u8> {
    let samples = match voice {
        Voice::Tones => tone(pitch(text), text.chars().count() * 240),
        Voice::Pico(language) => {
            let text = text.to_owned();
            // It takes tens of milliseconds, and Pico is asked for one text at a time.
            let said = tokio::task::spawn_blocking(move || {
                let _turn = PICO.lock();
                speech::child::say(language, &text)
            });
            upsampled(&said.await.expect("a voice that does not panic").expect("Pico speaks"))
        }
    };
    samples.into_iter().flat_map(i16::to_le_bytes).collect()
}

#[expect(clippy::as_conversions, clippy::cast_possible_truncation, reason = "a test makes its own tones")]
fn tone(hertz: u32, length: usize) -> Vec<i16> {
    let step = std::f64::consts::TAU * f64::from(hertz) / 24_000.0;
    let mut phase = 0.0;
    (0..length)
        .map(|_| {
            phase += step;
            (8_000.0 * f64::sin(phase)) as i16
        })
        .collect()
}

/// Three samples for each, in a straight line: what it adds lies above what a telephone carries.
fn upsampled(samples: &[i16]) -> Vec<i16> {
    let mut last = 0;
    let mut out = Vec::with_capacity(samples.len() * 3);
    for sample in samples.iter().map(|sample| i32::from(*sample)) {
        for third in 1..=3 {
            out.push(i16::try_from(last + (sample - last) * third / 3).unwrap_or(0));
        }
        last = sample;
    }
    out
}
