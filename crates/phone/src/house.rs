//! What all calls of a phone share: scripts made ready, ports, and the way to tell events.

use std::collections::HashMap;
use std::sync::Arc;

use domain::audio::AudioFormat;
use domain::ports::{Entropy, Speech};
use media::PortRange;
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

use crate::event::PhoneEvent;
use crate::performance::{Cue, Spoken, frames_of};
use crate::script::{Action, CallScript, Scripts};
use crate::sound::{self, Unsayable};

/// The house of a phone's calls.
pub(crate) struct House {
    pub(crate) cast: Cast,
    pub(crate) ports: PortRange,
    pub(crate) formats: Arc<[AudioFormat]>,
    pub(crate) ringback: Spoken,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) events: broadcast::Sender<PhoneEvent>,
    pub(crate) stop: CancellationToken,
}

/// A script with its sounds encoded.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) script: CallScript,
    pub(crate) cues: Arc<[Cue]>,
}

/// Every part, by number.
pub(crate) struct Cast {
    default: Arc<Part>,
    by_number: HashMap<String, Arc<Part>>,
}

impl Cast {
    /// Makes all sounds ready, so that nothing is left to fail or to wait for in a call.
    pub(crate) async fn ready(
        scripts: Scripts,
        formats: &[AudioFormat],
        speech: Option<&dyn Speech>,
    ) -> Result<Self, Unsayable> {
        let default = part(scripts.default, formats, speech).await?;
        let mut by_number = HashMap::with_capacity(scripts.by_number.len());
        for (number, script) in scripts.by_number {
            by_number.insert(bare(&number).to_owned(), part(script, formats, speech).await?);
        }
        Ok(Self { default, by_number })
    }

    /// The part for a number.
    pub(crate) fn of(&self, number: &str) -> Arc<Part> {
        self.by_number.get(bare(number)).unwrap_or(&self.default).clone()
    }
}

fn bare(number: &str) -> &str {
    number.strip_prefix('+').unwrap_or(number)
}

async fn part(
    script: CallScript,
    formats: &[AudioFormat],
    speech: Option<&dyn Speech>,
) -> Result<Arc<Part>, Unsayable> {
    let mut cues = Vec::with_capacity(script.actions.len());
    for action in &script.actions {
        cues.push(match action {
            Action::Wait(length) => Cue::Wait(frames_of(*length)),
            Action::Listen { quiet, at_most } => {
                Cue::Listen { quiet: frames_of(*quiet), at_most: frames_of(*at_most) }
            }
            Action::Say(sound) => Cue::Say(sound.ready(formats, speech).await?),
            Action::Press(keys) => Cue::Press(keys.as_slice().into()),
            Action::HangUp => Cue::HangUp,
        });
    }
    Ok(Arc::new(Part { script, cues: cues.into() }))
}

/// The ringback tone, made once.
pub(crate) fn ringback(formats: &[AudioFormat]) -> Spoken {
    sound::ringback(formats)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::Behaviour;

    #[tokio::test]
    async fn a_number_finds_its_script_with_or_without_its_plus() {
        let busy = CallScript::that(Behaviour::Busy);
        let scripts = Scripts {
            default: CallScript::answering(),
            by_number: HashMap::from([("+15550100".to_owned(), busy.clone())]),
        };
        let cast = Cast::ready(scripts, &[AudioFormat::Pcmu], None).await.unwrap();
        assert_eq!(cast.of("15550100").script, busy);
        assert_eq!(cast.of("+15550100").script, busy);
        assert_eq!(cast.of("15550101").script, CallScript::answering());
    }
}
