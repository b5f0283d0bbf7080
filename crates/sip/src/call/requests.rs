//! The callee's requests in our dialog: BYE, OPTIONS, INFO, NOTIFY, UPDATE, re-INVITE (RFC 3261
//! §12.2.2, §14.2, RFC 3311).

use std::sync::Arc;

use domain::ports::LegEnd;
use rsipstack::sip::{Header, Method, SipMessage};
use rsipstack::transaction::Transaction;
use tokio::time::Instant;

use super::session_timer::SessionTimer;
use super::talk::Talk;
use super::{Call, Signal};
use crate::dialog::{ALLOW, SDP};
use crate::headers;
use crate::sdp;
use crate::table::Inbound;

/// Answers to re-INVITEs that may wait for their ACK at a time; an honest peer has one.
const MOST_UNACKNOWLEDGED: usize = 8;

/// An answer to be sent: code, headers, body.
type Answer = (u16, Vec<Header>, Option<Vec<u8>>);

impl Call {
    /// A request before the answer.
    pub(super) async fn on_early_request(&mut self, request: Transaction, early_media: bool) {
        let answer = match request.original.method {
            Method::Options | Method::Info => plain(200),
            Method::Update if request.original.body.is_empty() => self.with_contact(plain(200)),
            Method::Update if early_media => match self.local.answer(&request.original.body, &self.formats) {
                Ok((body, _)) => self.with_contact(described(body)),
                Err(_) => plain(488),
            },
            // Our own offer is still open (RFC 3311 §5.2, RFC 3261 §14.2).
            Method::Update | Method::Invite => plain(491),
            Method::Bye | Method::PRack => plain(481),
            _ => plain(405),
        };
        self.reply(request, answer).await;
    }

    /// A request in the answered dialog; an end when it ends it.
    pub(super) async fn on_request(&mut self, talk: &mut Talk, request: Transaction) -> Option<LegEnd> {
        // Before its offer takes effect: an answer of ours that nobody hears may not change the call.
        let missing_acks = Arc::strong_count(&self.state.answering).saturating_sub(1);
        if request.original.method == Method::Invite && missing_acks >= MOST_UNACKNOWLEDGED {
            return None;
        }
        let Some((number, _)) = headers::cseq(&request.original.headers) else {
            self.reply(request, plain(400)).await;
            return None;
        };
        if talk.remote_cseq.is_some_and(|highest| number < highest) {
            self.reply(request, plain(500)).await;
            return None;
        }
        talk.remote_cseq = Some(number);
        let answer = match request.original.method {
            Method::Bye => {
                self.reply(request, plain(200)).await;
                return Some(LegEnd::ByPeer);
            }
            Method::Options | Method::Info => plain(200),
            Method::Notify => plain(self.on_notify(talk, &request.original)),
            Method::Update | Method::Invite => self.renegotiate(talk, &request).await,
            Method::PRack => plain(481),
            _ => plain(405),
        };
        self.reply(request, answer).await;
        None
    }

    /// The ACK of our answer to a re-INVITE: it answers our offer, when we made one.
    pub(super) fn on_acknowledged(&mut self, talk: &mut Talk, body: &[u8]) -> Option<LegEnd> {
        if std::mem::take(&mut talk.offered)
            && let Ok(agreed) = self.local.accept_answer(body, &[talk.agreed.format])
        {
            talk.agreed = agreed;
            self.tell(Signal::Media(Box::new(self.negotiated(&agreed))));
        }
        None
    }

    async fn renegotiate(&mut self, talk: &mut Talk, request: &Transaction) -> Answer {
        let (asked, is_invite) = (&request.original, request.original.method == Method::Invite);
        if talk.refresh.is_some() {
            return plain(491);
        }
        let timer = SessionTimer::of_request(&asked.headers, Instant::now());
        let minimum = self.core.timers.session_minimum;
        let interval = headers::seconds(&asked.headers, "Session-Expires");
        let too_short = interval.is_some_and(|interval| interval < minimum);
        if too_short && headers::names(&asked.headers, "Supported", "timer") {
            return (422, vec![Header::MinSE(minimum.as_secs().to_string().into())], None);
        }
        let mut answer = if !asked.body.is_empty() {
            self.local.version = self.local.version.wrapping_add(1);
            match self.local.answer(&asked.body, &[talk.agreed.format]) {
                Ok((body, agreed)) => {
                    talk.agreed = agreed;
                    talk.offered = false;
                    self.tell(Signal::Media(Box::new(self.negotiated(&agreed))));
                    described(body)
                }
                Err(error) => {
                    tracing::debug!(call_id = %self.intent.call_id, %error, "an offer was refused");
                    return plain(488);
                }
            }
        } else if is_invite {
            self.local.version = self.local.version.wrapping_add(1);
            talk.offered = true;
            described(self.local.offer(&[talk.agreed.format], sdp::Direction::SendRecv))
        } else {
            plain(200)
        };
        // Who knows no timers would not understand the refusal: then there is none.
        if let Some((timer, headers)) = timer.filter(|_| !too_short) {
            talk.timer = Some(timer);
            answer.1.extend(headers);
        }
        let contact = headers::first(&asked.headers, "Contact").map(str::to_owned);
        if self.dialog.refresh_target(contact.as_deref()) {
            self.flow = self.core.flow_of(&self.dialog, &self.flow, &self.core.bounds(&self.trunk)).await;
        }
        self.with_contact(answer)
    }

    fn with_contact(&self, mut answer: Answer) -> Answer {
        answer.1.push(Header::Contact(self.dialog.contact().into()));
        answer.1.push(Header::Supported("timer, 100rel".into()));
        answer
    }

    /// Sends an answer. That to an INVITE is repeated until its ACK, beside this task.
    pub(super) async fn reply(&self, mut request: Transaction, answer: Answer) {
        let is_invite = request.original.method == Method::Invite;
        let answering = self.state.answering.clone();
        // The state holds one and so does this answer. With that many ACKs missing, INVITEs get no answer.
        if is_invite && Arc::strong_count(&answering) >= MOST_UNACKNOWLEDGED + 2 {
            return;
        }
        let (code, mut extra, body) = answer;
        extra.push(Header::Allow(ALLOW.into()));
        let sent = request.reply_with(code.into(), extra, body).await;
        if let Err(error) = sent {
            tracing::debug!(%error, "a request could not be answered");
            return;
        }
        if !is_invite {
            return;
        }
        let inbox = self.registration.inbox();
        self.core.runtime.spawn(async move {
            let acknowledged = loop {
                match request.receive().await {
                    Some(SipMessage::Request(ack)) if ack.method == Method::Ack => break Some(ack.body),
                    Some(_) => {}
                    None => break None,
                }
            };
            drop(answering);
            let told = match acknowledged {
                Some(body) => Inbound::Acknowledged(body),
                None if code < 300 => Inbound::Unacknowledged,
                None => return,
            };
            let _ = inbox.try_send(told);
        });
    }
}

fn plain(code: u16) -> Answer {
    (code, Vec::new(), None)
}

fn described(body: Vec<u8>) -> Answer {
    (200, vec![Header::ContentType(SDP.into())], Some(body))
}
