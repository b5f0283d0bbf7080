//! One call up to its answer: refused, left ringing, or taken.

use std::sync::Arc;
use std::time::Duration;

use media::MediaEvent;
use sip::uas::{CallEvent, IncomingCall};
use tokio::time::Instant;

use crate::event::{CallLabel, Happening, PhoneEvent};
use crate::house::{House, Part};
use crate::line::Line;
use crate::script::Behaviour;
use crate::talk::Talk;

/// Tells the events of one call.
pub(crate) struct Teller {
    house: Arc<House>,
    pub(crate) label: Arc<CallLabel>,
    began: Instant,
}

impl Teller {
    pub(crate) fn tell(&self, what: Happening) {
        let event = PhoneEvent { call: self.label.clone(), at: self.began.elapsed(), what };
        tracing::debug!(%event, "phone");
        // Nobody has to listen.
        let _ = self.house.events.send(event);
    }
}

/// Carries one call from its INVITE to its end.
pub(crate) async fn carry(house: Arc<House>, mut call: IncomingCall) {
    let label = CallLabel { call_id: call.call_id().to_owned(), from: call.from(), to: call.dialled() };
    let teller = Teller { house: house.clone(), label: Arc::new(label), began: Instant::now() };
    teller.tell(Happening::Incoming);
    let part = match house.cast.of(&teller.label.to).await {
        Ok(part) => part,
        Err(error) => {
            teller.tell(Happening::Failed { why: error.to_string() });
            refuse(&teller, &mut call, 500, "Server Internal Error");
            return teller.tell(Happening::Over { talked: None });
        }
    };
    let talked = match receive(&house, &part, &teller, &mut call).await {
        Some(line) => Some(Talk::new(&house, &part, &teller, line).hold(&mut call).await),
        None => None,
    };
    // Over means that nothing of it is left.
    drop(call);
    teller.tell(Happening::Over { talked });
}

/// Rings and answers; none when the call ends before.
async fn receive(house: &House, part: &Part, teller: &Teller, call: &mut IncomingCall) -> Option<Line> {
    let (after, ringing) = match &part.script.behaviour {
        Behaviour::Answer { after, ringing } => (Some(*after), *ringing),
        Behaviour::NeverAnswer => (None, true),
        Behaviour::Busy => return refuse(teller, call, 486, "Busy Here"),
        Behaviour::Decline => return refuse(teller, call, 603, "Decline"),
        Behaviour::Reject { code, phrase } => return refuse(teller, call, *code, phrase),
    };
    let Some(socket) = house.ports.bind(&*house.entropy) else {
        teller.tell(Happening::Failed { why: "no media port is free".to_owned() });
        return refuse(teller, call, 503, "Service Unavailable");
    };
    let mut line = Line::new(socket, call.local_ip(), house.formats.clone(), house.nat, &*house.entropy);
    let answer = match call.offer().map(|offer| line.answer(offer)).transpose() {
        Ok(answer) => answer,
        Err(error) => {
            teller.tell(Happening::Failed { why: error.to_string() });
            return refuse(teller, call, 488, "Not Acceptable Here");
        }
    };
    match &answer {
        Some(answer) if part.script.early_media => {
            call.ring_with_media(answer.clone());
            line.start();
            teller.tell(Happening::Ringing);
        }
        _ if ringing => {
            call.ring();
            teller.tell(Happening::Ringing);
        }
        _ => {}
    }
    if !wait(house, teller, call, &mut line, after).await {
        return None;
    }
    call.answer(answer.unwrap_or_else(|| line.offer()));
    line.start();
    teller.tell(Happening::Answered { format: line.format() });
    Some(line)
}

fn refuse(teller: &Teller, call: &mut IncomingCall, code: u16, phrase: &str) -> Option<Line> {
    call.refuse(code, phrase);
    teller.tell(Happening::Refused { code });
    None
}

/// Waits until it is time to answer; false when the call is over before.
async fn wait(
    house: &House,
    teller: &Teller,
    call: &mut IncomingCall,
    line: &mut Line,
    after: Option<Duration>,
) -> bool {
    let time_to_answer = async {
        match after {
            Some(after) => tokio::time::sleep(after).await,
            None => std::future::pending().await,
        }
    };
    tokio::pin!(time_to_answer);
    let mut tone = 0_usize;
    loop {
        tokio::select! {
            () = house.stop.cancelled() => {
                refuse(teller, call, 480, "Temporarily Unavailable");
                return false;
            }
            event = call.next() => match event {
                CallEvent::Ended(_) => {
                    teller.tell(Happening::Cancelled);
                    return false;
                }
                CallEvent::Offered(offer) => offer.refuse(),
                CallEvent::Referred(request) => request.refuse(),
                CallEvent::Acknowledged { .. } => {}
            },
            event = line.next() => if let (MediaEvent::Heard(_), Some(format)) = (event, line.format()) {
                let frames = house.ringback.frames(format);
                line.session.play(frames.get(tone % frames.len().max(1)));
                tone += 1;
            },
            () = &mut time_to_answer => return true,
        }
    }
}
