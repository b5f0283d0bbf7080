//! A SIP message as a peer of its own making reads and answers it: no code is shared with the
//! product.

use std::net::SocketAddr;

/// A received message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    pub text: String,
    pub from: SocketAddr,
}

impl Message {
    pub fn start_line(&self) -> &str {
        self.text.lines().next().unwrap()
    }

    /// The method of a request.
    pub fn method(&self) -> &str {
        self.start_line().split(' ').next().unwrap()
    }

    /// The code of a response.
    pub fn code(&self) -> Option<u16> {
        self.start_line().strip_prefix("SIP/2.0 ")?.get(..3)?.parse().ok()
    }

    pub fn request_uri(&self) -> &str {
        self.start_line().split(' ').nth(1).unwrap()
    }

    pub fn head(&self) -> &str {
        self.text.split("\r\n\r\n").next().unwrap()
    }

    pub fn body(&self) -> &str {
        self.text.split_once("\r\n\r\n").unwrap().1
    }

    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.head().lines().skip(1).filter_map(move |line| {
            let (key, value) = line.split_once(':')?;
            key.trim().eq_ignore_ascii_case(name).then_some(value.trim())
        })
    }

    pub fn header(&self, name: &str) -> &str {
        self.find(name).unwrap_or_else(|| panic!("no {name} in:\n{}", self.text))
    }

    pub fn find(&self, name: &str) -> Option<&str> {
        let name = name.to_owned();
        self.head().lines().skip(1).find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.trim().eq_ignore_ascii_case(&name).then_some(value.trim())
        })
    }

    pub fn cseq(&self) -> u32 {
        self.header("CSeq").split(' ').next().unwrap().parse().unwrap()
    }

    pub fn branch(&self) -> &str {
        parameter(self.header("Via"), "branch").unwrap()
    }

    pub fn caller_tag(&self) -> &str {
        parameter(self.header("From"), "tag").unwrap()
    }

    pub fn callee_tag(&self) -> Option<&str> {
        parameter(self.header("To"), "tag")
    }

    /// A response to this request.
    pub fn response(&self, status: &str, to_tag: &str, extra: &[&str], body: &str) -> String {
        let mut text = format!("SIP/2.0 {status}\r\n");
        for via in self.all("Via") {
            text += &format!("Via: {via}\r\n");
        }
        let tag = if self.callee_tag().is_none() && !to_tag.is_empty() && !status.starts_with("100") {
            format!(";tag={to_tag}")
        } else {
            String::new()
        };
        text += &format!("From: {}\r\nTo: {}{tag}\r\n", self.header("From"), self.header("To"));
        text += &format!("Call-ID: {}\r\nCSeq: {}\r\n", self.header("Call-ID"), self.header("CSeq"));
        for line in extra {
            text += &format!("{line}\r\n");
        }
        if !body.is_empty() {
            text += "Content-Type: application/sdp\r\n";
        }
        text + &format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }
}

/// A parameter's value without quotes.
pub fn parameter<'a>(value: &'a str, name: &str) -> Option<&'a str> {
    value.split([';', ',', ' ']).find_map(|part| {
        let (key, value) = part.trim().split_once('=')?;
        (key == name).then(|| value.trim_matches('"'))
    })
}
