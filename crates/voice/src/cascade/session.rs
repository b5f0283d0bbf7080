//! A session's task: it follows orders one after the other, and keeps the history.

use std::collections::VecDeque;
use std::time::Duration;

use domain::audio::AudioFormat;
use domain::ports::{AgentEvent, AgentOrder, TurnId, UtteranceId};
use serde_json::json;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::task::AbortOnDropHandle;

use super::answer::{Speaker, Step};
use super::history::{History, SaidId, ToolUse};
use super::listening::Listening;
use super::transcription::Transcription;
use crate::link::{Ends, Told};
use crate::provider::{Fault, Service};

/// How often the callee's sound is fetched: often enough that none of the half second that waits is
/// dropped, and not once a frame.
const LISTEN_EVERY: Duration = Duration::from_millis(200);
/// How many steps of an answer may wait for the task, which passes them on at once.
const WAITING_STEPS: usize = 16;
/// Of how many utterances it is known which words of the history they are; older ones were heard.
const KNOWN_UTTERANCES: usize = 32;

/// The session is over, because of this; none when that was told already.
struct Over(Option<String>);

impl Over {
    fn because(cause: impl Into<String>) -> Self {
        Self(Some(cause.into()))
    }
}

/// A session's task.
pub(crate) struct Session {
    ends: Ends,
    instructions: String,
    speaker: Speaker,
    transcription: Transcription,
    format: Option<AudioFormat>,
    listening: Listening,
    history: History,
    wanted: VecDeque<Wanted>,
    current: Option<Current>,
    /// What is connected to ahead of the first request.
    warm: Vec<Service>,
    background: JoinSet<Background>,
    /// Turns whose words are not known yet.
    unwritten: usize,
    utterances: VecDeque<(UtteranceId, SaidId)>,
    next_utterance: u64,
    /// Uses of tools that the provider gave no name.
    unnamed: u64,
}

/// What was ordered and comes to one [`AgentEvent::Answered`].
#[derive(Debug, PartialEq, Eq)]
enum Wanted {
    Answer,
    Say(String),
    Prompt(String),
}

/// The order that is being followed.
struct Current {
    from_model: bool,
    said: SaidId,
    utterance: Option<UtteranceId>,
    steps: mpsc::Receiver<Step>,
    _task: AbortOnDropHandle<()>,
}

/// What goes on beside the orders.
enum Background {
    Warmed(Result<(), Fault>),
    Written(TurnId, Result<String, Fault>),
}

impl Session {
    pub(super) fn new(
        ends: Ends,
        instructions: String,
        speaker: Speaker,
        transcription: Transcription,
        warm: Vec<Service>,
    ) -> Self {
        Self {
            ends,
            instructions,
            speaker,
            transcription,
            format: None,
            listening: Listening::default(),
            history: History::default(),
            wanted: VecDeque::new(),
            current: None,
            warm,
            background: JoinSet::new(),
            unwritten: 0,
            utterances: VecDeque::new(),
            next_utterance: 0,
            unnamed: 0,
        }
    }

    /// Follows orders until the handle is dropped, or the session is broken.
    pub(crate) async fn run(mut self) {
        if let Err(Over(Some(cause))) = self.follow_orders().await {
            self.ends.teller.broken(cause);
        }
    }

