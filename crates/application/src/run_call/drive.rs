//! The loop of one call on its media thread: events in, frames out, until the leg is over.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use conversation::{Conversation, Input, LineId};
use domain::assistant::Assistant;
use domain::assistant::filling::Filling;
use domain::audio::{AudioFormat, Encoded};
use domain::call::{EndedReason, FinalAnswer, Live};
use domain::ids::CallId;
use domain::ports::{
    AgentEvent, AgentSession, Answered, Clock, HangUp, Leg, LegEnd, LegEvent, Recorder, SpeechError,
    VoiceAgent,
};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, Sleep};

use super::lines::Lines;
use super::talk::Talk;
use crate::causes::causes;
use crate::journal::{Move, Moves, reason_of};
use crate::supervisor::Order;

/// The longest a call may be dialled without ringing: past the 32 s after which the leg itself
/// gives a silent trunk up.
const DIALLING_LIMIT: Duration = Duration::from_secs(35);

/// A leg must end so soon after it was told to; then it is dropped.
const HANG_UP_LIMIT: Duration = Duration::from_secs(40);

/// A conversation must end by itself this long before the leg is ended over its head.
const OVERRUN: Duration = Duration::from_secs(5);

/// What a call is run with.
pub(super) struct Cast {
    pub(super) call: CallId,
    pub(super) assistant: Assistant,
    pub(super) filling: Filling,
    pub(super) lines: Lines,
    /// The format that is offered first.
    pub(super) format: AudioFormat,
    pub(super) moves: Moves,
    pub(super) agents: Arc<dyn VoiceAgent>,
    pub(super) recorder: Arc<dyn Recorder>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) ring_limit: Duration,
}

/// One running call.
pub(super) struct Drive {
    cast: Cast,
    live: Live,
    /// Why we hang up, once we do.
    ending: Option<EndedReason>,
    /// Connects while it rings, and joins the talk at the answer.
    agent: Option<Box<dyn AgentSession>>,
    talk: Option<Talk>,
    deadline: Pin<Box<Sleep>>,
    saved: Option<oneshot::Receiver<()>>,
}

enum Wake {
    Leg(LegEvent),
    Order(Order),
    Line(LineId, Result<Encoded, SpeechError>),
    Agent(AgentEvent),
    Saved,
    Deadline,
}

impl Drive {
    pub(super) fn new(cast: Cast) -> Self {
        let limit = DIALLING_LIMIT.max(cast.ring_limit);
        Self {
            cast,
            live: Live::dialling(),
            ending: None,
            agent: None,
            talk: None,
            deadline: Box::pin(tokio::time::sleep(limit)),
            saved: None,
        }
    }

    /// Carries the call to its end.
    pub(super) async fn run(mut self, mut leg: Box<dyn Leg>, mut orders: mpsc::Receiver<Order>) {
        let Cast { call, assistant, filling, lines, format, agents, .. } = &self.cast;
        // The answer may choose another one; then lines are spoken when they are needed.
        lines.rehearse(Conversation::lines(assistant, filling), *format);
        self.agent = Conversation::spec(assistant, filling, *call).map(|spec| agents.open(spec));
        let end = loop {
            let wake = poll_fn(|cx| self.poll_wake(cx, leg.as_mut(), &mut orders)).await;
            match wake {
                Wake::Leg(LegEvent::Ended(end)) => break end,
                Wake::Leg(event) => self.on_leg(leg.as_mut(), event),
                Wake::Order(order) => {
                    if let Some(reason) = reason_of(order, self.live.is_connected()) {
                        self.hang_up(leg.as_mut(), reason, HangUp::Forced);
                    }
                }
                Wake::Line(line, Ok(audio)) => self.converse(leg.as_mut(), Input::LineReady { line, audio }),
                Wake::Line(line, Err(error)) => {
                    tracing::error!(call = %self.cast.call, error = causes(&error), "a line could not be spoken");
                    self.converse(leg.as_mut(), Input::LineFailed { line });
                }
                Wake::Agent(event) => self.on_agent(leg.as_mut(), event),
                Wake::Saved => leg.acknowledge(),
                Wake::Deadline => {
                    if self.on_deadline(leg.as_mut()) {
                        break LegEnd::ByUs;
                    }
                }
            }
        };
        self.conclude(leg.as_mut(), end);
    }

