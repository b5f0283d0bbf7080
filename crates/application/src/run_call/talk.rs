//! The talk of an answered call: its conversation, and everyone it talks through.

use std::task::{Context, Poll};
use std::time::Duration;

use conversation::{Conversation, Input, Millis, Opening, Output, Turn};
use domain::assistant::Assistant;
use domain::assistant::filling::Filling;
use domain::audio::{AudioFormat, Frame};
use domain::call::{EndedReason, Fact};
use domain::ids::CallId;
use domain::ports::{AgentEvent, AgentSession, HeardFrame, Leg, Recording};

use super::lines::Lines;

/// Who takes part in an answered call, beside its leg.
pub(super) struct Talk {
    call: CallId,
    conversation: Conversation,
    agent: Option<Box<dyn AgentSession>>,
    recording: Box<dyn Recording>,
    format: AudioFormat,
    /// The moment of the answer, since boot.
    since: Duration,
}

/// The frame to play in this beat, and why to hang up.
pub(super) type Wanted = (Option<Frame>, Option<EndedReason>);

impl Talk {
    /// Begins at the answer, which is `since` boot.
    pub(super) fn begin(
        (call, assistant, filling): (CallId, &Assistant, &Filling),
        mut agent: Option<Box<dyn AgentSession>>,
        recording: Box<dyn Recording>,
        format: AudioFormat,
        since: Duration,
    ) -> Self {
        if let Some(agent) = &mut agent {
            agent.begin(format);
        }
        let conversation = Conversation::begin(Opening { assistant, filling, format });
        Self { call, conversation, agent, recording, format, since }
    }

    /// The next thing that the agent tells.
    pub(super) fn poll_agent(&mut self, cx: &mut Context<'_>) -> Poll<AgentEvent> {
        let Some(agent) = &mut self.agent else { return Poll::Pending };
        let event = agent.poll_event(cx);
        if matches!(event, Poll::Ready(AgentEvent::Broken { .. })) {
            self.agent = None;
        }
        event
    }

    /// The beat: the agent hears it, the conversation gives the frame to play, and both are recorded.
    pub(super) fn beat(
        &mut self,
        now: Duration,
        heard: &HeardFrame,
        leg: &mut dyn Leg,
        lines: &Lines,
    ) -> Wanted {
        if let Some(agent) = &mut self.agent {
            agent.hear(heard.audio.as_ref());
        }
        self.tell(now, Input::Heard { speech: heard.speech, tone: heard.tone });
        let (frame, end) = self.carry_out(leg, lines);
        self.recording.sound(heard.audio.as_ref(), frame.as_ref());
        (frame, end)
    }

    /// Tells the conversation something, at a moment since boot.
    pub(super) fn tell(&mut self, now: Duration, input: Input) {
        self.conversation.handle(Millis::ANSWER + now.saturating_sub(self.since), input);
    }

    /// Notes how many datagrams the leg dropped because of where they came from; once, at the end.
    pub(super) fn count_foreign(&mut self, packets: u64) {
        if packets > 0 {
            tracing::info!(call = %self.call, packets, "audio from addresses that are not accepted was dropped");
            self.recording.fact(Fact::ForeignAudio { packets });
        }
    }

    /// Ends it for everyone; nothing follows but what has to be recorded.
    pub(super) fn over(&mut self, now: Duration, reason: EndedReason) {
        self.tell(now, Input::Over(reason));
        self.agent = None;
    }

    /// Carries out what the conversation wants.
    pub(super) fn carry_out(&mut self, leg: &mut dyn Leg, lines: &Lines) -> Wanted {
        let (mut frame, mut end) = (None, None);
        while let Some(output) = self.conversation.next_output() {
            match output {
                Output::Synthesise { line, text } => lines.ask(line, text, self.format),
                Output::Play(next) => frame = Some(next),
                Output::Silence => {}
                Output::Turn(turn) => self.note(&turn),
                Output::Fact(fact) => self.recording.fact(fact),
                Output::Agent(order) => {
                    if let Some(agent) = &mut self.agent {
                        agent.order(order);
                    }
                }
                Output::Press { digit, length } => leg.press(digit, length),
                Output::Refer(target) => leg.refer(&target),
                Output::End(reason) => end = Some(reason),
            }
        }
        (frame, end)
    }

    fn note(&mut self, turn: &Turn) {
        log(self.call, turn);
        if let Some(entry) = turn.entry() {
            self.recording.turn(entry);
        }
    }
}

/// What is said on a call is for those who ask for it: it may be confidential.
fn log(call: CallId, turn: &Turn) {
    match turn {
        // The words of an AI are not all known when it begins.
        Turn::AssistantBegins { .. } => {}
        Turn::AssistantSpoke { from, text, interrupted, .. } => {
            tracing::debug!(target: "callwright::turns", %call, at = %from, text, interrupted, "assistant said");
        }
        Turn::CustomerSpoke { from, text: Some(text), .. } => {
            tracing::debug!(target: "callwright::turns", %call, at = %from, text, "callee said");
        }
        Turn::CustomerSpoke { from, to, text: None } => {
            let seconds = to.since(*from).as_secs_f64();
            tracing::debug!(target: "callwright::turns", %call, at = %from, seconds, "callee spoke");
        }
        Turn::CustomerPressed { at, digit } => {
            tracing::debug!(target: "callwright::turns", %call, %at, key = %digit.as_char(), "callee pressed");
        }
        Turn::AssistantPressed { at, keys } => {
            tracing::debug!(target: "callwright::turns", %call, %at, keys, "assistant pressed");
        }
    }
}
