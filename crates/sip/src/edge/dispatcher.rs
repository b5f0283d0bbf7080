//! The way of an admitted message to the transaction layer, or to an answer without a transaction.

use std::hash::RandomState;
use std::net::SocketAddr;
use std::sync::Arc;

use rsipstack::sip::{Header, Method, Response, SipMessage};
use rsipstack::transaction::endpoint::EndpointInnerRef;
use rsipstack::transport::{SipAddr, SipConnection};

use super::admission::Admission;
use super::refusal;
use crate::stack::Observer;

/// Takes messages in.
pub(crate) struct MessageDispatcher {
    endpoint: EndpointInnerRef,
    observer: Option<Arc<dyn Observer>>,
    tags: RandomState,
}

impl MessageDispatcher {
    pub(crate) fn new(endpoint: EndpointInnerRef, observer: Option<Arc<dyn Observer>>) -> Self {
        Self { endpoint, observer, tags: RandomState::new() }
    }

    /// Parses a message; `None` when it cannot be understood.
    pub(crate) fn parse(bytes: &[u8], from: SocketAddr, connection: &SipConnection) -> Option<SipMessage> {
        // A panic of the library on what a peer made up must not end the task that hears all peers.
        let parsed = std::panic::catch_unwind(|| SipMessage::try_from(bytes));
        let message = match parsed {
            Ok(Ok(message)) => message,
            Ok(Err(error)) => {
                tracing::debug!(%from, %error, "a SIP message cannot be read");
                return None;
            }
            Err(_) => {
                tracing::error!(%from, "reading a SIP message failed");
                return None;
            }
        };
        let received = SipConnection::update_msg_received(message, from, connection.transport());
        received.inspect_err(|error| tracing::debug!(%from, %error, "a Via cannot be read")).ok()
    }

    /// Hands a message on.
    pub(crate) async fn dispatch(
        &self,
        admission: Admission,
        message: SipMessage,
        connection: SipConnection,
        from: SocketAddr,
    ) {
        let taken = match message {
            _ if !matches!(admission, Admission::Live | Admission::Peer) => return,
            SipMessage::Request(request) if admission == Admission::Peer => {
                refusal::answer(&self.endpoint, &self.tags, &request, &connection).await
            }
            message => {
                if let (SipMessage::Response(response), Some(observer)) = (&message, &self.observer)
                    && (200..300).contains(&response.status_code.code())
                    && is_for_invite(response)
                {
                    observer.invite_accepted(response, &connection);
                }
                let from = SipAddr { r#type: Some(connection.transport()), addr: from.into() };
                self.endpoint.on_received_message(message, connection, &from).await
            }
        };
        if let Err(error) = taken {
            tracing::debug!(%from, %error, "a SIP message could not be worked off");
        }
    }
}

fn is_for_invite(response: &Response) -> bool {
    response.headers.iter().any(|header| {
        matches!(header, Header::CSeq(cseq) if cseq.method().is_ok_and(|method| method == Method::Invite))
    })
}
