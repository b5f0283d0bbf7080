//! One incoming call, from its INVITE to its end.

use std::net::IpAddr;
use std::sync::Arc;

use rsipstack::dialog::dialog::{DialogState, DialogStateReceiver, TerminatedReason, TransactionHandle};
use rsipstack::dialog::dialog_layer::DialogLayer;
use rsipstack::dialog::invite_dialog::InviteDialog;
use rsipstack::sip::prelude::HeadersExt;
use rsipstack::sip::{CallId, From, Header, Request, StatusCode};

use super::transfer::TransferRequest;

/// What happens on an incoming call.
#[derive(Debug)]
pub enum CallEvent {
    /// The ACK of our 200 came: the call stands.
    Acknowledged {
        /// The SDP of the ACK: the answer, when the 200 carried the offer.
        answer: Option<Vec<u8>>,
    },
    /// The caller wants to change the session, by re-INVITE or UPDATE.
    Offered(SessionOffer),
    /// The caller wants us connected with somebody else.
    Referred(TransferRequest),
    /// The call is over, nothing follows.
    Ended(CallEnd),
}

/// How an incoming call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallEnd {
    /// CANCEL (or an early BYE) before our answer; the INVITE got its 487.
    Cancelled,
    /// The caller said BYE.
    ByPeer,
    /// We refused it or said BYE.
    ByUs,
    /// The ACK of our 200 never came (RFC 3261 §13.3.1.4).
    NeverAcknowledged,
    /// The stack gave the call up.
    Broken,
}

/// A change of the session that waits for an answer (RFC 3264 §8).
#[derive(Debug)]
pub struct SessionOffer {
    request: Request,
    handle: TransactionHandle,
}

impl SessionOffer {
    /// The offered SDP; none asks us to make the offer.
    pub fn sdp(&self) -> Option<&[u8]> {
        sdp_of(&self.request)
    }

    /// Agrees, with our SDP.
    pub fn accept(self, sdp: Vec<u8>) {
        respond(self.handle, StatusCode::OK, Some(vec![sdp_type()]), Some(sdp));
    }

    /// Refuses (488): the session stays as it was.
    pub fn refuse(self) {
        respond(self.handle, StatusCode::NotAcceptableHere, None, None);
    }
}

/// A call that came in. Dropping it unanswered refuses it with 480, dropping it answered hangs up.
pub struct IncomingCall {
    dialog: InviteDialog,
    changes: DialogStateReceiver,
    layer: Arc<DialogLayer>,
    request: Request,
    local_ip: IpAddr,
    answered: bool,
    acknowledged: bool,
    ended: Option<CallEnd>,
}

impl std::fmt::Debug for IncomingCall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IncomingCall").field("call_id", &self.call_id()).finish_non_exhaustive()
    }
}

impl IncomingCall {
    pub(super) fn new(
        dialog: InviteDialog,
        changes: DialogStateReceiver,
        layer: Arc<DialogLayer>,
        local_ip: IpAddr,
    ) -> Self {
        let request = dialog.initial_request();
        let (answered, acknowledged, ended) = (false, false, None);
        Self { dialog, changes, layer, request, local_ip, answered, acknowledged, ended }
    }

    /// Call-ID.
    pub fn call_id(&self) -> &str {
        self.request.call_id_header().map(CallId::value).unwrap_or_default()
    }

    /// Who calls: the user part of From, or its host when there is none.
    pub fn from(&self) -> String {
        let uri = self.request.from_header().and_then(From::uri);
        uri.map(|uri| uri.user().map_or_else(|| uri.host().to_string(), str::to_owned)).unwrap_or_default()
    }

    /// The number dialled: the user part of the Request-URI, percent-encoding undone; may be empty.
    pub fn dialled(&self) -> String {
        percent_decoded(self.request.uri.user().unwrap_or_default())
    }

    /// Our address as the caller sees it: where it should send media.
    pub fn local_ip(&self) -> IpAddr {
        self.local_ip
    }

    /// The offered SDP; none when the caller waits for ours.
    pub fn offer(&self) -> Option<&[u8]> {
        sdp_of(&self.request)
    }

    /// Says 180 Ringing; without effect once answered or ended.
    pub fn ring(&self) {
        self.log(self.dialog.ringing(None, None), "180");
    }

    /// Says 183 Session Progress with our SDP: media may flow before the answer.
    pub fn ring_with_media(&self, sdp: Vec<u8>) {
        self.log(self.dialog.ringing(Some(vec![sdp_type()]), Some(sdp)), "183");
    }

    /// Answers with 200 and our SDP; the stack repeats it until the ACK comes.
    pub fn answer(&mut self, sdp: Vec<u8>) {
        if self.answered || self.ended.is_some() {
            return;
        }
        self.answered = true;
        let allow = Header::Allow(super::allow_value().into());
        self.log(self.dialog.accept(Some(vec![sdp_type(), allow]), Some(sdp)), "200");
    }

    /// Refuses an unanswered call with this status (300–699) and phrase.
    pub fn refuse(&mut self, code: u16, phrase: &str) {
        if self.answered || self.ended.is_some() {
            return;
        }
        self.ended = Some(CallEnd::ByUs);
        let status = StatusCode::Other(code, phrase.to_owned());
        self.log(self.dialog.reject(Some(status), None), "refusal");
    }

