//! The loop of one call on its media thread: events in, frames out, until the leg is over.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use conversation::{Conversation, Input, LineId, Millis, Opening, Output, Turn};
use domain::assistant::Assistant;
use domain::audio::{AudioFormat, Encoded, Frame};
use domain::call::{EndedReason, FinalAnswer, Live};
use domain::ids::CallId;
use domain::ports::{Answered, Clock, HangUp, Leg, LegEnd, LegEvent, SpeechError};
use domain::variables::Variables;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, Sleep};

use super::lines::Lines;
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

/// One running call.
pub(super) struct Drive {
    call: CallId,
    assistant: Assistant,
    variables: Variables,
    lines: Lines,
    moves: Moves,
    clock: Arc<dyn Clock>,
    ring_limit: Duration,
    live: Live,
    /// Why we hang up, once we do.
    ending: Option<EndedReason>,
    talk: Option<Talk>,
    deadline: Pin<Box<Sleep>>,
    saved: Option<oneshot::Receiver<()>>,
}

/// The conversation of an answered call.
struct Talk {
    conversation: Conversation,
    format: AudioFormat,
    since: Duration,
}

enum Wake {
    Leg(LegEvent),
    Order(Order),
    Line(LineId, Result<Encoded, SpeechError>),
    Saved,
    Deadline,
}

impl Drive {
    pub(super) fn new(
        call: CallId,
        assistant: Assistant,
        variables: Variables,
        lines: Lines,
        moves: Moves,
        clock: Arc<dyn Clock>,
        ring_limit: Duration,
    ) -> Self {
        Self {
            call,
            assistant,
            variables,
            lines,
            moves,
            clock,
            ring_limit,
            live: Live::dialling(),
            ending: None,
            talk: None,
            deadline: Box::pin(tokio::time::sleep(DIALLING_LIMIT.max(ring_limit))),
            saved: None,
        }
    }

    /// Carries the call to its end.
    pub(super) async fn run(mut self, mut leg: Box<dyn Leg>, mut orders: mpsc::Receiver<Order>) {
        self.lines.rehearse(Conversation::lines(&self.assistant, &self.variables), AudioFormat::Pcmu);
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
                Wake::Line(line, Ok(audio)) => {
                    self.converse(leg.as_mut(), Input::LineReady { line, audio });
                }
                Wake::Line(line, Err(error)) => {
                    tracing::error!(call = %self.call, error = causes(&error), "a line could not be spoken");
                    self.converse(leg.as_mut(), Input::LineFailed { line });
                }
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
        if let Poll::Ready((line, spoken)) = self.lines.poll_ready(cx) {
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
        leg.poll_event(cx).map(Wake::Leg)
    }

    fn on_leg(&mut self, leg: &mut dyn Leg, event: LegEvent) {
        match event {
            // What crosses our hanging up changes nothing any more: the leg ends by itself.
            LegEvent::Ringing { .. } | LegEvent::Answered(_) if self.ending.is_some() => {}
            LegEvent::Ringing { code } => self.on_ringing(code),
            LegEvent::Answered(answered) => self.on_answer(leg, *answered),
            LegEvent::Heard(heard) => {
                // Nothing more is said once we hang up.
                let talking = self.ending.is_none();
                let frame = talking
                    .then(|| self.converse(leg, Input::Heard { speech: heard.speech, tone: heard.tone }))
                    .flatten();
                leg.play(frame.as_ref());
            }
            LegEvent::Pressed(digit) => {
                self.converse(leg, Input::Pressed(digit));
            }
            LegEvent::Referred { connected } => {
                self.converse(leg, Input::Referred { connected });
            }
            LegEvent::Ended(_) => {}
        }
    }

    fn on_ringing(&mut self, code: u16) {
        if self.live.has_rung() {
            return;
        }
        let now = self.clock.now();
        self.live = self.live.ring(now);
        self.moves.send(Move::Ringing { at: now, code });
        self.wait(self.ring_limit);
    }

    fn on_answer(&mut self, leg: &mut dyn Leg, answered: Answered) {
        let now = self.clock.now();
        self.live = self.live.answer(now);
        let (saved, written) = oneshot::channel();
        self.moves.send(Move::Answered { at: now, leg: Box::new(answered.saved), saved });
        self.saved = Some(written);
        let limits = self.assistant.limits;
        self.wait(limits.max_duration + OVERRUN);
        let conversation = Conversation::begin(Opening {
            assistant: &self.assistant,
            values: &self.variables,
            format: answered.format,
        });
        self.talk = Some(Talk { conversation, format: answered.format, since: self.clock.since_boot() });
        self.carry_out(leg);
    }

    /// Tells the conversation something and carries out what it wants; gives the frame to play.
    fn converse(&mut self, leg: &mut dyn Leg, input: Input) -> Option<Frame> {
        let talk = self.talk.as_mut()?;
        let elapsed = self.clock.since_boot().saturating_sub(talk.since);
        talk.conversation.handle(Millis::ANSWER + elapsed, input);
        self.carry_out(leg)
    }

    fn carry_out(&mut self, leg: &mut dyn Leg) -> Option<Frame> {
        let mut frame = None;
        while let Some(talk) = self.talk.as_mut()
            && let Some(output) = talk.conversation.next_output()
        {
            match output {
                Output::Synthesise { line, text } => self.lines.ask(line, text, talk.format),
                Output::Play(next) => frame = Some(next),
                // No agent is connected here yet, and facts are kept by the record that is to come.
                Output::Silence | Output::Agent(_) | Output::Fact(_) => {}
                Output::Press { digit, length } => leg.press(digit, length),
                Output::Refer(target) => leg.refer(&target),
                Output::Turn(turn) => log_turn(self.call, &turn),
                Output::End(reason) => self.hang_up(leg, reason, HangUp::Normal),
            }
        }
        frame
    }

    fn hang_up(&mut self, leg: &mut dyn Leg, reason: EndedReason, cause: HangUp) {
        if self.ending.is_none() {
            self.ending = Some(reason);
            leg.hang_up(cause);
            self.wait(HANG_UP_LIMIT);
        }
    }

    /// Returns whether the leg must be given up.
    fn on_deadline(&mut self, leg: &mut dyn Leg) -> bool {
        if self.ending.is_some() {
            tracing::error!(call = %self.call, "a leg did not end after hanging up");
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
        self.ending = Some(reason);
        self.converse(leg, Input::Over(reason));
        let ended = self.live.end(reason, self.clock.now());
        self.moves.send(Move::Ended { ended, answer });
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
        (None, LegEnd::Unusable | LegEnd::Lost | LegEnd::ByUs) => (EndedReason::TrunkError, None),
    }
}

/// What is said on a call is for those who ask for it: it may be confidential.
fn log_turn(call: CallId, turn: &Turn) {
    match turn {
        Turn::AssistantBegins { at, text } => {
            tracing::debug!(target: "callwright::turns", %call, %at, text, "assistant says");
        }
        Turn::AssistantSpoke { interrupted: true, to, text, .. } => {
            tracing::debug!(target: "callwright::turns", %call, at = %to, text, "assistant interrupted");
        }
        Turn::AssistantSpoke { .. } => {}
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