    async fn follow_orders(&mut self) -> Result<(), Over> {
        for service in std::mem::take(&mut self.warm) {
            self.background.spawn(async move { Background::Warmed(service.warm().await) });
        }
        let mut ticks = interval(LISTEN_EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                // An interruption comes before the sound that it stops.
                biased;
                told = self.ends.orders.recv() => match told {
                    None => return Ok(()),
                    Some(told) => self.follow(told)?,
                },
                _ = ticks.tick(), if self.format.is_some() => self.listen(),
                Some(done) = self.background.join_next() => match done {
                    Ok(done) => self.background_done(done)?,
                    Err(_) => return Err(Over::because("a task of the session failed")),
                },
                step = next_step(self.current.as_mut()), if self.current.is_some() => self.step(step)?,
            }
            self.go_on()?;
        }
    }

    fn follow(&mut self, told: Told) -> Result<(), Over> {
        // What was heard before the order came is before it here as well.
        self.listen();
        match told {
            Told::Begin(format) => {
                self.format = Some(format);
                self.tell(AgentEvent::Ready { detects_speech: false })?;
            }
            // It is never lost and back.
            Told::Restored => {}
            Told::Order(AgentOrder::TurnBegan(turn)) => self.listening.begin(turn),
            Told::Order(AgentOrder::TurnEnded(turn)) => self.write_down(turn),
            Told::Order(AgentOrder::Answer) => self.wanted.push_back(Wanted::Answer),
            Told::Order(AgentOrder::Say { text }) => self.wanted.push_back(Wanted::Say(text)),
            Told::Order(AgentOrder::Prompt { instruction }) => {
                self.wanted.push_back(Wanted::Prompt(instruction));
            }
            Told::Order(AgentOrder::Note { text }) => self.history.note(text),
            Told::Order(AgentOrder::ToolResult { id, output }) => self.history.result(&id, output),
            Told::Order(AgentOrder::Interrupt { utterance, text, .. }) => self.interrupt(utterance, &text)?,
        }
        Ok(())
    }

    fn listen(&mut self) {
        let mut sound = Vec::new();
        self.ends.ear.take(&mut sound);
        self.listening.hear(&sound);
    }

    fn write_down(&mut self, turn: TurnId) {
        self.history.turn(turn);
        let sound = self.listening.end(turn);
        let Some(format) = self.format else { return };
        let transcription = self.transcription.clone();
        self.unwritten += 1;
        self.background
            .spawn(async move { Background::Written(turn, transcription.write_down(format, sound).await) });
    }

    fn background_done(&mut self, done: Background) -> Result<(), Over> {
        match done {
            // Whoever cannot be reached now may be when he is needed; who may not be called never is.
            Background::Warmed(Err(fault @ Fault::Refused(_))) => Err(Over::because(fault.to_string())),
            Background::Warmed(_) => Ok(()),
            Background::Written(turn, Ok(text)) => {
                self.unwritten -= 1;
                self.history.heard(turn, &text);
                self.tell(AgentEvent::Recognised { turn, text })
            }
            Background::Written(_, Err(fault)) => {
                Err(Over::because(format!("audio/transcriptions: {fault}")))
            }
        }
    }

    /// Stops speaking this; what was ordered after it is still wanted.
    fn interrupt(&mut self, utterance: UtteranceId, heard: &str) -> Result<(), Over> {
        if self.current.take_if(|current| current.utterance == Some(utterance)).is_some() {
            self.tell(AgentEvent::UtteranceEnded(utterance))?;
            self.tell(AgentEvent::Answered)?;
        }
        if let Some((_, said)) = self.utterances.iter().find(|(known, _)| *known == utterance) {
            self.history.cut(*said, heard);
        }
        Ok(())
    }

    /// Begins with the next order once the last is done.
    fn go_on(&mut self) -> Result<(), Over> {
        let Some(format) = self.format else { return Ok(()) };
        // An answer makes those before it that were not heard yet needless, as it knows more.
        let next_is_answer = self.wanted.front() == Some(&Wanted::Answer);
        let is_superseded =
            |current: &mut Current| next_is_answer && current.from_model && current.utterance.is_none();
        if self.current.take_if(is_superseded).is_some() {
            self.tell(AgentEvent::Answered)?;
        }
        if self.current.is_some() {
            return Ok(());
        }
        while self.wanted.front() == Some(&Wanted::Answer) && self.wanted.get(1) == Some(&Wanted::Answer) {
            self.wanted.pop_front();
            self.tell(AgentEvent::Answered)?;
        }
        // It answers what was said, so that has to be known.
        if self.wanted.front() == Some(&Wanted::Answer) && self.unwritten > 0 {
            return Ok(());
        }
        if let Some(wanted) = self.wanted.pop_front() {
            self.begin(wanted, format);
        }
        Ok(())
    }

    fn begin(&mut self, wanted: Wanted, format: AudioFormat) {
        let speaker = self.speaker.clone();
        let (sender, steps) = mpsc::channel(WAITING_STEPS);
        let from_model = !matches!(wanted, Wanted::Say(_));
        let mut messages = self.history.messages(&self.instructions);
        let task = match wanted {
            Wanted::Say(text) => tokio::spawn(speaker.say(text, format, sender)),
            Wanted::Answer => tokio::spawn(speaker.answer(messages, format, sender)),
            Wanted::Prompt(instruction) => {
                messages.push(json!({"role": "system", "content": instruction}));
                tokio::spawn(speaker.answer(messages, format, sender))
            }
        };
        let said = self.history.begin();
        let task = AbortOnDropHandle::new(task);
        self.current = Some(Current { from_model, said, utterance: None, steps, _task: task });
    }

    fn step(&mut self, step: Option<Step>) -> Result<(), Over> {
        let Some(current) = &mut self.current else { return Ok(()) };
        let said = current.said;
        match step {
            Some(Step::Words(text)) => {
                let utterance = self.utterance();
                self.history.say(said, &text);
                self.tell(AgentEvent::Words { utterance, text })
            }
            Some(Step::Audio(audio)) => {
                let utterance = self.utterance();
                self.tell(AgentEvent::Audio { utterance, audio })
            }
            Some(Step::Uses(uses)) => {
                if let Some(utterance) = current.utterance {
                    self.tell(AgentEvent::UtteranceEnded(utterance))?;
                }
                self.current = None;
                for tool in uses {
                    self.uses(said, tool)?;
                }
                self.tell(AgentEvent::Answered)
            }
            Some(Step::Lost(cause)) => Err(Over::because(cause)),
            None => Err(Over::because("the task of an answer failed")),
        }
    }

    /// The utterance of the order that is being followed; it begins with its first words.
    fn utterance(&mut self) -> UtteranceId {
        let next = UtteranceId(self.next_utterance);
        match &mut self.current {
            Some(Current { utterance: Some(utterance), .. }) => *utterance,
            Some(current) => {
                current.utterance = Some(next);
                self.next_utterance += 1;
                if self.utterances.len() == KNOWN_UTTERANCES {
                    self.utterances.pop_front();
                }
                self.utterances.push_back((next, current.said));
                next
            }
            None => next,
        }
    }

    fn uses(&mut self, said: SaidId, mut tool: ToolUse) -> Result<(), Over> {
        if tool.id.is_empty() {
            tool.id = format!("unnamed_{}", self.unnamed);
            self.unnamed += 1;
        }
        self.history.uses(said, tool.clone());
        let ToolUse { id, name, arguments } = tool;
        self.tell(AgentEvent::ToolCalled { id, name, arguments })
    }

    fn tell(&self, event: AgentEvent) -> Result<(), Over> {
        self.ends.teller.tell(event).map_err(|_| Over(None))
    }
}

async fn next_step(current: Option<&mut Current>) -> Option<Step> {
    current?.steps.recv().await
}
