//! From the INVITE to its answer: ringing, early media, digest, session intervals, the next gateway,
//! CANCEL and its races (RFC 3261 §9, §13).

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use domain::ports::{HangUp, LegEnd};
use futures_util::FutureExt;
use rsipstack::sip::{Header, Method, Request, Response};
use tokio::time::Instant;

use super::dialled::{Answer, Dialled};
use super::{Call, Command, Signal, invite_headers};
use crate::dialog::cancel_of;
use crate::digest::Answers;
use crate::exchange::{Invite, authorize, exchange, send_once};
use crate::headers;
use crate::prepared::open_first;
use crate::sdp;
use crate::stack::{Flow, is_local};
use crate::table::Inbound;
use crate::tokens::{MOST_INVITES, retry_branch};

/// Reliable provisional answers of one call that get their PRACK.
const MOST_PRACKS: usize = 32;

/// The INVITEs of one call: the first, and what digest, 422 or a 503 made of it.
struct Attempt {
    invite: Invite,
    request: Request,
    /// How many INVITEs went before.
    retry: u32,
    answers: Answers,
    session: Duration,
    minimum: Duration,
    /// Any answer came to this INVITE.
    heard: bool,
    /// A provisional answer came to this INVITE.
    provisional: bool,
    /// The status that was last told as ringing.
    told: Option<u16>,
    cancelled: bool,
    /// After hanging up, when the leg ends without waiting on.
    give_up: Option<Instant>,
    /// After hanging up, when nothing can come any more.
    forget: Option<Instant>,
    /// The last early session description, by the callee's tag.
    early: Option<(String, Vec<u8>)>,
    /// Reliable provisional answers that have their PRACK: tag and number.
    pracked: Vec<(String, u32)>,
}

enum Happened {
    Response(Option<Response>),
    Inbound(Inbound),
    Command(Option<Command>),
    Broken,
    GaveUp,
    Forgotten,
}

impl Call {
    /// Dials until an answer, a failure, or the leg's wish.
    pub(super) async fn dial(&mut self) -> Dialled {
        let (session, minimum) = (self.core.timers.session, self.core.timers.session_minimum);
        let Some((invite, request)) = self.invite(0, &mut Answers::default(), session, minimum) else {
            return Dialled::Over(LegEnd::Unreachable);
        };
        let mut attempt = Attempt {
            invite,
            request,
            retry: 0,
            answers: Answers::default(),
            session,
            minimum,
            heard: false,
            provisional: false,
            told: None,
            cancelled: false,
            give_up: None,
            forget: None,
            early: None,
            pracked: Vec::new(),
        };
        loop {
            let dialled = match AssertUnwindSafe(self.step(&mut attempt)).catch_unwind().await {
                Ok(dialled) => dialled,
                Err(_) if self.state.hung_up => Some(Dialled::Over(LegEnd::Broken)),
                // A telephone may ring by now: CANCEL, or BYE if it is picked up all the same.
                Err(_) => {
                    tracing::error!(call_id = %self.intent.call_id, "the signalling of a call broke while dialling");
                    self.on_hang_up(&mut attempt, Some(HangUp::Forced));
                    self.end(LegEnd::Broken);
                    None
                }
            };
            if let Some(dialled) = dialled {
                return dialled;
            }
        }
    }

    /// The next thing that happens, and what it comes to.
    async fn step(&mut self, attempt: &mut Attempt) -> Option<Dialled> {
        match self.wait(attempt).await {
            Happened::Response(Some(response)) => self.on_response(attempt, response).await,
            Happened::Response(None) => Some(Dialled::Over(self.without_answer(attempt))),
            Happened::Inbound(Inbound::Accepted(response)) => {
                self.catch_up(attempt);
                self.on_accepted(attempt, *response).await
            }
            Happened::Inbound(Inbound::Request(request)) => {
                self.on_early_request(*request, attempt.early.is_some()).await;
                None
            }
            Happened::Inbound(Inbound::Acknowledged(_) | Inbound::Unacknowledged)
            | Happened::Command(Some(Command::Acknowledge | Command::Refer(_))) => None,
            Happened::Command(Some(Command::HangUp(cause))) => {
                self.on_hang_up(attempt, Some(cause));
                None
            }
            Happened::Command(None) => {
                self.on_hang_up(attempt, None);
                None
            }
            Happened::Broken => Some(Dialled::Over(LegEnd::Unreachable)),
            Happened::GaveUp => {
                attempt.give_up = None;
                self.end(LegEnd::ByUs);
                None
            }
            Happened::Forgotten => Some(Dialled::Over(LegEnd::ByUs)),
        }
    }

