//! A session's conversation, without input and output: the server's events and the conversation's
//! orders go in; events for either side come out.

mod answers;
mod history;
mod speaking;
mod turns;
mod utterances;

use std::collections::VecDeque;

use domain::assistant::Dialect;
use domain::ports::{AgentEvent, AgentOrder};

use self::answers::{Answers, Ask, Outcome};
use self::history::History;
use self::turns::Turns;
use self::utterances::Utterances;
use super::client_event::{self, ClientEvent};
use super::complaint::{self, Meaning};
use super::server_event::{Complaint, ResponseDone, ServerEvent};
use crate::sound::{FromProvider, WireFormat};

/// What comes out.
#[derive(Debug, PartialEq)]
pub(super) enum Output {
    /// To the server.
    Send(ClientEvent),
    /// To the conversation.
    Tell(AgentEvent),
}

/// Why this connection is of no more use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// Another may do.
    Lost(String),
    /// None would.
    Broken(String),
}

/// What an assistant is, for the whole call.
#[derive(Clone, Debug)]
pub(super) struct Character {
    pub(super) dialect: Dialect,
    pub(super) instructions: String,
    /// Whether the callee's words are written down.
    pub(super) transcribes: bool,
}

/// The server's sound, and how much of it a second has.
#[derive(Debug)]
struct Sound {
    from: FromProvider,
    bytes_a_second: u32,
}

/// A session's conversation.
#[derive(Debug)]
pub(super) struct Dialogue {
    character: Character,
    /// None while there is no session that could be talked to.
    sound: Option<Sound>,
    was_open: bool,
    /// How often it told that it is back, and the conversation does not know yet.
    unknown_returns: u32,
    turns: Turns,
    utterances: Utterances,
    answers: Answers,
    history: History,
    outputs: VecDeque<Output>,
}

impl Dialogue {
    pub(super) fn new(character: Character) -> Self {
        Self {
            character,
            sound: None,
            was_open: false,
            unknown_returns: 0,
            turns: Turns::default(),
            utterances: Utterances::default(),
            answers: Answers::default(),
            history: History::default(),
            outputs: VecDeque::new(),
        }
    }

    pub(super) fn next_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// Whether the server owes an answer, or the end of one.
    pub(super) const fn is_owed(&self) -> bool {
        self.answers.is_owed()
    }

    /// A session stands, and speaks like this. A server that is new learns what was said before.
    pub(super) fn opened(&mut self, from: FromProvider, format: WireFormat) {
        self.sound = Some(Sound { from, bytes_a_second: format.bytes_a_second() });
        for event in self.history.retell(self.character.dialect) {
            self.send(event);
        }
        let restored = std::mem::replace(&mut self.was_open, true);
        if restored {
            // Whoever asked for an answer meanwhile learns now that it is lost.
            self.answers.lost();
            self.unknown_returns += 1;
        }
        self.tell(if restored { AgentEvent::Restored } else { AgentEvent::Ready { detects_speech: true } });
        self.go_on();
    }

    /// The conversation has learned that the session is back.
    pub(super) const fn restored(&mut self) {
        self.unknown_returns = self.unknown_returns.saturating_sub(1);
    }

    /// The connection is lost, and with it all that was under way.
    pub(super) fn lost(&mut self) {
        self.end_utterance();
        for event in self.turns.lost(self.character.transcribes) {
            self.tell(event);
        }
        self.utterances.lost();
        self.answers.lost();
        self.sound = None;
    }

    /// The conversation wants something.
    pub(super) fn order(&mut self, order: AgentOrder) -> Result<(), Trouble> {
        match order {
            // The server hears the turns itself.
            AgentOrder::TurnBegan(_) | AgentOrder::TurnEnded(_) => Ok(()),
            AgentOrder::Answer => self.ask(Ask::Answer),
            AgentOrder::Say { text } => self.ask(Ask::Say(text)),
            AgentOrder::Prompt { instruction } => self.ask(Ask::Prompt(instruction)),
            AgentOrder::Note { text } => {
                self.history.note(&text);
                self.send_if_open(client_event::system_message(&text));
                Ok(())
            }
            AgentOrder::Interrupt { utterance, heard, text } => {
                self.interrupt(utterance, heard, &text);
                Ok(())
            }
            AgentOrder::ToolResult { id, output } => {
                for event in self.history.tool_result(&id, &output) {
                    self.send_if_open(event);
                }
                Ok(())
            }
        }
    }

