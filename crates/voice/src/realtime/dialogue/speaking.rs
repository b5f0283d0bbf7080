//! What the assistant says and does in an answer, and how it is interrupted.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::ports::{AgentEvent, UtteranceId};

use super::super::client_event;
use super::super::server_event::Item;
use super::Dialogue;

impl Dialogue {
    /// The item's utterance, begun if need be; none when nothing of it is to be heard any more.
    fn utterance(&mut self, response: &str, item: &str) -> Option<UtteranceId> {
        if !self.answers.is_heard(response) {
            return None;
        }
        let answer = self.answers.current().unwrap_or_default();
        if let Some(utterance) = self.utterances.of_item(item, answer) {
            return utterance.open.then_some(utterance.id);
        }
        self.end_utterance();
        let utterance = self.utterances.begin(item, self.answers.current().unwrap_or_default());
        self.history.assistant(utterance);
        Some(utterance)
    }

    pub(super) fn audio(&mut self, response: &str, item: &str, part: u32, base64: &str) {
        let Some(utterance) = self.utterance(response, item) else { return };
        let Ok(audio) = STANDARD.decode(base64) else {
            tracing::warn!("a provider's sound is not base64, and is left out");
            return;
        };
        if let Some(known) = self.utterances.find(utterance) {
            known.receive(part, audio.len());
        }
        let Some(sound) = &mut self.sound else { return };
        let audio = sound.from.push(audio);
        if !audio.is_empty() {
            self.tell(AgentEvent::Audio { utterance, audio });
        }
    }

    pub(super) fn words(&mut self, response: &str, item: &str, text: String) {
        let Some(utterance) = self.utterance(response, item) else { return };
        self.history.assistant_says(utterance, &text);
        self.tell(AgentEvent::Words { utterance, text });
    }

    pub(super) fn item_done(&mut self, response: &str, item: &Item) {
        if !self.answers.is_heard(response) {
            return;
        }
        if item.is_function_call() {
            self.tool_called(item);
        } else if self.utterances.open().is_some_and(|utterance| utterance.item == item.id) {
            self.end_utterance();
        }
    }

    pub(super) fn tool_called(&mut self, item: &Item) {
        if self.history.knows_tool(&item.call_id) {
            return;
        }
        self.history.tool(&item.call_id, &item.name, &item.arguments);
        self.tell(AgentEvent::ToolCalled {
            id: item.call_id.clone(),
            name: item.name.clone(),
            arguments: item.arguments.clone(),
        });
    }

    pub(super) fn interrupt(&mut self, utterance: UtteranceId, heard: Duration, text: &str) {
        let answer = self.utterances.find(utterance).map(|utterance| utterance.answer.clone());
        // What the server gives meanwhile may be another answer, which is wanted.
        if let Some(response) = answer.and_then(|answer| self.answers.cancel(&answer)) {
            self.send(client_event::response_cancel(&response));
            self.end_utterance();
        }
        self.history.assistant_heard(utterance, text);
        let Some(bytes_a_second) = self.sound.as_ref().map(|sound| sound.bytes_a_second) else { return };
        let Some(utterance) = self.utterances.find(utterance) else { return };
        let heard = utterance.heard_ms(heard, bytes_a_second);
        let truncation = client_event::truncate(&utterance.item, utterance.part, heard);
        // Nothing can be cut to nothing.
        if heard > 0 {
            self.send(truncation);
        }
    }

    /// Nothing more comes of the utterance under way.
    pub(super) fn end_utterance(&mut self) {
        let Some(utterance) = self.utterances.open() else { return };
        utterance.open = false;
        let id = utterance.id;
        let rest = self.sound.as_mut().map(|sound| sound.from.finish()).unwrap_or_default();
        if !rest.is_empty() {
            self.tell(AgentEvent::Audio { utterance: id, audio: rest });
        }
        self.tell(AgentEvent::UtteranceEnded(id));
    }
}
