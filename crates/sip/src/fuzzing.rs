//! The way in for the fuzz target of SIP: what our side of a call reads in a message.

use std::net::{Ipv4Addr, SocketAddr};

use domain::secret::Secret;
use domain::trunk::{Credentials, Transport};
use rsipstack::sip::{Method, SipMessage};

use crate::dialog::Dialog;
use crate::digest::{Answers, Subject};
use crate::headers;

/// What a message names, as it is read behind the edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Call-ID.
    pub call_id: Option<String>,
    /// The tag of From.
    pub from_tag: Option<String>,
    /// The tag of To.
    pub to_tag: Option<String>,
    /// Requests that it makes us write: in its dialog, and with credentials.
    pub requests: Vec<Vec<u8>>,
}

/// Parses a message and reads in it what a call reads; none when it cannot be parsed.
pub fn read(message: &[u8]) -> Option<Named> {
    let message = SipMessage::try_from(message).ok()?;
    let all = match &message {
        SipMessage::Request(request) => &request.headers,
        SipMessage::Response(response) => &response.headers,
    };
    let first = |name| headers::first(all, name);
    let tag = |name| first(name).and_then(|value| headers::parameter(value, "tag")).map(str::to_owned);
    let mut named = Named {
        call_id: first("Call-ID").map(|value| value.trim().to_owned()),
        from_tag: tag("From"),
        to_tag: tag("To"),
        requests: Vec::new(),
    };
    for list in ["Supported", "Allow", "Require"] {
        let _ = headers::names(all, list, "100rel");
    }
    let _ = (headers::cseq(all), headers::rseq(all), headers::seconds(all, "Retry-After"));
    crate::call::read_timers(all);
    if let SipMessage::Response(response) = &message {
        let _ = headers::final_answer(response);
        let dialog = dialog();
        if let Some(created) = dialog.created_by(response) {
            let bye = created.request(Method::Bye, 2, "z9hG4bKfuzz", Vec::new(), Vec::new());
            named.requests.extend(bye.ok().map(|bye| SipMessage::Request(bye).to_bytes()));
        }
        let mut answers = Answers::default();
        if answers.take(response, &[]).is_ok() {
            let subject = Subject { method: "INVITE", uri: "sip:b@127.0.0.1", body: b"" };
            let credentials =
                Credentials { username: "alice".to_owned(), password: Secret::new("secret".to_owned()) };
            let answered = answers.headers(&credentials, subject, "cnonce");
            let invite = dialog.request(Method::Invite, 2, "z9hG4bKfuzz", answered, Vec::new());
            named.requests.extend(invite.ok().map(|invite| SipMessage::Request(invite).to_bytes()));
        }
    }
    Some(named)
}

fn dialog() -> Dialog {
    Dialog {
        call_id: "call".to_owned(),
        local_tag: "ours".to_owned(),
        from: "<sip:a@127.0.0.1>".to_owned(),
        to: "<sip:b@127.0.0.1>".to_owned(),
        remote_tag: None,
        target: "sip:b@127.0.0.1".to_owned(),
        route_set: Vec::new(),
        cseq: 1,
        transport: Transport::Udp,
        sent_by: SocketAddr::from((Ipv4Addr::LOCALHOST, 5060)),
    }
}
