//! Answers to requests outside of our dialogs, without a transaction (RFC 3261 §8.2.7): nothing is
//! kept, nothing is repeated, and each request gets one answer.

use std::hash::{BuildHasher, RandomState};

use rsipstack::sip::{Header, Method, Request, SipMessage};
use rsipstack::transaction::endpoint::EndpointInnerRef;
use rsipstack::transport::SipConnection;

use crate::dialog::{ALLOW, SDP};
use crate::headers;

/// Answers a request that no dialog of ours knows; we take no calls yet.
pub(super) async fn answer(
    endpoint: &EndpointInnerRef,
    tags: &RandomState,
    request: &Request,
    connection: &SipConnection,
) -> rsipstack::Result<()> {
    let known = headers::to_tag(&request.headers).is_some();
    let code: u16 = match request.method {
        _ if known => 481,
        Method::Options => 200,
        Method::Invite => 480,
        _ => 405,
    };
    let mut response = endpoint.make_response(request, code.into(), None);
    if !known {
        let tag = tag(tags, request);
        for header in response.headers.iter_mut() {
            if let Header::To(to) = header {
                *to = format!("{};tag={tag}", to.value()).into();
            }
        }
    }
    response.headers.push(Header::Allow(ALLOW.into()));
    if code == 200 {
        response.headers.push(Header::Accept(SDP.into()));
        response.headers.push(Header::Supported("timer, 100rel".into()));
    }
    connection.send(SipMessage::Response(response), None).await
}

/// The same tag for every repetition of a request.
fn tag(tags: &RandomState, request: &Request) -> String {
    let named = ["Call-ID", "From", "Via", "CSeq"].map(|name| headers::first(&request.headers, name));
    format!("{:016x}", tags.hash_one(named))
}
