//! `audio/transcriptions`: what was said in a turn.

use domain::assistant::Language;
use domain::audio::AudioFormat;
use serde::Deserialize;

use super::wav::wav;
use crate::provider::{Fault, Form, Patience, Service};
use crate::sound::{ToProvider, WireFormat};

/// Samples a second of what is sent: those of the call, as more would hold nothing more.
const RATE: u32 = 8_000;
/// Providers refuse less than a tenth of a second, and nobody says a word in it; in bytes.
const SHORTEST: usize = 1_600;
/// The longest answer, in bytes: of a minute of speech, many times over.
const LONGEST_ANSWER: usize = 64 * 1024;

/// Writes down what callees say.
#[derive(Clone, Debug)]
pub(crate) struct Transcription {
    service: Service,
    language: Language,
}

#[derive(Deserialize)]
struct Transcript {
    text: String,
}

impl Transcription {
    pub(crate) const fn new(service: Service, language: Language) -> Self {
        Self { service, language }
    }

    /// The words in the call's sound; empty when there are none.
    pub(crate) async fn write_down(self, format: AudioFormat, sound: Vec<u8>) -> Result<String, Fault> {
        let mut samples = Vec::with_capacity(sound.len() * 2);
        ToProvider::new(format, WireFormat::Pcm { rate: RATE })
            .map_err(|_| Fault::Malformed("the call's sound cannot be sent"))?
            .push(&sound, &mut samples);
        if samples.len() < SHORTEST {
            return Ok(String::new());
        }
        let tag = self.language.as_str();
        let (kind, body) = Form::default()
            .text("model", self.service.model())
            .text("language", tag.split('-').next().unwrap_or(tag))
            .text("response_format", "json")
            .file("file", "turn.wav", "audio/wav", &wav(RATE, &samples))
            .finish();
        let mut patience = Patience::default();
        loop {
            let answer = async {
                let mut reply = self.service.post(&kind, body.clone(), "application/json").await?;
                reply.all(LONGEST_ANSWER).await
            };
            match answer.await {
                Ok(answer) => {
                    let transcript: Transcript = serde_json::from_slice(&answer)
                        .map_err(|_| Fault::Malformed("the answer is no transcription"))?;
                    return Ok(transcript.text.trim().to_owned());
                }
                Err(fault) => patience.wait(fault).await?,
            }
        }
    }
}
