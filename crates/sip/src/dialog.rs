//! Our side of a dialog and the requests that it sends (RFC 3261 §8.1.1, §12).

use std::net::SocketAddr;

use domain::ports::{DialIntent, SavedLeg};
use domain::trunk::Transport;
use rsipstack::sip::{Header, Method, Request, Response, Uri, Version};

use crate::headers;
use crate::stack::wire;

/// What we understand, for `Allow` (RFC 3261 §20.5).
pub(crate) const ALLOW: &str = "INVITE, ACK, CANCEL, BYE, OPTIONS, INFO, UPDATE, PRACK, NOTIFY";

/// A longer Contact, and a longer route set, is not followed: each request would have to carry it, and
/// none would fit into a datagram.
const LONGEST_TARGET: usize = 1024;
const LONGEST_ROUTE_SET: usize = 4096;

/// Our name in every request.
const USER_AGENT: &str = concat!("Callwright/", env!("CARGO_PKG_VERSION"));

/// The content type of a session description.
pub(crate) const SDP: &str = "application/sdp";

/// An address in a message that is none.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is no usable SIP URI")]
pub(crate) struct BadUri(String);

/// Our side of a dialog, or of the attempt to make one, or of a request outside of any.
#[derive(Clone, Debug)]
pub(crate) struct Dialog {
    pub(crate) call_id: String,
    pub(crate) local_tag: String,
    /// Values of From and To without tags.
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) remote_tag: Option<String>,
    /// Request-URI, and once a dialog stands the callee's Contact.
    pub(crate) target: String,
    /// In the order of use.
    pub(crate) route_set: Vec<String>,
    /// The last number that was used.
    pub(crate) cseq: u32,
    pub(crate) transport: Transport,
    /// Where answers and in-dialog requests reach us.
    pub(crate) sent_by: SocketAddr,
}

impl Dialog {
    /// The number of the next request.
    pub(crate) fn next_cseq(&mut self) -> u32 {
        self.cseq = self.cseq.saturating_add(1);
        self.cseq
    }

    /// Our Contact.
    pub(crate) fn contact(&self) -> String {
        let suffix = match self.transport {
            Transport::Udp => "",
            Transport::Tcp => ";transport=tcp",
            Transport::Tls => ";transport=tls",
        };
        format!("<sip:callwright@{}{suffix}>", self.sent_by)
    }

    /// A request of this dialog.
    pub(crate) fn request(
        &self,
        method: Method,
        cseq: u32,
        branch: &str,
        extra: Vec<Header>,
        body: Vec<u8>,
    ) -> Result<Request, BadUri> {
        let (uri, routes) = self.request_uri_and_routes();
        let to = match &self.remote_tag {
            Some(tag) => format!("{};tag={tag}", self.to),
            None => self.to.clone(),
        };
        let transport = wire(self.transport);
        let mut all = vec![
            Header::Via(format!("SIP/2.0/{transport} {};branch={branch};rport", self.sent_by).into()),
            Header::MaxForwards("70".into()),
            Header::From(format!("{};tag={}", self.from, self.local_tag).into()),
            Header::To(to.into()),
            Header::CallId(self.call_id.clone().into()),
            Header::CSeq(format!("{cseq} {method}").into()),
        ];
        all.extend(routes.into_iter().map(|route| Header::Route(route.into())));
        all.push(Header::UserAgent(USER_AGENT.into()));
        all.extend(extra);
        Ok(Request {
            method,
            uri: Uri::try_from(uri).map_err(|_| BadUri(uri.to_owned()))?,
            version: Version::V2,
            headers: all.into(),
            body,
        })
    }

    /// The URI whose host the next request is sent to.
    pub(crate) fn next_hop(&self) -> &str {
        self.route_set.first().and_then(|route| headers::address_uri(route)).unwrap_or(&self.target)
    }