    /// Says BYE, once the ACK has come (RFC 3261 §15), and waits for its answer; refuses with 480
    /// when the call was not answered.
    pub async fn hang_up(&mut self) {
        if !self.answered {
            return self.refuse(480, "Temporarily Unavailable");
        }
        while self.ended.is_none() && !self.acknowledged {
            match self.next().await {
                CallEvent::Offered(offer) => offer.refuse(),
                CallEvent::Referred(request) => request.refuse(),
                CallEvent::Acknowledged { .. } | CallEvent::Ended(_) => {}
            }
        }
        if self.ended.is_none() {
            self.ended = Some(CallEnd::ByUs);
            self.log(self.dialog.bye().await, "BYE");
        }
    }

    /// The next thing that happens. Cancel-safe. After [`CallEvent::Ended`] it repeats that.
    pub async fn next(&mut self) -> CallEvent {
        loop {
            if let Some(end) = self.ended {
                return CallEvent::Ended(end);
            }
            let Some(change) = self.changes.recv().await else {
                self.ended = Some(CallEnd::Broken);
                continue;
            };
            match change {
                DialogState::Confirmed(..) if !self.acknowledged => {
                    self.acknowledged = true;
                    let ack = self.dialog.last_remote_ack();
                    let answer = ack.as_ref().and_then(sdp_of).map(<[u8]>::to_vec);
                    return CallEvent::Acknowledged { answer };
                }
                DialogState::Updated(_, request, handle) => {
                    // An UPDATE without SDP only refreshes the session (RFC 4028 §7.4).
                    if request.method == rsipstack::sip::Method::Update && sdp_of(&request).is_none() {
                        respond(handle, StatusCode::OK, None, None);
                    } else {
                        return CallEvent::Offered(SessionOffer { request, handle });
                    }
                }
                DialogState::Info(_, _, handle) | DialogState::Options(_, _, handle) => {
                    let allow = Header::Allow(super::allow_value().into());
                    respond(handle, StatusCode::OK, Some(vec![allow]), None);
                }
                DialogState::Refer(_, request, handle) => {
                    let dialog = self.dialog.clone();
                    return CallEvent::Referred(TransferRequest::new(request, handle, dialog));
                }
                DialogState::Notify(_, _, handle)
                | DialogState::Message(_, _, handle)
                | DialogState::Publish(_, _, handle) => {
                    let allow = Header::Allow(super::allow_value().into());
                    respond(handle, StatusCode::MethodNotAllowed, Some(vec![allow]), None);
                }
                DialogState::Terminated(_, reason) => self.ended = Some(self.end_of(&reason)),
                _ => {}
            }
        }
    }

    fn end_of(&self, reason: &TerminatedReason) -> CallEnd {
        match reason {
            TerminatedReason::UacCancel => CallEnd::Cancelled,
            TerminatedReason::UacBye => CallEnd::ByPeer,
            // We did not refuse it here, so the router did, for an early BYE.
            TerminatedReason::UasDecline if !self.answered => CallEnd::Cancelled,
            TerminatedReason::UasBye | TerminatedReason::UasDecline => CallEnd::ByUs,
            TerminatedReason::Timeout => CallEnd::NeverAcknowledged,
            _ => CallEnd::Broken,
        }
    }

    fn log(&self, sent: rsipstack::Result<()>, what: &str) {
        if let Err(error) = sent {
            tracing::debug!(call_id = self.call_id(), %error, "{what} could not be sent");
        }
    }
}

impl Drop for IncomingCall {
    fn drop(&mut self) {
        self.layer.remove_dialog(&self.dialog.id());
        if self.ended.is_some() {
            return;
        }
        if !self.answered {
            self.refuse(480, "Temporarily Unavailable");
        } else if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let dialog = self.dialog.clone();
            runtime.spawn(async move {
                if let Err(error) = dialog.bye().await {
                    tracing::debug!(%error, "the BYE of a dropped call failed");
                }
            });
        }
    }
}

fn sdp_type() -> Header {
    Header::ContentType("application/sdp".to_owned().into())
}

/// The SDP body of a request, if it has one.
fn sdp_of(request: &Request) -> Option<&[u8]> {
    (!request.body.is_empty()).then_some(request.body.as_slice())
}

/// Answers a request of the dialog without waiting, so that the caller stays cancel-safe.
pub(super) fn respond(
    handle: TransactionHandle,
    status: StatusCode,
    headers: Option<Vec<Header>>,
    body: Option<Vec<u8>>,
) {
    tokio::spawn(async move {
        if handle.respond(status, headers, body).await.is_err() {
            tracing::debug!("a request inside a call went away before its answer");
        }
    });
}

/// Undoes `%2B` and the like (RFC 3261 §19.1.2); anything malformed stays as it is.
fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let escaped = match (first, tail) {
            (b'%', [high, low, after @ ..]) => std::str::from_utf8(&[*high, *low])
                .ok()
                .and_then(|hex| u8::from_str_radix(hex, 16).ok())
                .map(|byte| (byte, after)),
            _ => None,
        };
        let (byte, after) = escaped.unwrap_or((first, tail));
        bytes.push(byte);
        rest = after;
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::percent_decoded;

    #[test]
    fn an_escaped_plus_in_a_number_is_undone_and_malformed_escapes_stay() {
        assert_eq!(percent_decoded("%2B14165550123"), "+14165550123");
        assert_eq!(percent_decoded("100%"), "100%");
        assert_eq!(percent_decoded("a%zz"), "a%zz");
    }
}