    async fn wait(&mut self, attempt: &mut Attempt) -> Happened {
        let listening = !attempt.heard && !self.state.hung_up;
        tokio::select! {
            biased;
            inbound = self.registration.next() => Happened::Inbound(inbound),
            response = attempt.invite.next() => Happened::Response(response),
            command = self.commands.recv(), if !self.state.hung_up => Happened::Command(command),
            () = until(attempt.give_up) => Happened::GaveUp,
            () = until(attempt.forget) => Happened::Forgotten,
            () = self.flow.broken(), if listening => Happened::Broken,
        }
    }

    /// Builds and sends one INVITE.
    fn invite(
        &mut self,
        retry: u32,
        answers: &mut Answers,
        session: Duration,
        minimum: Duration,
    ) -> Option<(Invite, Request)> {
        let cseq = self.intent.cseq.saturating_add(retry);
        self.dialog.cseq = cseq;
        let body = self.local.offer(&self.formats, sdp::Direction::SendRecv);
        let mut extra = invite_headers(&self.dialog);
        extra.push(Header::SessionExpires(session.as_secs().to_string().into()));
        extra.push(Header::MinSE(minimum.as_secs().to_string().into()));
        extra.extend(self.identity.iter().cloned());
        let branch = retry_branch(&self.intent.branch, retry);
        let mut request = self
            .dialog
            .request(Method::Invite, cseq, &branch, extra, body)
            .inspect_err(|error| tracing::error!(%error, "an INVITE cannot be addressed"))
            .ok()?;
        authorize(&self.core, answers, self.login.as_ref(), &mut request);
        Some((Invite::send(&self.core, &self.flow, request.clone()), request))
    }

    fn again(&mut self, attempt: &mut Attempt) -> Option<Dialled> {
        let retry = attempt.retry + 1;
        let (session, minimum) = (attempt.session, attempt.minimum);
        let Some((invite, request)) = self.invite(retry, &mut attempt.answers, session, minimum) else {
            return Some(Dialled::Over(LegEnd::Unreachable));
        };
        attempt.invite = invite;
        attempt.request = request;
        attempt.retry = retry;
        attempt.heard = false;
        attempt.provisional = false;
        attempt.cancelled = false;
        None
    }

    /// A response other than a 2xx, which comes by way of the table.
    async fn on_response(&mut self, attempt: &mut Attempt, response: Response) -> Option<Dialled> {
        if is_local(&response) {
            return Some(Dialled::Over(self.without_answer(attempt)));
        }
        attempt.heard = true;
        match response.status_code.code() {
            100..=199 => {
                self.on_provisional(attempt, &response);
                None
            }
            200..=299 => None,
            code => self.on_failure(attempt, code, &response).await,
        }
    }

    /// Takes the provisional answers that came before a 2xx and still wait beside it.
    fn catch_up(&mut self, attempt: &mut Attempt) {
        while let Some(response) = attempt.invite.waiting() {
            if !self.state.hung_up && (101..200).contains(&response.status_code.code()) {
                self.on_provisional(attempt, &response);
            }
        }
    }

    fn on_provisional(&mut self, attempt: &mut Attempt, response: &Response) {
        attempt.provisional = true;
        if self.state.hung_up {
            self.cancel(attempt);
        }
        let code = response.status_code.code();
        if (180..=183).contains(&code) && attempt.told != Some(code) {
            attempt.told = Some(code);
            self.tell(Signal::Ringing(code));
        }
        if let (Some(tag), false) = (headers::to_tag(&response.headers), response.body.is_empty()) {
            attempt.early = Some((tag.to_owned(), response.body.clone()));
        }
        self.acknowledge_provisional(attempt, response);
    }

    /// Sends the PRACK of a reliable provisional answer, once each (RFC 3262 §4).
    fn acknowledge_provisional(&mut self, attempt: &mut Attempt, response: &Response) {
        if !headers::names(&response.headers, "Require", "100rel") {
            return;
        }
        let Some(number) = headers::rseq(&response.headers) else { return };
        let Some(mut early) = self.dialog.created_by(response) else { return };
        let known = (early.remote_tag.clone().unwrap_or_default(), number);
        if attempt.pracked.contains(&known) || attempt.pracked.len() >= MOST_PRACKS {
            return;
        }
        attempt.pracked.push(known);
        // Room for this request and its answer to a challenge; numbers may skip (RFC 3261 §12.2.1.1).
        early.cseq = self.reserve_cseq();
        let invite = headers::cseq(&attempt.request.headers).map_or(0, |(number, _)| number);
        let extra = vec![Header::RAck(format!("{number} {invite} INVITE").into())];
        let (core, flow) = (self.core.clone(), self.flow.clone());
        let (login, bounds) = (self.login.clone(), self.core.bounds(&self.trunk));
        self.core.runtime.spawn(async move {
            let flow = core.flow_of(&early, &flow, &bounds).await;
            exchange(&core, &flow, &mut early, login.as_ref(), Method::PRack, &extra).await;
        });
    }

