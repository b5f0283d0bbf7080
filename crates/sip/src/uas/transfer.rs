//! A caller who wants us connected with somebody else (REFER, RFC 3515).

use std::time::Duration;

use rsipstack::dialog::dialog::TransactionHandle;
use rsipstack::dialog::invite_dialog::InviteDialog;
use rsipstack::sip::{Header, Request, StatusCode};

use super::call::respond;
use crate::headers;

/// The stack takes a moment from our 202 to a dialog in which a NOTIFY may be sent.
const STEP: Duration = Duration::from_millis(10);
const MOST_STEPS: u32 = 200;

/// A REFER that waits for its answer.
pub struct TransferRequest {
    request: Request,
    handle: TransactionHandle,
    dialog: InviteDialog,
}

impl std::fmt::Debug for TransferRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TransferRequest").field("target", &self.target()).finish_non_exhaustive()
    }
}

impl TransferRequest {
    pub(super) fn new(request: Request, handle: TransactionHandle, dialog: InviteDialog) -> Self {
        Self { request, handle, dialog }
    }

    /// Whom to call: the URI of Refer-To; empty when there is none.
    pub fn target(&self) -> &str {
        let header = headers::first(&self.request.headers, "Refer-To")
            .or_else(|| headers::first(&self.request.headers, "r"));
        header.and_then(headers::address_uri).unwrap_or_default()
    }

    /// Refuses (603): the call goes on.
    pub fn refuse(self) {
        respond(self.handle, StatusCode::Decline, None, None);
    }

    /// Accepts (202), tells that it is tried, and then that the target answered so.
    pub fn accept(self, code: u16, phrase: &str) {
        let Self { handle, dialog, .. } = self;
        let outcome = format!("SIP/2.0 {code} {phrase}\r\n");
        tokio::spawn(async move {
            if handle.respond(StatusCode::Accepted, None, None).await.is_err() {
                tracing::debug!("a REFER went away before its answer");
                return;
            }
            notify(&dialog, "active;expires=60", "SIP/2.0 100 Trying\r\n".to_owned()).await;
            notify(&dialog, "terminated;reason=noresource", outcome).await;
        });
    }
}

async fn notify(dialog: &InviteDialog, state: &str, fragment: String) {
    let headers = || {
        vec![
            Header::Event("refer".into()),
            Header::SubscriptionState(state.into()),
            Header::ContentType("message/sipfrag;version=2.0".into()),
        ]
    };
    for _ in 0..MOST_STEPS {
        match dialog.notify(Some(headers()), Some(fragment.clone().into_bytes())).await {
            // Not yet: nothing was sent.
            Ok(None) => tokio::time::sleep(STEP).await,
            Ok(Some(_)) => return,
            Err(error) => return tracing::debug!(%error, "a NOTIFY could not be sent"),
        }
    }
    tracing::debug!("a NOTIFY could not be sent: the dialog is over");
}
