//! Sorts incoming requests: new calls, requests of a dialog, and those answered at once.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use rsipstack::dialog::dialog::Dialog;
use rsipstack::dialog::dialog_layer::DialogLayer;
use rsipstack::dialog::invite_dialog::InviteDialog;
use rsipstack::sip::prelude::HeadersExt;
use rsipstack::sip::{Auth, Header, Method, Param, Scheme, StatusCode, Transport, Uri};
use rsipstack::transaction::TransactionReceiver;
use rsipstack::transaction::transaction::Transaction;
use rsipstack::transport::SipConnection;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::allow_value;
use super::call::IncomingCall;
use crate::stack::Stack;

/// How long a request that follows an ACK at once waits for that ACK to be worked off.
const ACK_GRACE: Duration = Duration::from_millis(200);
const ACK_STEP: Duration = Duration::from_millis(10);

pub(super) struct Router {
    pub(super) layer: Arc<DialogLayer>,
    pub(super) stack: Arc<Stack>,
    pub(super) calls: mpsc::Sender<IncomingCall>,
    pub(super) tasks: TaskTracker,
    pub(super) stop: CancellationToken,
}

impl Router {
    pub(super) async fn run(self, mut incoming: TransactionReceiver) {
        loop {
            let request = tokio::select! {
                () = self.stop.cancelled() => return,
                request = incoming.recv() => request,
            };
            match request {
                Some(request) => self.sort(request),
                None => return,
            }
        }
    }

    /// Never waits: each request is answered in a task of its own, ended by the router's stop.
    fn sort(&self, request: Transaction) {
        let in_dialog = request.original.to_header().ok().and_then(|to| to.tag().ok().flatten()).is_some();
        match request.original.method {
            _ if in_dialog => match self.layer.match_dialog(&request) {
                Some(Dialog::Invite(dialog)) => self.spawn(follow(dialog, request)),
                _ => self.reply(request, StatusCode::CallTransactionDoesNotExist, vec![]),
            },
            Method::Invite => self.invite(request),
            Method::Options => {
                let headers = vec![
                    Header::Allow(allow_value().into()),
                    Header::Accept("application/sdp".to_owned().into()),
                ];
                self.reply(request, StatusCode::OK, headers);
            }
            Method::Bye | Method::Update | Method::Info | Method::PRack => {
                self.reply(request, StatusCode::CallTransactionDoesNotExist, vec![]);
            }
            _ => {
                let allow = Header::Allow(allow_value().into());
                self.reply(request, StatusCode::MethodNotAllowed, vec![allow]);
            }
        }
    }

    fn invite(&self, mut request: Transaction) {
        // No extension is offered, so one that is required cannot be met (RFC 3261 §8.2.2.3).
        let required: Vec<String> = request
            .original
            .headers
            .iter()
            .filter_map(|header| match header {
                Header::Require(value) => Some(value.value().to_owned()),
                _ => None,
            })
            .collect();
        if !required.is_empty() {
            let unsupported = Header::Unsupported(required.join(", ").into());
            return self.reply(request, StatusCode::BadExtension, vec![unsupported]);
        }
        let (states, changes) = self.layer.new_dialog_state_channel();
        let local_ip = self.local_ip(&request);
        let contact = self.contact(&request, local_ip);
        match self.layer.get_or_create_server_invite(&request, states, None, Some(contact)) {
            Ok(dialog) => {
                let call = IncomingCall::new(dialog.clone(), changes, self.layer.clone(), local_ip);
                let mut driver = dialog;
                self.spawn(async move {
                    if let Err(error) = driver.handle(&mut request).await {
                        tracing::debug!(%error, "an INVITE ended early");
                    }
                });
                if let Err(refused) = self.calls.try_send(call) {
                    let mut call = match refused {
                        mpsc::error::TrySendError::Full(call) | mpsc::error::TrySendError::Closed(call) => {
                            call
                        }
                    };
                    call.refuse(503, "Service Unavailable");
                }
            }
            Err(error) => {
                tracing::debug!(%error, "an INVITE cannot be understood");
                self.reply(request, StatusCode::BadRequest, vec![]);
            }
        }
    }

    /// Our address as the caller sees it.
    fn local_ip(&self, request: &Transaction) -> IpAddr {
        let peer = request
            .connection
            .as_ref()
            .and_then(SipConnection::get_remote_addr)
            .and_then(|address| address.get_socketaddr().ok());
        peer.map_or(self.stack.local_addr().ip(), |peer| self.stack.address_towards(peer))
    }

    /// Where in-dialog requests should come, over the transport that was used.
    fn contact(&self, request: &Transaction, ip: IpAddr) -> Uri {
        let params = match request.connection.as_ref().map(SipConnection::transport) {
            Some(Transport::Udp) | None => vec![],
            Some(other) => vec![Param::Transport(other)],
        };
        let user = request.original.uri.user();
        Uri {
            scheme: Some(Scheme::Sip),
            auth: user.map(|user| Auth { user: user.to_owned(), password: None }),
            host_with_port: SocketAddr::new(ip, self.stack.local_addr().port()).into(),
            params,
            headers: vec![],
        }
    }

    fn reply(&self, mut request: Transaction, status: StatusCode, headers: Vec<Header>) {
        if request.original.method == Method::Ack {
            return;
        }
        self.spawn(async move {
            if let Err(error) = request.reply_with(status, headers, None).await {
                tracing::debug!(%error, "a SIP response could not be sent");
            }
        });
    }

    fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        let stop = self.stop.clone();
        self.tasks.spawn(async move {
            tokio::select! {
                () = stop.cancelled() => {}
                () = work => {}
            }
        });
    }
}

/// A request inside a dialog. The stack answers most itself or asks the call's owner; before the
/// dialog is confirmed it would leave the caller without an answer, so that is done here.
async fn follow(mut dialog: InviteDialog, mut request: Transaction) {
    let method = request.original.method;
    // Our 200 and its ACK may still be on their way through the INVITE's transaction.
    let settled = || match (method, dialog.state()) {
        (Method::Options | Method::PRack, _) => true,
        (Method::Bye, state) => !state.can_cancel(),
        (_, state) => state.is_confirmed() || state.is_terminated(),
    };
    let settling = async {
        while !settled() {
            tokio::time::sleep(ACK_STEP).await;
        }
    };
    // One that never settles is answered as what it is below.
    let _ = tokio::time::timeout(ACK_GRACE, settling).await;
    let state = dialog.state();
    let unfinished = !state.is_confirmed() && !state.is_terminated();
    let answered = match method {
        Method::Bye if state.can_cancel() => {
            // BYE on an early dialog ends it (RFC 3261 §15.1.2): the INVITE gets its 487.
            let ended = dialog.reject(Some(StatusCode::RequestTerminated), None);
            ended.and(request.reply(StatusCode::OK).await)
        }
        Method::Options | Method::Info if unfinished => request.reply(StatusCode::OK).await,
        Method::Bye | Method::PRack => dialog.handle(&mut request).await,
        _ if state.is_confirmed() => dialog.handle(&mut request).await,
        // RFC 3261 §14.2 and RFC 3311 §5.2: not while the first INVITE is unfinished.
        Method::Invite | Method::Update if unfinished => {
            let wait = Header::RetryAfter("1".to_owned().into());
            request.reply_with(StatusCode::ServerInternalError, vec![wait], None).await
        }
        _ => request.reply(StatusCode::CallTransactionDoesNotExist).await,
    };
    if let Err(error) = answered {
        tracing::debug!(%method, %error, "a request inside a call could not be answered");
    }
}
