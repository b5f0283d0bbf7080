//! ACKs, BYEs, and the answers that come late or twice (RFC 3261 §13.2.2.4, §15, RFC 6026).

use rsipstack::sip::{Header, Method, Request, Response, SipMessage};

use super::dial::until;
use super::{Accepted, Call};
use crate::dialog::{Dialog, ack_of};
use crate::exchange::{Outcome, hang_up};
use crate::headers;
use crate::stack::Flow;
use crate::table::Inbound;

/// Forks and refreshes that are remembered for their ACK; more than this is no honest peer.
const MOST_ACCEPTED: usize = 32;

impl Call {
    /// Acknowledges an answer that we cannot or will not use, and hangs up on it.
    pub(super) async fn refuse_answer(&mut self, dialog: Dialog, invite: &Request, response: &Response) {
        let Some(ack) = self.build_ack(&dialog, invite) else { return };
        let flow = self.core.flow_of(&dialog, &self.flow, &self.core.bounds(&self.trunk)).await;
        let ack = self.ack_over(ack, &flow);
        self.remember(response, Some(ack.clone()), flow.clone());
        let cseq = self.reserve_cseq();
        let mut dialog = Dialog { cseq: cseq.max(dialog.cseq), ..dialog };
        let (core, login, gateway) = (self.core.clone(), self.login.clone(), self.gateway().clone());
        self.core.runtime.spawn(async move {
            send_ack(&flow, ack).await;
            hang_up(&core, [&flow, &gateway], &mut dialog, login.as_ref(), &[]).await;
        });
    }

    /// A 2xx to one of our INVITEs outside of its regular course. `true` when it was known.
    pub(super) fn on_repeated(&mut self, response: &Response) -> bool {
        let (Some(tag), Some((cseq, _))) =
            (headers::to_tag(&response.headers), headers::cseq(&response.headers))
        else {
            return true;
        };
        let known = self.state.accepted.iter().find(|known| known.tag == tag && known.cseq == cseq);
        if let Some(Accepted { ack: Some(ack), flow, .. }) = known {
            let (ack, flow) = (ack.clone(), flow.clone());
            self.core.runtime.spawn(async move { send_ack(&flow, ack).await });
        }
        known.is_some()
    }

    /// A 2xx from another branch of a forked INVITE: that telephone is told that it came second.
    pub(super) async fn on_fork(&mut self, invite: &Request, response: &Response) {
        if self.state.accepted.len() >= MOST_ACCEPTED {
            return;
        }
        if let Some(dialog) = self.dialog_base(invite).created_by(response) {
            self.refuse_answer(dialog, invite, response).await;
        }
    }

    /// Keeps a 2xx's ACK for its repetitions; none while the ACK waits for the application.
    pub(super) fn remember(&mut self, response: &Response, ack: Option<Request>, flow: Flow) {
        let tag = headers::to_tag(&response.headers).unwrap_or_default().to_owned();
        let cseq = headers::cseq(&response.headers).map_or(0, |(number, _)| number);
        self.keep_ack(tag, cseq, ack, flow);
    }

    fn keep_ack(&mut self, tag: String, cseq: u32, ack: Option<Request>, flow: Flow) {
        self.state.accepted.retain(|known| !(known.tag == tag && known.cseq == cseq));
        if self.state.accepted.len() >= MOST_ACCEPTED {
            self.state.accepted.remove(0);
        }
        self.state.accepted.push(Accepted { tag, cseq, ack, flow });
    }

    pub(super) fn build_ack(&self, dialog: &Dialog, invite: &Request) -> Option<Request> {
        ack_of(dialog, invite, &self.core.tokens.branch())
            .inspect_err(|error| tracing::warn!(%error, "an ACK cannot be addressed"))
            .ok()
    }

    /// An ACK for its way: the INVITE's credentials go with it to the trunk alone (RFC 3261 §13.2.2.4
    /// thinks of proxies), and not to wherever a Contact leads.
    pub(super) fn ack_over(&self, mut ack: Request, flow: &Flow) -> Request {
        if !self.login.as_ref().is_some_and(|login| login.knows(flow.peer.ip())) {
            let secret =
                |header: &Header| matches!(header, Header::Authorization(_) | Header::ProxyAuthorization(_));
            ack.headers.retain(|header| !secret(header));
        }
        ack
    }

