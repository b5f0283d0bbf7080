//! Sending requests: client transactions, and digest answered on the way (RFC 3261 §17.1, §22).

use rsipstack::sip::{Header, Method, Request, Response, SipMessage};
use rsipstack::transaction::Transaction;
use rsipstack::transaction::key::{TransactionKey, TransactionRole};
use tokio::sync::mpsc;
use tokio_util::task::AbortOnDropHandle;

use crate::core::Core;
use crate::dialog::Dialog;
use crate::digest::{Answers, Subject};
use crate::edge::LiveName;
use crate::headers;
use crate::login::Login;
use crate::stack::{Flow, is_local};

/// Provisional responses that may wait for the call's task.
const WAITING_RESPONSES: usize = 16;

/// How a request other than INVITE went.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// The peer's final answer.
    Final(Response),
    /// None came: a timeout, a broken stream, or nothing could be sent.
    Silent,
}

impl Outcome {
    /// The code of the final answer.
    pub(crate) fn code(&self) -> Option<u16> {
        match self {
            Self::Final(response) => Some(response.status_code.code()),
            Self::Silent => None,
        }
    }
}

/// A running client INVITE transaction; dropping it stops the retransmissions.
pub(crate) struct Invite {
    responses: mpsc::Receiver<Response>,
    _driver: AbortOnDropHandle<()>,
}

impl Invite {
    /// Sends an INVITE. Its 2xx come by way of the dialog table, everything else from here.
    pub(crate) fn send(core: &Core, flow: &Flow, request: Request) -> Self {
        let (sender, responses) = mpsc::channel(WAITING_RESPONSES);
        let transaction = open(core, flow, request);
        let driver = core.runtime.spawn(async move {
            let Some((mut transaction, _name)) = transaction else { return };
            if transaction.send().await.is_err() {
                return;
            }
            while let Some(SipMessage::Response(response)) = transaction.receive().await {
                if sender.send(response).await.is_err() {
                    return;
                }
            }
        });
        Self { responses, _driver: AbortOnDropHandle::new(driver) }
    }

    /// A response that is there already.
    pub(crate) fn waiting(&mut self) -> Option<Response> {
        self.responses.try_recv().ok()
    }

    /// The next response; none when no more come.
    pub(crate) async fn next(&mut self) -> Option<Response> {
        self.responses.recv().await
    }
}

/// Sends one request as it is and waits for its final answer.
pub(crate) async fn send_once(core: &Core, flow: &Flow, request: Request) -> Outcome {
    let Some((mut transaction, _name)) = open(core, flow, request) else { return Outcome::Silent };
    if transaction.send().await.is_err() {
        return Outcome::Silent;
    }
    while let Some(SipMessage::Response(response)) = transaction.receive().await {
        if is_local(&response) {
            return Outcome::Silent;
        }
        if response.status_code.code() >= 200 {
            return Outcome::Final(response);
        }
    }
    Outcome::Silent
}

/// Sends a request of `dialog`, answers the trunk's challenges with `login`, and returns the last final
/// answer.
pub(crate) async fn exchange(
    core: &Core,
    flow: &Flow,
    dialog: &mut Dialog,
    login: Option<&Login>,
    method: Method,
    extra: &[Header],
) -> Outcome {
    let mut answers = Answers::default();
    loop {
        let cseq = dialog.next_cseq();
        let request = dialog.request(method, cseq, &core.tokens.branch(), extra.to_vec(), Vec::new());
        let request = match request {
            Ok(mut request) => {
                authorize(core, &mut answers, login, &mut request);
                request
            }
            Err(error) => {
                tracing::warn!(%error, %method, "a request cannot be addressed");
                return Outcome::Silent;
            }
        };
        let outcome = send_once(core, flow, request).await;
        match (&outcome, login) {
            (Outcome::Final(response), Some(login)) if login.take(core, flow, &mut answers, response) => {}
            _ => return outcome,
        }
    }
}

/// Sends a BYE of `dialog` over the first way. A host there that asks for the password and is not shown it
/// would leave the leg up and billed: then the BYE goes once more over the second, the way of the INVITE.
pub(crate) async fn hang_up(
    core: &Core,
    [flow, gateway]: [&Flow; 2],
    dialog: &mut Dialog,
    login: Option<&Login>,
    extra: &[Header],
) -> Outcome {
    let outcome = exchange(core, flow, dialog, login, Method::Bye, extra).await;
    let is_same = (flow.transport, flow.peer) == (gateway.transport, gateway.peer);
    if is_same || !matches!(outcome.code(), Some(401 | 407)) {
        return outcome;
    }
    exchange(core, gateway, dialog, login, Method::Bye, extra).await
}

/// Adds our credentials to a request, for the challenges that came so far.
pub(crate) fn authorize(core: &Core, answers: &mut Answers, login: Option<&Login>, request: &mut Request) {
    let Some(credentials) = login.and_then(Login::credentials) else { return };
    // The URI as it will stand in the request line: servers compare them.
    let (method, uri) = (request.method.to_string(), request.uri.to_string());
    let subject = Subject { method: &method, uri: &uri, body: &request.body };
    let headers = answers.headers(credentials, subject, &core.tokens.tag());
    request.headers.extend(headers);
}

/// A client transaction, and the name by which its responses are admitted.
fn open(core: &Core, flow: &Flow, request: Request) -> Option<(Transaction, LiveName)> {
    let via = headers::first(&request.headers, "Via").unwrap_or_default();
    let branch = headers::uri_parameter(via, "branch").unwrap_or_default();
    let name = core.edge.live.register_transaction(branch);
    let key = TransactionKey::from_request(&request, TransactionRole::Client)
        .inspect_err(|error| tracing::error!(%error, "a request of ours is malformed"))
        .ok()?;
    let connection = Some(flow.connection.clone());
    let mut transaction = Transaction::new_client(key, request, core.stack.endpoint(), connection);
    transaction.destination = Some(flow.destination());
    Some((transaction, name))
}
