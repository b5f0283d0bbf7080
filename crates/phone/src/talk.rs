//! One answered call: the script is performed, and what is heard is followed and recorded.

use std::time::Duration;

use domain::ports::HeardFrame;
use media::MediaEvent;
use sip::uas::{CallEnd, CallEvent, IncomingCall, SessionOffer, TransferRequest};
use tokio::time::Instant;

use crate::call::Teller;
use crate::event::Happening;
use crate::hearing::{Hearing, Turn};
use crate::house::{House, Part};
use crate::line::Line;
use crate::performance::{Beat, KEY_HELD, Performance};
use crate::script::Transfers;
use crate::tape::Tape;

/// How long a BYE may take while the phone shuts down.
const LAST_WAIT: Duration = Duration::from_secs(2);

/// An answered call.
pub(crate) struct Talk<'a> {
    house: &'a House,
    part: &'a Part,
    teller: &'a Teller,
    line: Line,
    answered: Instant,
    /// From the ACK on: before it, the caller may not hear us yet.
    performance: Option<Performance>,
    hearing: Hearing,
    tape: Option<Tape>,
}

/// What follows from an event.
enum Next {
    GoOn,
    HangUp,
    Ended(CallEnd),
}

impl<'a> Talk<'a> {
    pub(crate) fn new(house: &'a House, part: &'a Part, teller: &'a Teller, line: Line) -> Self {
        let hearing = Hearing::default();
        let answered = Instant::now();
        Self { house, part, teller, line, answered, performance: None, hearing, tape: None }
    }

    /// Holds the call until it ends; returns how long it lasted.
    pub(crate) async fn hold(mut self, call: &mut IncomingCall) -> Duration {
        let limit = self.part.script.hang_up_after;
        let time_to_go = async {
            match limit {
                Some(limit) => tokio::time::sleep(limit).await,
                None => std::future::pending().await,
            }
        };
        tokio::pin!(time_to_go);
        let end = loop {
            let next = tokio::select! {
                biased;
                () = self.house.stop.cancelled() => Next::HangUp,
                event = call.next() => self.signalled(event),
                () = &mut time_to_go => Next::HangUp,
                event = self.line.next() => self.sounded(event),
            };
            match next {
                Next::GoOn => {}
                Next::HangUp => break None,
                Next::Ended(end) => break Some(end),
            }
        };
        let talked = self.answered.elapsed();
        if end == Some(CallEnd::NeverAcknowledged) {
            self.teller.tell(Happening::Failed { why: "the ACK never came".to_owned() });
        }
        self.teller.tell(Happening::HungUp { by_us: end != Some(CallEnd::ByPeer) });
        let Self { house, teller, part, tape, line, .. } = self;
        // No more audio goes out once the call is over.
        drop(line);
        tokio::join!(leave(house, call), save(tape, part, teller));
        talked
    }

    fn signalled(&mut self, event: CallEvent) -> Next {
        match event {
            CallEvent::Acknowledged { answer } => self.acknowledged(answer.as_deref()),
            CallEvent::Offered(offer) => {
                self.renew(offer);
                Next::GoOn
            }
            CallEvent::Referred(request) => {
                self.transfer(request);
                Next::GoOn
            }
            CallEvent::Ended(end) => Next::Ended(end),
        }
    }

    fn acknowledged(&mut self, answer: Option<&[u8]>) -> Next {
        if self.line.format().is_none() {
            // The 200 carried our offer, so the ACK has to carry the answer (RFC 3264 §5).
            if let Err(error) = self.line.answered(answer.unwrap_or_default()) {
                self.teller.tell(Happening::Failed { why: error.to_string() });
                return Next::HangUp;
            }
            self.line.start();
        }
        if let Some(format) = self.line.format() {
            self.performance = Some(Performance::new(self.part.cues.clone(), format));
        }
        Next::GoOn
    }

    fn renew(&mut self, offer: SessionOffer) {
        match self.line.renew(offer.sdp()) {
            Ok(sdp) => {
                offer.accept(sdp);
                self.line.start();
                if let Some(format) = self.line.format() {
                    if let Some(performance) = &mut self.performance {
                        performance.switch(format);
                    }
                    if let Some(tape) = &mut self.tape {
                        tape.switch(format);
                    }
                }
            }
            Err(_) => offer.refuse(),
        }
    }

    /// Says what becomes of a transfer; the talk goes on until the caller hangs up.
    fn transfer(&self, request: TransferRequest) {
        let answer = self.part.script.transfers;
        self.teller.tell(Happening::Transferred { target: request.target().to_owned(), answer });
        match answer {
            Transfers::Accept => request.accept(200, "OK"),
            Transfers::Fail => request.accept(486, "Busy Here"),
            Transfers::Refuse => request.refuse(),
        }
    }

    fn sounded(&mut self, event: MediaEvent) -> Next {
        match event {
            MediaEvent::Heard(frame) => return self.beat(&frame),
            MediaEvent::Pressed(digit) => self.teller.tell(Happening::Pressed(digit)),
            MediaEvent::TimedOut => self.teller.tell(Happening::MediaTimedOut),
        }
        Next::GoOn
    }

    /// Every 20 ms: hear, then act.
    fn beat(&mut self, heard: &HeardFrame) -> Next {
        if let (Some(format), Some(_)) = (self.line.format(), &self.part.script.record) {
            self.tape.get_or_insert_with(|| Tape::new(format)).hear(heard.audio.as_ref());
        }
        match self.hearing.frame(heard.speech) {
            Some(Turn::Started(at_ms)) => self.teller.tell(Happening::HeardSpeechStarted { at_ms }),
            Some(Turn::Stopped(at_ms)) => self.teller.tell(Happening::HeardSpeechStopped { at_ms }),
            None => {}
        }
        let beat = self.performance.as_mut().map_or(Beat::Rest, |actor| actor.beat(&self.hearing));
        let session = &mut self.line.session;
        match beat {
            Beat::Play(frame) => session.play(Some(frame)),
            Beat::Press(digit) => {
                session.press(digit, KEY_HELD);
                session.play(None);
                self.teller.tell(Happening::PressedByUs(digit));
            }
            Beat::Said(what) => {
                session.play(None);
                self.teller.tell(Happening::Said { what: what.to_string() });
            }
            Beat::Rest => session.play(None),
            Beat::HangUp => return Next::HangUp,
        }
        Next::GoOn
    }
}

/// Says BYE and waits for its answer; a phone that shuts down does not wait for a dead caller.
async fn leave(house: &House, call: &mut IncomingCall) {
    let impatient = async {
        house.stop.cancelled().await;
        tokio::time::sleep(LAST_WAIT).await;
    };
    tokio::select! {
        () = call.hang_up() => {}
        () = impatient => tracing::debug!("a caller did not answer our BYE in time"),
    }
}

async fn save(tape: Option<Tape>, part: &Part, teller: &Teller) {
    let (Some(tape), Some(target)) = (tape, part.script.record.clone()) else { return };
    let number = teller.label.to.clone();
    let saved = tokio::task::spawn_blocking(move || tape.save(&target, &number)).await;
    match saved {
        Ok(Ok(recorded)) => teller.tell(Happening::Recorded(recorded)),
        Ok(Err(error)) => teller.tell(Happening::Failed { why: format!("cannot record: {error}") }),
        Err(_panicked) => teller.tell(Happening::Failed { why: "cannot record".to_owned() }),
    }
}
