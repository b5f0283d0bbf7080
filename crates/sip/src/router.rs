//! Where requests of our dialogs go. Others open no transaction: the edge answers them.

use std::sync::Arc;

use rsipstack::sip::{Header, Method};
use rsipstack::transaction::{Transaction, TransactionReceiver};

use crate::dialog::ALLOW;
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

/// Answers a request of a dialog that is over.
async fn answer(mut request: Transaction) {
    let is_invite = request.original.method == Method::Invite;
    let allow = Header::Allow(ALLOW.into());
    if request.reply_with(481.into(), vec![allow], None).await.is_ok() && is_invite {
        // The refusal is repeated until its ACK.
        while request.receive().await.is_some() {}
    }
}