    /// The dialog that this response creates (RFC 3261 §12.1.2); none without a tag. Without a
    /// Contact, the target stays what it was.
    pub(crate) fn created_by(&self, response: &Response) -> Option<Self> {
        let mut dialog = self.clone();
        dialog.remote_tag = Some(headers::to_tag(&response.headers)?.to_owned());
        dialog.refresh_target(headers::first(&response.headers, "Contact"));
        dialog.route_set = route_set_of(response);
        Some(dialog)
    }

    /// Follows the Contact of a target refresh (RFC 3261 §12.2). One that no request could be
    /// addressed to is passed over, or the dialog could never be ended.
    pub(crate) fn refresh_target(&mut self, contact: Option<&str>) -> bool {
        match contact.and_then(headers::address_uri).filter(|uri| is_target(uri)) {
            Some(uri) if uri != self.target => {
                uri.clone_into(&mut self.target);
                true
            }
            _ => false,
        }
    }

    /// What another boot needs to end this dialog.
    pub(crate) fn saved(&self, intent: &DialIntent) -> SavedLeg {
        SavedLeg {
            intent: intent.clone(),
            remote_tag: self.remote_tag.clone(),
            remote_target: Some(self.target.clone()),
            route_set: self.route_set.clone(),
            local_cseq: self.cseq,
        }
    }

    /// A strict router at the head of the route set takes the Request-URI (RFC 3261 §12.2.1.1).
    fn request_uri_and_routes(&self) -> (&str, Vec<String>) {
        let strict = self
            .route_set
            .first()
            .and_then(|route| headers::address_uri(route))
            .filter(|uri| headers::uri_parameter(uri, "lr").is_none());
        match strict {
            None => (&self.target, self.route_set.clone()),
            Some(uri) => {
                let rest = self.route_set.iter().skip(1).cloned();
                (uri, rest.chain([format!("<{}>", self.target)]).collect())
            }
        }
    }
}

/// Whether requests can be addressed to a URI that the other side names.
fn is_target(uri: &str) -> bool {
    uri.len() <= LONGEST_TARGET && headers::is_plain(uri) && Uri::try_from(uri).is_ok()
}

/// The route set of the dialog that a response creates (RFC 3261 §12.1.2); none when no request could
/// follow it.
fn route_set_of(response: &Response) -> Vec<String> {
    let mut routes = headers::list(&response.headers, "Record-Route");
    let usable =
        |route: &String| headers::is_plain(route) && headers::address_uri(route).is_some_and(is_target);
    let length: usize = routes.iter().map(String::len).sum();
    if length > LONGEST_ROUTE_SET || !routes.iter().all(usable) {
        tracing::info!(routes = routes.len(), "a route set cannot be followed");
        return Vec::new();
    }
    routes.reverse();
    routes
}

/// The CANCEL of an INVITE (RFC 3261 §9.1): the same Request-URI, Via, tags, number and routes.
pub(crate) fn cancel_of(invite: &Request) -> Request {
    let kept = |header: &&Header| {
        matches!(
            header,
            Header::Via(_)
                | Header::MaxForwards(_)
                | Header::From(_)
                | Header::To(_)
                | Header::CallId(_)
                | Header::Route(_)
                | Header::UserAgent(_)
        )
    };
    let mut all: Vec<Header> = invite.headers.iter().filter(kept).cloned().collect();
    let number = headers::cseq(&invite.headers).map_or(0, |(number, _)| number);
    all.push(Header::CSeq(format!("{number} CANCEL").into()));
    Request {
        method: Method::Cancel,
        uri: invite.uri.clone(),
        version: Version::V2,
        headers: all.into(),
        body: Vec::new(),
    }
}

