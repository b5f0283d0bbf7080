//! Our session refreshes: UPDATE where the callee takes it, else a re-INVITE (RFC 4028 §7, §10).

use std::time::Duration;

use domain::ports::LegEnd;
use rsipstack::sip::{Header, Method, Request, Response};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::hang_up::send_ack;
use super::session_timer::SessionTimer;
use super::talk::Talk;
use super::{Call, Signal, invite_headers};
use crate::dialog::Dialog;
use crate::digest::Answers;
use crate::exchange::{Invite, Outcome, authorize, exchange};
use crate::headers;
use crate::stack::is_local;

/// A refresh on its way.
pub(super) enum Refresh {
    Update(JoinHandle<Outcome>),
    Reinvite(Box<Reinvite>),
}

pub(super) struct Reinvite {
    invite: Invite,
    request: Request,
    answers: Answers,
}

/// How it went so far.
pub(super) enum Refreshed {
    /// The UPDATE is over.
    Updated(Outcome),
    /// The re-INVITE got this response; none when it is over without one.
    Reinvited(Option<Response>),
}

impl Refresh {
    /// The next news of a refresh; never any without one.
    pub(super) async fn next(refresh: &mut Option<Self>) -> Refreshed {
        match refresh {
            None => std::future::pending().await,
            Some(Self::Update(task)) => {
                let outcome = task.await.unwrap_or(Outcome::Silent);
                Refreshed::Updated(outcome)
            }
            Some(Self::Reinvite(reinvite)) => Refreshed::Reinvited(reinvite.invite.next().await),
        }
    }
}

impl Call {
    pub(super) fn start_refresh(&mut self, talk: &mut Talk) {
        let Some(timer) = talk.timer else { return };
        if !talk.updates {
            talk.refresh = self.reinvite(talk, Answers::default()).map(Box::new).map(Refresh::Reinvite);
            return;
        }
        let mut dialog = Dialog { cseq: self.reserve_cseq(), ..self.dialog.clone() };
        let mut extra = timer.refresh_headers();
        extra.push(Header::Contact(dialog.contact().into()));
        let (core, flow) = (self.core.clone(), self.flow.clone());
        let (login, bounds) = (self.login.clone(), self.core.bounds(&self.trunk));
        talk.refresh = Some(Refresh::Update(self.core.runtime.spawn(async move {
            let flow = core.flow_of(&dialog, &flow, &bounds).await;
            exchange(&core, &flow, &mut dialog, login.as_ref(), Method::Update, &extra).await
        })));
    }

    fn reinvite(&mut self, talk: &Talk, mut answers: Answers) -> Option<Reinvite> {
        let cseq = self.dialog.next_cseq();
        let body = self.local.offer(&[talk.agreed.format], talk.agreed.direction);
        let mut extra = invite_headers(&self.dialog);
        extra.retain(|header| !matches!(header, Header::Supported(_)));
        extra.extend(talk.timer.iter().flat_map(SessionTimer::refresh_headers));
        let branch = self.core.tokens.branch();
        let mut request = self.dialog.request(Method::Invite, cseq, &branch, extra, body).ok()?;
        authorize(&self.core, &mut answers, self.login.as_ref(), &mut request);
        let invite = Invite::send(&self.core, &self.flow, request.clone());
        Some(Reinvite { invite, request, answers })
    }

    pub(super) fn on_refreshed(&mut self, talk: &mut Talk, refreshed: Refreshed) -> Option<LegEnd> {
        match refreshed {
            Refreshed::Updated(Outcome::Final(response)) => {
                talk.refresh = None;
                self.on_refresh_answer(talk, &response)
            }
            Refreshed::Updated(Outcome::Silent) | Refreshed::Reinvited(None) => Some(LegEnd::Lost),
            Refreshed::Reinvited(Some(response)) if is_local(&response) => Some(LegEnd::Lost),
            Refreshed::Reinvited(Some(response)) => match response.status_code.code() {
                // The 2xx comes by way of the table.
                100..=299 => None,
                _ => self.on_reinvite_refused(talk, &response),
            },
        }
    }

    fn on_reinvite_refused(&mut self, talk: &mut Talk, response: &Response) -> Option<LegEnd> {
        if let Some(Refresh::Reinvite(mut reinvite)) = talk.refresh.take()
            && let Some(login) = &self.login
            && login.take(&self.core, &self.flow, &mut reinvite.answers, response)
        {
            talk.refresh = self.reinvite(talk, reinvite.answers).map(Box::new).map(Refresh::Reinvite);
            return None;
        }
        self.on_refresh_answer(talk, response)
    }

    /// The 2xx to our re-INVITE.
    pub(super) fn on_reinvite_accepted(&mut self, talk: &mut Talk, response: &Response) -> Option<LegEnd> {
        let number = |headers| headers::cseq(headers).map(|(number, _)| number);
        let Some(Refresh::Reinvite(reinvite)) = &talk.refresh else { return None };
        if number(&reinvite.request.headers) != number(&response.headers) {
            return None;
        }
        self.dialog.refresh_target(headers::first(&response.headers, "Contact"));
        if let Some(ack) = self.build_ack(&self.dialog, &reinvite.request) {
            let flow = self.flow.clone();
            let ack = self.ack_over(ack, &flow);
            self.remember(response, Some(ack.clone()), flow.clone());
            self.core.runtime.spawn(async move { send_ack(&flow, ack).await });
        }
        talk.refresh = None;
        if let Ok(agreed) = self.local.accept_answer(&response.body, &[talk.agreed.format]) {
            talk.agreed = agreed;
            self.tell(Signal::Media(Box::new(self.negotiated(&agreed))));
        }
        self.on_refresh_answer(talk, response)
    }

    /// A final answer to a refresh (RFC 4028 §10, RFC 3261 §12.2.1.2, §14.1).
    fn on_refresh_answer(&mut self, talk: &mut Talk, response: &Response) -> Option<LegEnd> {
        let now = Instant::now();
        match response.status_code.code() {
            200..=299 => {
                let minimum = self.core.timers.session_minimum;
                talk.timer = SessionTimer::of_answer(&response.headers, minimum, now);
            }
            408 | 481 => return Some(LegEnd::Lost),
            405 | 501 if talk.updates => {
                talk.updates = false;
                self.start_refresh(talk);
            }
            422 => {
                // Without a minimum there is nothing to raise it to.
                let minimum = headers::seconds(&response.headers, "Min-SE").unwrap_or_default();
                if let Some(timer) = &mut talk.timer {
                    timer.raise_to(minimum, now);
                }
            }
            491 => {
                // We own the Call-ID: 2.1 to 4 s (RFC 3261 §14.1).
                let pause =
                    Duration::from_millis(2100) + self.core.tokens.part_of(Duration::from_millis(1900));
                if let Some(timer) = &mut talk.timer {
                    timer.retry_at(Some(now + pause));
                }
            }
            code => {
                tracing::debug!(call_id = %self.intent.call_id, code, "a session refresh was refused");
                if let Some(timer) = &mut talk.timer {
                    timer.retry_at(None);
                }
            }
        }
        None
    }
}
