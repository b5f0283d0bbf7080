//! As much of a SIP message as the raw peer needs, read in place.

use std::net::SocketAddr;

/// A message as text.
#[derive(Clone, Copy)]
pub(crate) struct Message<'a>(pub(crate) &'a str);

impl<'a> Message<'a> {
    /// A request's method; `SIP/2.0` for a response.
    pub(crate) fn method(self) -> &'a str {
        self.0.split(' ').next().unwrap_or_default()
    }

    /// The user part of the Request-URI.
    pub(crate) fn dialled(self) -> &'a str {
        let uri = self.0.split(' ').nth(1).unwrap_or_default();
        uri.strip_prefix("sip:").and_then(|rest| rest.split('@').next()).unwrap_or_default()
    }

    /// A header's value.
    pub(crate) fn header(self, name: &str) -> &'a str {
        self.lines(name).next().map_or("", |line| line[name.len() + 1..].trim())
    }

    /// The URI in Contact.
    pub(crate) fn contact(self) -> &'a str {
        let contact = self.header("Contact");
        contact.split_once('<').map_or(contact, |(_, rest)| rest.split('>').next().unwrap_or_default())
    }

    /// Where the sender of this description of a session takes RTP.
    pub(crate) fn media(self) -> SocketAddr {
        let word = |line: &str, place| {
            let line = self.0.split("\r\n").find(|found| found.starts_with(line)).unwrap_or_default();
            line.split(' ').nth(place).unwrap_or_default().to_owned()
        };
        format!("{}:{}", word("c=IN IP4 ", 2), word("m=audio ", 1)).parse().unwrap()
    }

    fn lines(self, name: &str) -> impl Iterator<Item = &'a str> {
        self.0.split("\r\n").take_while(|line| !line.is_empty()).filter(move |line| {
            line.as_bytes().get(name.len()) == Some(&b':') && line[..name.len()].eq_ignore_ascii_case(name)
        })
    }

    /// A response to this request; `more` are whole header lines.
    pub(crate) fn response(self, status: &str, tag: &str, more: &str, body: &str) -> String {
        let mut text = format!("SIP/2.0 {status}\r\n");
        for name in ["Via", "From", "To", "Call-ID", "CSeq"] {
            for line in self.lines(name) {
                text += line;
                if name == "To" && !line.contains(";tag=") {
                    text += ";tag=";
                    text += tag;
                }
                text += "\r\n";
            }
        }
        text + &format!("{more}Content-Length: {}\r\n\r\n{body}", body.len())
    }

    /// The callee's BYE in the dialog of this INVITE.
    pub(crate) fn bye(self, sent_by: std::net::SocketAddr, tag: &str) -> String {
        let (target, call_id) = (self.contact(), self.header("Call-ID"));
        let (from, to) = (self.header("To"), self.header("From"));
        format!(
            "BYE {target} SIP/2.0\r\nVia: SIP/2.0/UDP {sent_by};branch=z9hG4bKbye{call_id}\r\nMax-Forwards: 70\r\n\
             From: {from};tag={tag}\r\nTo: {to}\r\nCall-ID: {call_id}\r\nCSeq: 1 BYE\r\nContent-Length: 0\r\n\r\n"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INVITE: &str = "INVITE sip:+14152000007@127.0.0.1:5 SIP/2.0\r\nVia: SIP/2.0/UDP 127.0.0.1:9;branch=b\r\n\
        From: <sip:a@x>;tag=1\r\nTo: <sip:b@x>\r\nCall-ID: c\r\nCSeq: 1 INVITE\r\nContact: <sip:x@127.0.0.1:9>\r\n\r\n";

    #[test]
    fn a_request_is_read_and_answered() {
        let invite = Message(INVITE);
        assert_eq!((invite.method(), invite.dialled()), ("INVITE", "+14152000007"));
        assert_eq!(crate::desk::call_number(invite.dialled()), Some(7));
        let answer = invite.response("486 Busy Here", "t", "", "");
        assert_eq!(
            answer,
            "SIP/2.0 486 Busy Here\r\nVia: SIP/2.0/UDP 127.0.0.1:9;branch=b\r\nFrom: <sip:a@x>;tag=1\r\n\
             To: <sip:b@x>;tag=t\r\nCall-ID: c\r\nCSeq: 1 INVITE\r\nContent-Length: 0\r\n\r\n"
        );
    }

    #[test]
    fn a_bye_goes_back_the_way_the_invite_came() {
        let bye = Message(INVITE).bye("127.0.0.1:5".parse().unwrap(), "t");
        assert!(bye.starts_with("BYE sip:x@127.0.0.1:9 SIP/2.0\r\n"), "{bye}");
        assert!(bye.contains("From: <sip:b@x>;tag=t\r\nTo: <sip:a@x>;tag=1\r\n"), "{bye}");
    }
}
