//! Which answer is being given, and which wait: a server gives one at a time.

use std::collections::VecDeque;

use super::super::server_event::Status;

/// How many answers may wait; a conversation that asks for more without waiting is out of order.
const MOST_WAITING: usize = 16;

/// What a response is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ask {
    /// Whatever the model makes of it.
    Answer,
    /// Exactly these words.
    Say(String),
    /// Something along this line.
    Prompt(String),
}

/// An answer that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Asked {
    ask: Ask,
    /// Whether it failed once.
    failed: bool,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Idle,
    /// It was sent under this id.
    Ordered { asked: Asked, id: String },
    /// The server gives it.
    Running { asked: Asked, id: String, response: String, cancelled: bool },
    /// The server gives one that nobody here asked for; its name is empty while it is unknown.
    Foreign { response: String },
}

/// What becomes of an answer that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It is complete, or as complete as it was wanted.
    Answered,
    /// It failed, and is tried once more.
    Again,
    /// It failed again.
    Failed,
    /// It was none of ours.
    NotOurs,
}

/// More answers wait than may wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooMany;

/// The answers of a session, in order.
#[derive(Debug, Default)]
pub(super) struct Answers {
    waiting: VecDeque<Asked>,
    state: State,
    sent: u64,
}

impl Answers {
    pub(super) fn ask(&mut self, ask: Ask) -> Result<(), TooMany> {
        if self.waiting.len() == MOST_WAITING {
            return Err(TooMany);
        }
        self.waiting.push_back(Asked { ask, failed: false });
        Ok(())
    }

    /// The next answer to send, and the id to send it under; none while one is being given.
    pub(super) fn next(&mut self) -> Option<(String, Ask)> {
        if !matches!(self.state, State::Idle) {
            return None;
        }
        let asked = self.waiting.pop_front()?;
        self.sent += 1;
        let id = format!("answer_{}", self.sent);
        let ask = asked.ask.clone();
        self.state = State::Ordered { asked, id: id.clone() };
        Some((id, ask))
    }

    /// The server begins a response. Names it when nobody here asked for it.
    pub(super) fn created(&mut self, response: String) -> Option<String> {
        match std::mem::take(&mut self.state) {
            State::Ordered { asked, id } => {
                self.state = State::Running { asked, id, response, cancelled: false };
                None
            }
            running @ State::Running { .. } => {
                self.state = running;
                Some(response)
            }
            State::Idle | State::Foreign { .. } => {
                self.state = State::Foreign { response: response.clone() };
                Some(response)
            }
        }
    }

    /// Whether what comes of this response is to be heard; an empty name stands for the current one.
    pub(super) fn is_heard(&self, of: &str) -> bool {
        matches!(&self.state, State::Running { response, cancelled: false, .. } if of.is_empty() || of == response)
    }

    /// The id of the answer that is being given.
    pub(super) fn current(&self) -> Option<&str> {
        match &self.state {
            State::Running { id, .. } => Some(id),
            _ => None,
        }
    }

    /// Ends the answer with this id early, if it is still given. Names the response to be cancelled.
    pub(super) fn cancel(&mut self, answer: &str) -> Option<String> {
        match &mut self.state {
            State::Running { id, response, cancelled, .. } if !*cancelled && id == answer => {
                *cancelled = true;
                Some(response.clone())
            }
            _ => None,
        }
    }

    /// A response is over.
    pub(super) fn done(&mut self, of: &str, status: Status) -> Outcome {
        match std::mem::take(&mut self.state) {
            State::Running { asked, response, cancelled, .. } if of.is_empty() || of == response => {
                if status == Status::Failed && !cancelled { self.failed(asked) } else { Outcome::Answered }
            }
            State::Foreign { response } if response.is_empty() || of == response => Outcome::NotOurs,
            // Some servers tell of no beginning.
            State::Ordered { asked, .. } if status == Status::Failed => self.failed(asked),
            other => {
                self.state = other;
                Outcome::NotOurs
            }
        }
    }

    /// The server is giving another answer than the one sent under this id, which has to wait.
    /// Names the other when it was taken for ours.
    pub(super) fn busy(&mut self, about: &str) -> Option<String> {
        let ours = |id: &str| about.is_empty() || about == id;
        match std::mem::take(&mut self.state) {
            State::Ordered { asked, id } if ours(&id) => {
                self.waiting.push_front(asked);
                self.state = State::Foreign { response: String::new() };
                None
            }
            State::Running { asked, id, response, .. } if about == id => {
                self.waiting.push_front(asked);
                self.state = State::Foreign { response: response.clone() };
                Some(response)
            }
            other => {
                self.state = other;
                None
            }
        }
    }

    /// The server refused what was sent under this id.
    pub(super) fn refused(&mut self, about: &str) -> Outcome {
        match std::mem::take(&mut self.state) {
            State::Ordered { asked, id } if about == id => self.failed(asked),
            other => {
                self.state = other;
                Outcome::NotOurs
            }
        }
    }

    fn failed(&mut self, asked: Asked) -> Outcome {
        if asked.failed {
            return Outcome::Failed;
        }
        self.waiting.push_front(Asked { failed: true, ..asked });
        Outcome::Again
    }

    /// Whether the server owes us something.
    pub(super) const fn is_owed(&self) -> bool {
        !matches!(self.state, State::Idle)
    }

    /// The connection is lost, and every answer with it.
    pub(super) fn lost(&mut self) {
        self.state = State::Idle;
        self.waiting.clear();
    }
}

#[cfg(test)]
#[path = "answers_tests.rs"]
mod tests;
