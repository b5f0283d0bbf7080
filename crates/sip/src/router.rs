//! Where requests go that open a transaction: to their dialog, or to a plain answer.

use std::sync::Arc;

use rsipstack::sip::{Header, Method};
use rsipstack::transaction::{Transaction, TransactionReceiver};

use crate::dialog::{ALLOW, SDP};
use crate::headers;
use crate::table::{Inbound, Table};

/// Hands out requests until the endpoint closes.
pub(crate) async fn route(mut incoming: TransactionReceiver, table: Arc<Table>) {
    while let Some(request) = incoming.recv().await {
        let inbox = dialog_key(&request).and_then(|(call_id, tag)| table.find(call_id, tag));
        match inbox {
            Some(inbox) => {
                // A full inbox drops it: the peer sends it again.
                let _ = inbox.try_send(Inbound::Request(Box::new(request)));
            }
            None => {
                tokio::spawn(answer(request));
            }
        }
    }
}

fn dialog_key(request: &Transaction) -> Option<(&str, &str)> {
    let headers = &request.original.headers;
    Some((headers::first(headers, "Call-ID")?.trim(), headers::to_tag(headers)?))
}

/// Answers a request outside of any dialog; we take no calls yet.
async fn answer(mut request: Transaction) {
    let (method, in_dialog) = (request.original.method, headers::to_tag(&request.original.headers).is_some());
    let code: u16 = match method {
        _ if in_dialog => 481,
        Method::Options => 200,
        Method::Invite => 480,
        _ => 405,
    };
    let mut extra = vec![Header::Allow(ALLOW.into())];
    if method == Method::Options {
        extra.push(Header::Accept(SDP.into()));
        extra.push(Header::Supported("timer, 100rel".into()));
    }
    if request.reply_with(code.into(), extra, None).await.is_ok() && method == Method::Invite {
        // The refusal is repeated until its ACK.
        while request.receive().await.is_some() {}
    }
}
