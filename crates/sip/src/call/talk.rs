//! The answered call: its ACK, the callee's requests, session refreshes, and BYE from either side.

use domain::ports::{Answered, LegEnd};
use rsipstack::sip::{Request, Response};
use tokio::time::Instant;

use super::dial::until;
use super::dialled::Answer;
use super::hang_up::send_ack;
use super::refresh::{Refresh, Refreshed};
use super::session_timer::{Due, SessionTimer};
use super::transfer::Transfer;
use super::{Call, Command, Signal};
use crate::dialog::Dialog;
use crate::exchange::Outcome;
use crate::headers;
use crate::sdp::Agreed;
use crate::table::Inbound;

/// What only an answered call has.
pub(super) struct Talk {
    /// The INVITE that was answered.
    pub(super) invite: Request,
    pub(super) agreed: Agreed,
    pub(super) timer: Option<SessionTimer>,
    pub(super) refresh: Option<Refresh>,
    pub(super) transfer: Option<Transfer>,
    /// Whether the callee takes UPDATE (RFC 3311).
    pub(super) updates: bool,
    /// The highest number of the callee's requests.
    pub(super) remote_cseq: Option<u32>,
    /// Our offer in a 200 to an empty re-INVITE waits for its answer in the ACK.
    pub(super) offered: bool,
    /// The ACK, until it is sent, and when that is at the latest.
    ack: Option<(Request, Instant)>,
    response: Response,
}

enum Happened {
    Inbound(Inbound),
    Command(Option<Command>),
    AckDue,
    TimerDue(Due),
    Refreshed(Refreshed),
    /// The REFER was answered, or its time is over.
    Referred(Option<Outcome>),
}

impl Call {
    /// Carries an answered call to its end.
    pub(super) async fn talk(&mut self, answer: Answer) -> LegEnd {
        let Answer { dialog, response, invite, agreed } = answer;
        self.dialog = Dialog { cseq: self.dialog.cseq.max(dialog.cseq), ..dialog };
        self.state.gateway = Some(self.flow.clone());
        let now = Instant::now();
        let ack = self.build_ack(&self.dialog, &invite);
        self.remember(&response, None, self.flow.clone());
        let answered = Answered { saved: self.dialog.saved(&self.intent), format: agreed.format };
        let news = Signal::Answered(Box::new((answered, self.negotiated(&agreed))));
        // A leg that is gone closed its commands too: the loop below hangs up.
        if let Some(signals) = &self.signals {
            let _ = signals.try_send(news);
        }
        self.flow = self.core.flow_of(&self.dialog, &self.flow, &self.core.bounds(&self.trunk)).await;
        let mut talk = Talk {
            timer: SessionTimer::of_answer(&response.headers, self.core.timers.session_minimum, now),
            updates: headers::names(&response.headers, "Allow", "UPDATE"),
            ack: ack.map(|ack| (ack, now + self.core.timers.acknowledge)),
            invite,
            agreed,
            refresh: None,
            transfer: None,
            remote_cseq: None,
            offered: false,
            response,
        };
        loop {
            let end = match self.wait_talking(&mut talk).await {
                Happened::Inbound(Inbound::Accepted(response)) => {
                    self.on_late_answer(&mut talk, &response).await
                }
                Happened::Inbound(Inbound::Request(request)) => {
                    // Whoever sends requests in the dialog has our ACK or does without it.
                    self.on_request(&mut talk, *request).await
                }
                Happened::Inbound(Inbound::Acknowledged(body)) => self.on_acknowledged(&mut talk, &body),
                Happened::Inbound(Inbound::Unacknowledged) | Happened::TimerDue(Due::Expiry) => {
                    Some(LegEnd::Lost)
                }
                Happened::Command(Some(Command::Acknowledge)) | Happened::AckDue => {
                    self.acknowledge(&mut talk).await;
                    None
                }
                Happened::Command(Some(Command::HangUp(cause))) => {
                    self.on_hang_up_order(Some(cause));
                    Some(LegEnd::ByUs)
                }
                Happened::Command(Some(Command::Refer(target))) => {
                    self.start_transfer(&mut talk, &target);
                    None
                }
                Happened::Command(None) => Some(LegEnd::ByUs),
                Happened::TimerDue(Due::Refresh) => {
                    self.start_refresh(&mut talk);
                    None
                }
                Happened::Refreshed(refreshed) => self.on_refreshed(&mut talk, refreshed),
                Happened::Referred(answer) => self.on_transfer_answer(&mut talk, answer.as_ref()),
            };
            match end {
                None => {}
                Some(LegEnd::ByPeer) => {
                    self.on_bye_in_transfer(&mut talk).await;
                    // The callee may have hung up before it had its ACK.
                    self.acknowledge(&mut talk).await;
                    return LegEnd::ByPeer;
                }
                Some(end) => return self.leave(&mut talk, end).await,
            }
        }
    }

    async fn wait_talking(&mut self, talk: &mut Talk) -> Happened {
        let ack_due = talk.ack.as_ref().map(|(_, due)| *due);
        // A refresh on its way stands in for the timer until it is over.
        let timer = talk.timer.filter(|_| talk.refresh.is_none()).map(|timer| timer.next());
        let (timer_at, due) = timer.map_or((None, Due::Expiry), |(at, due)| (Some(at), due));
        tokio::select! {
            biased;
            inbound = self.registration.next() => Happened::Inbound(inbound),
            command = self.commands.recv(), if !self.state.hung_up => Happened::Command(command),
            () = until(ack_due) => Happened::AckDue,
            refreshed = Refresh::next(&mut talk.refresh) => Happened::Refreshed(refreshed),
            answer = Transfer::next(&mut talk.transfer) => Happened::Referred(answer),
            () = until(timer_at) => Happened::TimerDue(due),
        }
    }

    /// Sends the first ACK, once.
    async fn acknowledge(&mut self, talk: &mut Talk) {
        if let Some((ack, _)) = talk.ack.take() {
            let ack = self.ack_over(ack, &self.flow);
            self.remember(&talk.response, Some(ack.clone()), self.flow.clone());
            send_ack(&self.flow, ack).await;
        }
    }

    /// Ends the dialog from our side.
    async fn leave(&mut self, talk: &mut Talk, end: LegEnd) -> LegEnd {
        self.state.hung_up = true;
        self.acknowledge(talk).await;
        let bye = self.say_bye();
        if end == LegEnd::ByUs {
            let limit = self.core.timers.bye;
            self.serve_ended(async move { drop(tokio::time::timeout(limit, bye).await) }).await;
        }
        end
    }

    /// A 2xx after the first one: a repetition, a fork, or the answer to our re-INVITE.
    async fn on_late_answer(&mut self, talk: &mut Talk, response: &Response) -> Option<LegEnd> {
        if self.on_repeated(response) {
            return None;
        }
        let number = |headers| headers::cseq(headers).map(|(number, _)| number);
        let answers = number(&response.headers);
        if answers == number(&talk.invite.headers) {
            let invite = talk.invite.clone();
            self.on_fork(&invite, response).await;
            return None;
        }
        self.on_reinvite_accepted(talk, response)
    }
}