    /// What the INVITE knew before any answer made a dialog of it.
    fn dialog_base(&self, invite: &Request) -> Dialog {
        Dialog {
            remote_tag: None,
            target: invite.uri.to_string(),
            route_set: Vec::new(),
            ..self.dialog.clone()
        }
    }

    /// Says BYE beside this task; the outcome comes back over the returned handle.
    pub(super) fn say_bye(&mut self) -> tokio::task::JoinHandle<Outcome> {
        let mut dialog = Dialog { cseq: self.reserve_cseq(), ..self.dialog.clone() };
        let (core, flow) = (self.core.clone(), self.flow.clone());
        let (login, gateway) = (self.login.clone(), self.gateway().clone());
        let (bounds, extra) = (self.core.bounds(&self.trunk), [self.reason()]);
        self.core.runtime.spawn(async move {
            let flow = core.flow_of(&dialog, &flow, &bounds).await;
            hang_up(&core, [&flow, &gateway], &mut dialog, login.as_ref(), &extra).await
        })
    }

    /// Hangs up an answered call whose task broke, from what is left of it: over the way of the INVITE,
    /// as what broke may be what looks for a better one.
    pub(super) async fn abandon(&mut self) {
        self.state.hung_up = true;
        if let Some(invite) = self.state.answered.clone()
            && let Some(ack) = self.build_ack(&self.dialog, &invite)
        {
            // A second ACK does no harm, and without the first there is no BYE (RFC 3261 §15).
            let ack = self.ack_over(ack, &self.flow);
            let tag = self.dialog.remote_tag.clone().unwrap_or_default();
            let cseq = headers::cseq(&invite.headers).map_or(0, |(number, _)| number);
            self.keep_ack(tag, cseq, Some(ack.clone()), self.flow.clone());
            send_ack(&self.flow, ack).await;
        }
        let mut dialog = Dialog { cseq: self.reserve_cseq(), ..self.dialog.clone() };
        let (core, flow, login) = (self.core.clone(), self.flow.clone(), self.login.clone());
        let (gateway, extra) = (self.gateway().clone(), [self.reason()]);
        self.core.runtime.spawn(async move {
            hang_up(&core, [&flow, &gateway], &mut dialog, login.as_ref(), &extra).await
        });
    }

    /// Stays until no 2xx can come late, so that none is left without its ACK and BYE.
    pub(super) async fn linger(&mut self) {
        if let Some(late_until) = self.state.late_until {
            self.serve_ended(until(Some(late_until))).await;
        }
    }

    /// Answers what arrives for a dialog that is over, until `done`.
    pub(super) async fn serve_ended(&mut self, done: impl Future<Output = ()>) {
        tokio::pin!(done);
        loop {
            let inbound = tokio::select! {
                inbound = self.registration.next() => inbound,
                () = &mut done => return,
            };
            match inbound {
                Inbound::Accepted(response) => {
                    if !self.on_repeated(&response)
                        && let Some(invite) = self.last_invite()
                    {
                        Box::pin(self.on_fork(&invite, &response)).await;
                    }
                }
                Inbound::Request(request) => {
                    // BYEs cross; anything else comes after the end.
                    let code = if request.original.method == Method::Bye { 200 } else { 481 };
                    Box::pin(self.reply(*request, (code, Vec::new(), None))).await;
                }
                Inbound::Acknowledged(_) | Inbound::Unacknowledged => {}
            }
        }
    }

    /// An INVITE in whose place a late fork's ACK can be built.
    fn last_invite(&self) -> Option<Request> {
        self.state.accepted.iter().find_map(|known| known.ack.clone()).map(|ack| Request {
            method: Method::Invite,
            uri: rsipstack::sip::Uri::try_from(self.intent.request_uri.as_str()).unwrap_or_default(),
            ..ack
        })
    }
}

/// Sends an ACK; it has no transaction and no answer.
pub(super) async fn send_ack(flow: &Flow, ack: Request) {
    let sent = flow.connection.send(SipMessage::Request(ack), Some(&flow.destination())).await;
    if let Err(error) = sent {
        // The peer repeats its 2xx, and the ACK goes again.
        tracing::debug!(%error, "an ACK could not be sent");
    }
}
