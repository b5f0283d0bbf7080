//! What all calls of a phone share: scripts made ready, ports, and the way to tell events.

use std::collections::HashMap;
use std::sync::Arc;

use domain::audio::AudioFormat;
use domain::ports::{Entropy, Speech};
use media::PortRange;
use tokio::sync::{OnceCell, broadcast};
use tokio_util::sync::CancellationToken;

use crate::event::PhoneEvent;
use crate::performance::{Cue, Spoken, frames_of};
use crate::script::{Action, CallScript, Scripts};
use crate::sound::{self, Unsayable};

/// The house of a phone's calls.
pub(crate) struct House {
    pub(crate) cast: Cast,
    pub(crate) ports: PortRange,
    /// Whether callers may be behind a NAT.
    pub(crate) nat: bool,
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

/// A script, and its sounds once they are ready.
struct Role {
    script: CallScript,
    part: OnceCell<Arc<Part>>,
}

/// Every script, by number.
pub(crate) struct Cast {
    default: Role,
    by_number: HashMap<String, Role>,
    formats: Arc<[AudioFormat]>,
    speech: Option<Arc<dyn Speech>>,
}

impl Cast {
    /// A cast whose sounds are made ready when they are needed first.
    pub(crate) fn new(
        scripts: Scripts,
        formats: Arc<[AudioFormat]>,
        speech: Option<Arc<dyn Speech>>,
    ) -> Self {
        let role = |script| Role { script, part: OnceCell::new() };
        let by_number =
            scripts.by_number.into_iter().map(|(number, script)| (bare(&number).to_owned(), role(script)));
        Self { default: role(scripts.default), by_number: by_number.collect(), formats, speech }
    }

    /// Makes all sounds ready, so that nothing is left to fail or to wait for in a call.
    pub(crate) async fn rehearse(&self) -> Result<(), Unsayable> {
        for role in self.by_number.values().chain([&self.default]) {
            self.ready(role).await?;
        }
        Ok(())
    }

    /// The part for a number.
    pub(crate) async fn of(&self, number: &str) -> Result<Arc<Part>, Unsayable> {
        self.ready(self.by_number.get(bare(number)).unwrap_or(&self.default)).await.cloned()
    }

    async fn ready<'a>(&self, role: &'a Role) -> Result<&'a Arc<Part>, Unsayable> {
        let making = || part(role.script.clone(), &self.formats, self.speech.as_deref());
        role.part.get_or_try_init(making).await
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
        let cast = Cast::new(scripts, [AudioFormat::Pcmu].into(), None);
        assert_eq!(cast.of("15550100").await.unwrap().script, busy);
        assert_eq!(cast.of("+15550100").await.unwrap().script, busy);
        assert_eq!(cast.of("15550101").await.unwrap().script, CallScript::answering());
    }
}