    /// The server says something.
    pub(super) fn hear(&mut self, event: ServerEvent<'_>) -> Result<(), Trouble> {
        match event {
            ServerEvent::SpeechStarted { item } => {
                if let Some(turn) = self.turns.started(&item) {
                    self.history.caller(turn);
                    self.tell(AgentEvent::SpeechStarted(turn));
                }
            }
            ServerEvent::SpeechStopped { item } => {
                if let Some(turn) = self.turns.stopped(&item) {
                    self.tell(AgentEvent::SpeechStopped(turn));
                }
            }
            ServerEvent::Transcribed { item, text } => self.recognised(&item, &text),
            ServerEvent::TranscriptionFailed { item } => self.recognised(&item, ""),
            ServerEvent::ResponseCreated { response } => {
                if let Some(foreign) = self.answers.created(response) {
                    tracing::debug!("the provider answers on its own, and is stopped");
                    self.send(client_event::response_cancel(&foreign));
                }
            }
            ServerEvent::Audio { response, item, part, base64 } => {
                self.audio(&response, &item, part, &base64);
            }
            ServerEvent::Words { response, item, text } => self.words(&response, &item, text),
            ServerEvent::ItemDone { response, item } => self.item_done(&response, &item),
            // Elsewhere its item follows at once, and a result that came before it would be refused.
            ServerEvent::CallDone { response, call } => {
                if matches!(self.character.dialect, Dialect::XAi | Dialect::LocalAi | Dialect::Speaches) {
                    self.item_done(&response, &call);
                }
            }
            ServerEvent::ResponseDone(done) => return self.response_done(&done),
            ServerEvent::Error(complaint) => return self.complained(&complaint),
            ServerEvent::SessionUpdated(_) | ServerEvent::Other => {}
        }
        Ok(())
    }

    fn ask(&mut self, ask: Ask) -> Result<(), Trouble> {
        // It crossed our word that earlier orders are lost, upon which it is made again.
        if self.unknown_returns > 0 {
            return Ok(());
        }
        let too_many = |_| Trouble::Broken("more answers are asked for than may wait".to_owned());
        self.answers.ask(ask).map_err(too_many)?;
        self.go_on();
        Ok(())
    }

    /// Sends the next answer, if it is its turn.
    fn go_on(&mut self) {
        if self.sound.is_none() {
            return;
        }
        let Some((id, ask)) = self.answers.next() else { return };
        let event = match &ask {
            Ask::Answer => client_event::response_create(&id, None, true),
            Ask::Say(text) => {
                let words = format!(
                    "Say exactly the following words, in their language, and nothing before or after them:\n\n{text}"
                );
                client_event::response_create(&id, Some(&words), false)
            }
            // They stand in for the session's instructions, which still hold.
            Ask::Prompt(instruction) => {
                let both = format!("{}\n\n{instruction}", self.character.instructions);
                client_event::response_create(&id, Some(&both), true)
            }
        };
        self.send(event);
    }

    fn recognised(&mut self, item: &str, text: &str) {
        if let Some(turn) = self.turns.recognised(item) {
            let text = text.trim();
            self.history.caller_said(turn, text);
            self.tell(AgentEvent::Recognised { turn, text: text.to_owned() });
        }
    }

    fn response_done(&mut self, done: &ResponseDone) -> Result<(), Trouble> {
        if self.answers.is_heard(&done.response) {
            // Where the items were not told one by one.
            for item in done.items.iter().filter(|item| item.is_function_call()) {
                self.tool_called(item);
            }
            self.end_utterance();
        }
        let outcome = self.answers.done(&done.response, done.status);
        let code = done.code.as_deref().unwrap_or_default();
        self.settle(outcome, code)
    }

    fn settle(&mut self, outcome: Outcome, code: &str) -> Result<(), Trouble> {
        match outcome {
            Outcome::Answered => self.tell(AgentEvent::Answered),
            Outcome::Again => {
                tracing::warn!(
                    code = complaint::printable(code),
                    "an answer failed, and is asked for once more"
                );
            }
            Outcome::Failed => {
                let code = complaint::printable(code);
                return Err(Trouble::Broken(format!("the provider failed to answer twice ({code})")));
            }
            Outcome::NotOurs => {}
        }
        self.go_on();
        Ok(())
    }

    fn complained(&mut self, complaint: &Complaint) -> Result<(), Trouble> {
        let Complaint { kind, code, about, .. } = complaint;
        let (kind, code) = (complaint::printable(kind), complaint::printable(code));
        match complaint::meaning(complaint) {
            Meaning::Harmless => tracing::debug!(code, "what was no longer possible was not done"),
            Meaning::Busy => {
                if let Some(foreign) = self.answers.busy(about) {
                    self.send(client_event::response_cancel(&foreign));
                    self.end_utterance();
                }
            }
            Meaning::Expired => return Err(Trouble::Lost("the provider's session expired".to_owned())),
            Meaning::Fatal => return Err(Trouble::Broken(format!("the provider refused: {code}"))),
            // Nothing was sent but our configuration.
            Meaning::Unknown if self.sound.is_none() && kind == "invalid_request_error" => {
                return Err(Trouble::Broken(format!("the provider refused the session ({code})")));
            }
            Meaning::Unknown => {
                tracing::warn!(kind, code, "a provider complains");
                let outcome = self.answers.refused(about);
                return if outcome == Outcome::NotOurs { Ok(()) } else { self.settle(outcome, &code) };
            }
        }
        Ok(())
    }

    fn send(&mut self, event: ClientEvent) {
        self.outputs.push_back(Output::Send(event));
    }

    fn send_if_open(&mut self, event: ClientEvent) {
        if self.sound.is_some() {
            self.send(event);
        }
    }

    fn tell(&mut self, event: AgentEvent) {
        self.outputs.push_back(Output::Tell(event));
    }
}

#[cfg(test)]
#[path = "dialogue_tests.rs"]
mod tests;