    fn poll_wake(
        &mut self,
        cx: &mut Context<'_>,
        leg: &mut dyn Leg,
        orders: &mut mpsc::Receiver<Order>,
    ) -> Poll<Wake> {
        if let Poll::Ready(Some(order)) = orders.poll_recv(cx) {
            return Poll::Ready(Wake::Order(order));
        }
        if let Poll::Ready((line, spoken)) = self.cast.lines.poll_ready(cx) {
            return Poll::Ready(Wake::Line(line, spoken));
        }
        if let Some(saved) = &mut self.saved
            && Pin::new(saved).poll(cx).is_ready()
        {
            self.saved = None;
            return Poll::Ready(Wake::Saved);
        }
        if self.deadline.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Wake::Deadline);
        }
        // The beat comes before an agent that talks faster than it is played.
        if let Poll::Ready(event) = leg.poll_event(cx) {
            return Poll::Ready(Wake::Leg(event));
        }
        match &mut self.talk {
            Some(talk) => talk.poll_agent(cx).map(Wake::Agent),
            None => Poll::Pending,
        }
    }

    fn on_leg(&mut self, leg: &mut dyn Leg, event: LegEvent) {
        match event {
            // What crosses our hanging up changes nothing any more: the leg ends by itself.
            LegEvent::Ringing { .. } | LegEvent::Answered(_) if self.ending.is_some() => {}
            LegEvent::Ringing { code } => self.on_ringing(code),
            LegEvent::Answered(answered) => self.on_answer(leg, *answered),
            LegEvent::Heard(heard) => {
                let now = self.cast.clock.since_boot();
                // Nothing more is said once we hang up.
                let talk = self.talk.as_mut().filter(|_| self.ending.is_none());
                let (frame, end) =
                    talk.map_or((None, None), |talk| talk.beat(now, &heard, leg, &self.cast.lines));
                leg.play(frame.as_ref());
                self.end(leg, end);
            }
            LegEvent::Pressed(digit) => self.converse(leg, Input::Pressed(digit)),
            LegEvent::Referred { connected } => self.converse(leg, Input::Referred { connected }),
            LegEvent::Ended(_) => {}
        }
    }

    fn on_agent(&mut self, leg: &mut dyn Leg, event: AgentEvent) {
        if let AgentEvent::Broken { cause } = &event {
            tracing::error!(call = %self.cast.call, %cause, "the assistant's provider is lost");
        }
        self.converse(leg, Input::Agent(event));
    }

    fn on_ringing(&mut self, code: u16) {
        if self.live.has_rung() {
            return;
        }
        let now = self.cast.clock.now();
        self.live = self.live.ring(now);
        self.cast.moves.send(Move::Ringing { at: now, code });
        self.wait(self.cast.ring_limit);
    }

    fn on_answer(&mut self, leg: &mut dyn Leg, answered: Answered) {
        let now = self.cast.clock.now();
        self.live = self.live.answer(now);
        let (saved, written) = oneshot::channel();
        self.cast.moves.send(Move::Answered { at: now, leg: Box::new(answered.saved), saved });
        self.saved = Some(written);
        let Cast { call, assistant, filling, recorder, clock, .. } = &self.cast;
        let sound = assistant.conduct.records.then_some(answered.format);
        let recording = recorder.begin(*call, sound);
        let agent = self.agent.take();
        let talk =
            Talk::begin((*call, assistant, filling), agent, recording, answered.format, clock.since_boot());
        self.wait(assistant.limits.max_duration + OVERRUN);
        self.talk = Some(talk);
        self.carry_out(leg);
    }

    /// Tells the conversation something and carries out what it wants.
    fn converse(&mut self, leg: &mut dyn Leg, input: Input) {
        let now = self.cast.clock.since_boot();
        if let Some(talk) = &mut self.talk {
            talk.tell(now, input);
        }
        self.carry_out(leg);
    }

    fn carry_out(&mut self, leg: &mut dyn Leg) {
        let (_, end) = self.talk.as_mut().map_or((None, None), |talk| talk.carry_out(leg, &self.cast.lines));
        self.end(leg, end);
    }

    fn end(&mut self, leg: &mut dyn Leg, reason: Option<EndedReason>) {
        if let Some(reason) = reason {
            self.hang_up(leg, reason, HangUp::Normal);
        }
    }

    fn hang_up(&mut self, leg: &mut dyn Leg, reason: EndedReason, cause: HangUp) {
        if self.ending.is_none() {
            self.ending = Some(reason);
            self.over(leg, reason);
            leg.hang_up(cause);
            self.wait(HANG_UP_LIMIT);
        }
    }

    /// Closes the talk; its record is complete when the call's task lets go of it.
    fn over(&mut self, leg: &mut dyn Leg, reason: EndedReason) {
        if let Some(talk) = &mut self.talk {
            talk.over(self.cast.clock.since_boot(), reason);
            let _ = talk.carry_out(leg, &self.cast.lines);
        }
    }

    /// Returns whether the leg must be given up.
    fn on_deadline(&mut self, leg: &mut dyn Leg) -> bool {
        if self.ending.is_some() {
            tracing::error!(call = %self.cast.call, "a leg did not end after hanging up");
            return true;
        }
        if self.live.is_connected() {
            self.hang_up(leg, EndedReason::ExceededMaxDuration, HangUp::Normal);
        } else {
            self.hang_up(leg, EndedReason::NoAnswer, HangUp::RingLimit);
        }
        false
    }

    fn wait(&mut self, limit: Duration) {
        self.deadline.as_mut().reset(Instant::now() + limit);
    }

    fn conclude(mut self, leg: &mut dyn Leg, end: LegEnd) {
        let (reason, answer) = judge(self.ending, self.live, end);
        if let Some(talk) = &mut self.talk {
            talk.count_foreign(leg.foreign_packets());
        }
        self.over(leg, reason);
        let ended = self.live.end(reason, self.cast.clock.now());
        self.cast.moves.send(Move::Ended { ended, answer });
    }
}

/// Why the call ended, from our own reason for hanging up and the way the leg ended.
fn judge(ending: Option<EndedReason>, live: Live, end: LegEnd) -> (EndedReason, Option<FinalAnswer>) {
    match (ending, end) {
        // A busy or declined answer that crossed our CANCEL says more than our own impatience.
        (Some(EndedReason::NoAnswer), LegEnd::Failed(answer)) if answer.code != 487 => {
            (answer.reason(true), Some(answer))
        }
        (Some(reason), LegEnd::Failed(answer)) => (reason, Some(answer)),
        (Some(reason), _) => (reason, None),
        (None, LegEnd::ByPeer) => (EndedReason::CustomerEndedCall, None),
        (None, LegEnd::Failed(answer)) => (answer.reason(live.has_rung()), Some(answer)),
        (None, LegEnd::Unreachable) => (EndedReason::TrunkUnreachable, None),
        (None, LegEnd::MediaTimeout) => (EndedReason::MediaTimeout, None),
        (None, LegEnd::Broken) => (EndedReason::AssistantError, None),
        (None, LegEnd::Unusable | LegEnd::Lost | LegEnd::ByUs) => (EndedReason::TrunkError, None),
    }
}
