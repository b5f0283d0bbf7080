//! Which formats a session really has: what the server echoes counts, never what was asked for.

use domain::audio::AudioFormat;
use serde::Deserialize;

use crate::sound::WireFormat;

/// The formats of both directions, as the server tells them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Echo {
    /// What it wants to hear; none when that is a format unknown here.
    pub(super) input: Option<WireFormat>,
    /// What it speaks; none when that is a format unknown here.
    pub(super) output: Option<WireFormat>,
}

/// The rate of `audio/pcm` when no other is told.
const PCM_RATE: u32 = 24_000;
/// What a rate may be: others would only be a mistake, or an attack on memory.
const RATES: std::ops::RangeInclusive<u32> = 8_000..=48_000;

/// The part of a session that tells its formats, in the shapes of today and of the beta.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct SessionShape {
    audio: Option<Audio>,
    input_audio_format: Option<String>,
    output_audio_format: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Audio {
    input: Option<Direction>,
    output: Option<Direction>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Direction {
    format: Option<Format>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Format {
    Named(String),
    Told {
        #[serde(rename = "type", default)]
        kind: String,
        rate: Option<u32>,
    },
}

impl From<SessionShape> for Echo {
    fn from(shape: SessionShape) -> Self {
        let audio = shape.audio.unwrap_or_default();
        let told = |direction: Option<Direction>, beta: Option<String>| {
            // A server that tells nothing has the protocol's default.
            direction
                .and_then(|direction| direction.format)
                .or(beta.map(Format::Named))
                .map_or(Some(WireFormat::Pcm { rate: PCM_RATE }), wire_format)
        };
        Self {
            input: told(audio.input, shape.input_audio_format),
            output: told(audio.output, shape.output_audio_format),
        }
    }
}

fn wire_format(format: Format) -> Option<WireFormat> {
    let (kind, rate) = match format {
        Format::Named(kind) => (kind, None),
        Format::Told { kind, rate } => (kind, rate),
    };
    match kind.as_str() {
        "audio/pcmu" | "g711_ulaw" => Some(WireFormat::G711(AudioFormat::Pcmu)),
        "audio/pcma" | "g711_alaw" => Some(WireFormat::G711(AudioFormat::Pcma)),
        "audio/pcm" | "pcm16" => {
            let rate = rate.unwrap_or(PCM_RATE);
            RATES.contains(&rate).then_some(WireFormat::Pcm { rate })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn echo(json: &str) -> Echo {
        serde_json::from_str::<SessionShape>(json).unwrap().into()
    }

    #[test]
    fn each_direction_has_a_format_of_its_own() {
        let told = echo(
            r#"{"audio":{"input":{"format":{"type":"audio/pcma"}},"output":{"format":{"type":"audio/pcm","rate":16000}}}}"#,
        );
        assert_eq!(told.input, Some(WireFormat::G711(AudioFormat::Pcma)));
        assert_eq!(told.output, Some(WireFormat::Pcm { rate: 16_000 }));
    }

    #[test]
    fn the_beta_names_its_formats_otherwise_and_who_tells_nothing_has_the_default() {
        let told = echo(r#"{"input_audio_format":"g711_ulaw"}"#);
        assert_eq!(told.input, Some(WireFormat::G711(AudioFormat::Pcmu)));
        assert_eq!(told.output, Some(WireFormat::Pcm { rate: 24_000 }));
    }

    #[test]
    fn formats_that_nobody_here_knows_are_not_guessed() {
        let told = echo(
            r#"{"audio":{"input":{"format":{"type":"audio/opus"}},"output":{"format":{"type":"audio/pcm","rate":7}}}}"#,
        );
        assert_eq!((told.input, told.output), (None, None));
    }
}