/// The ACK of a 2xx, with the INVITE's credentials (RFC 3261 §13.2.2.4).
pub(crate) fn ack_of(dialog: &Dialog, invite: &Request, branch: &str) -> Result<Request, BadUri> {
    let number = headers::cseq(&invite.headers).map_or(0, |(number, _)| number);
    let credentials =
        |header: &&Header| matches!(header, Header::Authorization(_) | Header::ProxyAuthorization(_));
    let mut extra: Vec<Header> = invite.headers.iter().filter(credentials).cloned().collect();
    extra.push(Header::ContentLength("0".into()));
    dialog.request(Method::Ack, number, branch, extra, Vec::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dialog(route_set: &[&str]) -> Dialog {
        Dialog {
            call_id: "c@h".to_owned(),
            local_tag: "l".to_owned(),
            from: "<sip:a@h>".to_owned(),
            to: "<sip:b@h>".to_owned(),
            remote_tag: Some("r".to_owned()),
            target: "sip:b@10.0.0.9:5070".to_owned(),
            route_set: route_set.iter().map(|route| (*route).to_owned()).collect(),
            cseq: 1,
            transport: Transport::Udp,
            sent_by: "192.0.2.1:5060".parse().unwrap(),
        }
    }

    #[test]
    fn a_loose_router_keeps_the_target_and_a_strict_one_takes_its_place() {
        let loose = dialog(&["<sip:p1;lr>", "<sip:p2;lr>"]);
        let request = loose.request(Method::Bye, 2, "z9hG4bKx", vec![], vec![]).unwrap();
        assert_eq!(request.uri.to_string(), "sip:b@10.0.0.9:5070");
        assert_eq!(headers::list(&request.headers, "Route"), ["<sip:p1;lr>", "<sip:p2;lr>"]);
        assert_eq!(loose.next_hop(), "sip:p1;lr");

        let strict = dialog(&["<sip:p1>", "<sip:p2;lr>"]);
        let request = strict.request(Method::Bye, 2, "z9hG4bKx", vec![], vec![]).unwrap();
        assert_eq!(request.uri.to_string(), "sip:p1");
        assert_eq!(headers::list(&request.headers, "Route"), ["<sip:p2;lr>", "<sip:b@10.0.0.9:5070>"]);
    }

    #[test]
    fn the_route_set_is_the_reverse_of_record_route() {
        let answer = "SIP/2.0 200 OK\r\nRecord-Route: <sip:p2;lr>, <sip:p1;lr>\r\nTo: <sip:b@h>;tag=z\r\n\
                      Contact: \"B\" <sip:b@10.1.1.1>;expires=3\r\n\r\n";
        let dialog = dialog(&[]).created_by(&Response::try_from(answer.as_bytes()).unwrap()).unwrap();
        assert_eq!(dialog.route_set, ["<sip:p1;lr>", "<sip:p2;lr>"]);
        assert_eq!((dialog.remote_tag.as_deref(), dialog.target.as_str()), (Some("z"), "sip:b@10.1.1.1"));
    }

    #[test]
    fn an_address_that_no_request_can_be_sent_to_is_passed_over() {
        let long = format!("<sip:{}@h>", "b".repeat(1100));
        let many = "<sip:p.example;lr>, ".repeat(300);
        for (contact, route) in [
            ("<sip:b@10.1.1.1:99999>", "<sip:p:99999;lr>"),
            ("<sip:b@10.1.1.1\u{1}>", "<sip:p\u{1};lr>"),
            (long.as_str(), many.as_str()),
            ("", ""),
        ] {
            let answer = format!(
                "SIP/2.0 200 OK\r\nRecord-Route: {route}\r\nTo: <sip:b@h>;tag=z\r\nContact: {contact}\r\n\r\n"
            );
            let dialog = dialog(&[]).created_by(&Response::try_from(answer.as_bytes()).unwrap()).unwrap();
            assert_eq!(
                (dialog.target.as_str(), dialog.route_set.len()),
                ("sip:b@10.0.0.9:5070", 0),
                "{answer}"
            );
            assert!(dialog.request(Method::Bye, 2, "z9hG4bKx", vec![], vec![]).is_ok());
        }
    }
}
