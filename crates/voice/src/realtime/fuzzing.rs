//! The way in for the fuzz target of Realtime events.

use std::time::Duration;

use domain::assistant::Dialect;
use domain::audio::AudioFormat;
use domain::ports::{AgentEvent, AgentOrder, UtteranceId};

use super::dialogue::{Character, Dialogue, Output};
use super::server_event::ServerEvent;
use crate::sound::{FromProvider, WireFormat};

/// What a session came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Played {
    /// Events that were read.
    pub events: usize,
    /// Answers that were ordered.
    pub ordered: usize,
    /// Answers that were told to be complete.
    pub answered: usize,
    /// Bytes of sound for the call.
    pub sound: usize,
}

/// Plays the lines of a session to a dialogue, each an event of the provider or, of the form
/// `answer`, `say TEXT`, `note TEXT`, `interrupt TEXT`, `result ID`, `lost`, something that happens on our side.
pub fn play(lines: &str, dialect: Dialect) -> Played {
    let character = Character { dialect, instructions: "Be brief.".to_owned(), transcribes: true };
    let mut dialogue = Dialogue::new(character);
    let mut played = Played::default();
    open(&mut dialogue);
    for line in lines.lines() {
        let heard = match line.split_once(' ').unwrap_or((line, "")) {
            ("answer", _) => {
                played.ordered += 1;
                dialogue.order(AgentOrder::Answer)
            }
            ("say", text) => {
                played.ordered += 1;
                dialogue.order(AgentOrder::Say { text: text.to_owned() })
            }
            ("note", text) => dialogue.order(AgentOrder::Note { text: text.to_owned() }),
            ("interrupt", text) => {
                let (utterance, heard) = (UtteranceId(0), Duration::from_millis(20));
                dialogue.order(AgentOrder::Interrupt { utterance, heard, text: text.to_owned() })
            }
            ("result", id) => {
                dialogue.order(AgentOrder::ToolResult { id: id.to_owned(), output: "{}".to_owned() })
            }
            ("lost", _) => {
                dialogue.lost();
                open(&mut dialogue);
                dialogue.restored();
                Ok(())
            }
            _ => match ServerEvent::parse(line) {
                Ok(event) => {
                    played.events += 1;
                    dialogue.hear(event)
                }
                Err(_) => break,
            },
        };
        while let Some(output) = dialogue.next_output() {
            match output {
                Output::Tell(AgentEvent::Audio { audio, .. }) => played.sound += audio.len(),
                Output::Tell(AgentEvent::Answered) => played.answered += 1,
                Output::Send(_) | Output::Tell(_) => {}
            }
        }
        if heard.is_err() {
            break;
        }
    }
    played
}

fn open(dialogue: &mut Dialogue) {
    let format = WireFormat::Pcm { rate: 24_000 };
    if let Ok(sound) = FromProvider::new(format, AudioFormat::Pcmu) {
        dialogue.opened(sound, format);
    }
}
