//! An agent on the stage: it says what the test has it say, and its orders are kept.

use std::collections::BTreeSet;

use conversation::{Input, Millis, Output};
use domain::assistant::tool::Tool;
use domain::assistant::{
    Agent, Assistant, Brain, CallLimits, Dialect, Engine, Persona, Provider, ProviderKey, Realtime,
    TransferTarget,
};
use domain::audio::{FRAME_BYTES, Frame};
use domain::call::Fact;
use domain::number::E164;
use domain::ports::{AgentEvent, AgentOrder, TurnId, UtteranceId};

use super::{FORMAT, Stage, Voice, assistant};

pub(crate) const FIRST: &str = "Hello, this is Acme, how may I help you today?";

/// An agent that may do everything.
pub(crate) fn agent(first_message: Option<&str>) -> Assistant {
    let provider = Provider {
        endpoint: "wss://voice.example/v1/realtime".parse().unwrap(),
        model: "voice".into(),
        key: ProviderKey::None,
    };
    let persona = Persona {
        instructions: "You work for {{company}}.".into(),
        first_message: first_message.map(Into::into),
        fallback_line: Some("We will call you again.".into()),
        tools: BTreeSet::from(Tool::ALL),
        transfer_targets: vec![TransferTarget { name: "reception".into(), number: reception() }],
    };
    let brain = Brain::Realtime(Realtime {
        provider,
        dialect: Dialect::OpenAi,
        voice: None,
        transcription_model: Some("scribe".into()),
    });
    assistant(Engine::Agent(Box::new(Agent { persona, brain })), CallLimits::default())
}

pub(crate) fn reception() -> E164 {
    E164::parse("+14155550100").unwrap()
}

pub(crate) fn persona(assistant: &mut Assistant) -> &mut Persona {
    match &mut assistant.engine {
        Engine::Agent(agent) => &mut agent.persona,
        Engine::Builtin(_) => panic!("an agent has a persona"),
    }
}

/// The byte at a place of an utterance: every four tell utterance and place.
pub(crate) fn byte(utterance: u64, place: usize) -> u8 {
    let word = (u32::try_from(utterance).unwrap() << 18) | u32::try_from(place / 4).unwrap();
    word.to_be_bytes()[place % 4]
}

pub(crate) fn bytes(utterance: u64, from: usize, count: usize) -> Vec<u8> {
    (from..from + count).map(|place| byte(utterance, place)).collect()
}

/// The utterance that a frame is of, and its place there.
pub(crate) fn origin(frame: &Frame) -> (u64, usize) {
    let word = u32::from_be_bytes(frame[..4].try_into().unwrap());
    (u64::from(word >> 18), usize::try_from(word & 0x3_FFFF).unwrap() * 4)
}

impl Stage {
    /// A call whose agent is ready at once; `detects` tells who detects speech.
    pub(crate) fn agent(assistant: &Assistant, detects: bool) -> Self {
        let mut stage = Self::of(assistant, Voice::After(0));
        stage.tell(AgentEvent::Ready { detects_speech: detects });
        stage
    }

    pub(crate) fn tell(&mut self, event: AgentEvent) {
        self.call.handle(Millis(self.now), Input::Agent(event));
        self.drain();
    }

    /// The agent says this for so long, and completes its order.
    pub(crate) fn say(&mut self, utterance: u64, text: &str, ms: usize) {
        self.utter(utterance, text, ms);
        self.tell(AgentEvent::UtteranceEnded(UtteranceId(utterance)));
        self.tell(AgentEvent::Answered);
    }

    /// The agent begins to say this, of which so much audio is there.
    pub(crate) fn utter(&mut self, utterance: u64, text: &str, ms: usize) {
        let id = UtteranceId(utterance);
        self.tell(AgentEvent::Words { utterance: id, text: text.into() });
        for from in (0..ms * 8).step_by(1000) {
            let audio = bytes(utterance, from, 1000.min(ms * 8 - from));
            self.tell(AgentEvent::Audio { utterance: id, audio });
        }
    }

    pub(crate) fn recognise(&mut self, turn: u64, text: &str) {
        self.tell(AgentEvent::Recognised { turn: TurnId(turn), text: text.into() });
    }

    pub(crate) fn uses(&mut self, id: &str, name: &str, arguments: &str) {
        let (id, name, arguments) = (id.into(), name.into(), arguments.into());
        self.tell(AgentEvent::ToolCalled { id, name, arguments });
    }

    pub(crate) fn referred(&mut self, connected: bool) {
        self.call.handle(Millis(self.now), Input::Referred { connected });
        self.drain();
    }

    /// A tone for so long.
    pub(crate) fn tone(&mut self, ms: u64) {
        for _ in 0..ms / 20 {
            self.now += 20;
            self.call.handle(Millis(self.now), Input::Heard { speech: false, tone: true });
            self.drain();
        }
    }

    pub(crate) fn orders(&self) -> Vec<&AgentOrder> {
        self.orders_since(0).into_iter().map(|(_, order)| order).collect()
    }

    pub(crate) fn orders_since(&self, at: u64) -> Vec<(u64, &AgentOrder)> {
        let orders = self.log.iter().filter_map(|(then, output)| match output {
            Output::Agent(order) if *then >= at => Some((*then, order)),
            _ => None,
        });
        orders.collect()
    }

    /// The orders since that moment, in short.
    pub(crate) fn ordered(&self, since: u64) -> Vec<String> {
        self.orders_since(since).into_iter().map(|(_, order)| in_short(order)).collect()
    }

    pub(crate) fn facts(&self) -> Vec<&Fact> {
        let facts = self.log.iter().filter_map(|(_, output)| match output {
            Output::Fact(fact) => Some(fact),
            _ => None,
        });
        facts.collect()
    }

    /// The frames that were played after that moment, with their moment.
    pub(crate) fn played(&self, after: u64) -> Vec<(u64, u64, usize)> {
        let played = self.log.iter().filter_map(|(at, output)| match output {
            Output::Play(frame) if *at > after => {
                let (utterance, place) = origin(frame);
                Some((*at, utterance, place))
            }
            _ => None,
        });
        played.collect()
    }
}

/// Checks that a frame is this part of its utterance, filled up with silence beyond `length`.
pub(crate) fn assert_part(frame: &Frame, utterance: u64, place: usize, length: usize) {
    for (offset, actual) in frame.iter().enumerate().take(FRAME_BYTES) {
        let at = place + offset;
        let expected = if at < length { byte(utterance, at) } else { FORMAT.silence() };
        assert_eq!(*actual, expected, "byte {at} of utterance {utterance}");
    }
}

pub(crate) fn in_short(order: &AgentOrder) -> String {
    match order {
        AgentOrder::TurnBegan(turn) => format!("turn {} began", turn.0),
        AgentOrder::TurnEnded(turn) => format!("turn {} ended", turn.0),
        AgentOrder::Answer => "answer".into(),
        AgentOrder::Say { text } => format!("say: {text}"),
        AgentOrder::Prompt { instruction } => {
            format!("prompt: {}", instruction.split('.').next().unwrap_or_default())
        }
        AgentOrder::Note { text } => format!("note: {text}"),
        AgentOrder::Interrupt { utterance, heard, text } => {
            format!("interrupt {} at {} ms: {text}", utterance.0, heard.as_millis())
        }
        AgentOrder::ToolResult { id, output } => {
            format!("result {id}: {}", output.split(['.', ':']).next().unwrap_or_default())
        }
    }
}