    async fn on_failure(&mut self, attempt: &mut Attempt, code: u16, response: &Response) -> Option<Dialled> {
        if self.state.hung_up {
            return Some(Dialled::Over(LegEnd::ByUs));
        }
        // Whatever asks for another INVITE: an endless row of them is a loop.
        if attempt.retry + 1 >= MOST_INVITES {
            return Some(Dialled::Over(LegEnd::Failed(headers::final_answer(response))));
        }
        if let Some(login) = &self.login
            && login.take(&self.core, &self.flow, &mut attempt.answers, response)
        {
            return self.again(attempt);
        }
        if code == 422
            && let Some(minimum) = headers::seconds(&response.headers, "Min-SE")
            && minimum > attempt.minimum
        {
            attempt.minimum = minimum;
            attempt.session = attempt.session.max(minimum);
            return self.again(attempt);
        }
        // Only now is it sure that no telephone rings because of us (design, section 4).
        if code == 503
            && !attempt.provisional
            && let Some(flow) = self.next_gateway().await
        {
            tracing::info!(call_id = %self.intent.call_id, gateway = %flow.peer, "503: trying the next gateway");
            self.dialog.sent_by = self.core.sent_by(&self.trunk, flow.peer);
            self.local.address.set_ip(self.dialog.sent_by.ip());
            self.flow = flow;
            attempt.answers = Answers::default();
            return self.again(attempt);
        }
        Some(Dialled::Over(LegEnd::Failed(headers::final_answer(response))))
    }

    async fn next_gateway(&mut self) -> Option<Flow> {
        let (core, host) = (self.core.clone(), self.trunk.address.host.clone());
        let further = std::mem::take(&mut self.further);
        let (flow, further) = open_first(core, self.flow.transport, further, host).await.ok()?;
        self.further = further;
        Some(flow)
    }

    async fn on_accepted(&mut self, attempt: &Attempt, response: Response) -> Option<Dialled> {
        let ours = headers::cseq(&attempt.request.headers).map(|(number, _)| number);
        if headers::cseq(&response.headers).map(|(number, _)| number) != ours {
            return None;
        }
        self.state.late_until = Some(Instant::now() + self.core.timers.late);
        let Some(dialog) = self.dialog.created_by(&response) else {
            // Without a tag there is no dialog that a BYE could end.
            return Some(Dialled::Over(LegEnd::Unusable));
        };
        if self.state.hung_up {
            self.refuse_answer(dialog, &attempt.request, &response).await;
            return Some(Dialled::Over(LegEnd::ByUs));
        }
        let early = attempt.early.as_ref().filter(|(tag, _)| dialog.remote_tag.as_ref() == Some(tag));
        let body = match (response.body.is_empty(), early) {
            (true, Some((_, body))) => body,
            _ => &response.body,
        };
        match self.local.accept_answer(body, &self.formats) {
            Ok(agreed) => {
                let invite = attempt.request.clone();
                Some(Dialled::Answered(Box::new(Answer { dialog, response, invite, agreed })))
            }
            Err(error) => {
                tracing::info!(call_id = %self.intent.call_id, %error, "the answer cannot be used");
                self.refuse_answer(dialog, &attempt.request, &response).await;
                Some(Dialled::Over(LegEnd::Unusable))
            }
        }
    }

    fn on_hang_up(&mut self, attempt: &mut Attempt, cause: Option<HangUp>) {
        self.on_hang_up_order(cause);
        let now = Instant::now();
        attempt.give_up = Some(now + self.core.timers.cancelled);
        attempt.forget = Some(now + self.core.timers.late);
        // Before a provisional answer a CANCEL may overtake its INVITE (RFC 3261 §9.1).
        if attempt.provisional {
            self.cancel(attempt);
        }
    }

    fn cancel(&self, attempt: &mut Attempt) {
        if std::mem::replace(&mut attempt.cancelled, true) {
            return;
        }
        let (core, flow) = (self.core.clone(), self.flow.clone());
        let mut cancel = cancel_of(&attempt.request);
        cancel.headers.push(self.reason());
        self.core.runtime.spawn(async move { send_once(&core, &flow, cancel).await });
    }

    /// No final answer came by itself.
    fn without_answer(&self, attempt: &Attempt) -> LegEnd {
        match () {
            () if self.state.hung_up => LegEnd::ByUs,
            () if !attempt.heard => LegEnd::Unreachable,
            // The trunk fell silent after it had spoken.
            () => LegEnd::Lost,
        }
    }

    /// Numbers for a request that runs beside this task.
    pub(super) fn reserve_cseq(&mut self) -> u32 {
        let reserved = self.dialog.cseq;
        self.dialog.cseq = self.dialog.cseq.saturating_add(8);
        reserved
    }
}

/// Waits until a moment, or forever.
pub(super) async fn until(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment).await,
        None => std::future::pending().await,
    }
}
