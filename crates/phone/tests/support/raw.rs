//! A SIP caller made of one UDP socket and no stack.

use std::net::SocketAddr;

use tokio::net::UdpSocket;

use super::PATIENCE;

pub struct Caller {
    pub socket: UdpSocket,
    phone: SocketAddr,
}

impl Caller {
    pub async fn to(phone: SocketAddr) -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        Self { socket, phone }
    }

    pub fn request(&self, method: &str, cseq: &str, branch: &str, to_tag: &str, body: &str) -> String {
        let local = self.socket.local_addr().unwrap();
        let phone = self.phone;
        let kind = if body.is_empty() { "" } else { "Content-Type: application/sdp\r\n" };
        format!(
            "{method} sip:%2B15550100@{phone} SIP/2.0\r\nVia: SIP/2.0/UDP {local};branch=z9hG4bK{branch}\r\n\
             From: <sip:raw@{local}>;tag=raw\r\nTo: <sip:%2B15550100@{phone}>{to_tag}\r\nCall-ID: raw@{local}\r\n\
             CSeq: {cseq}\r\nContact: <sip:raw@{local}>\r\nMax-Forwards: 70\r\n{kind}\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        )
    }

    pub fn invite(&self) -> String {
        let offer = "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\n\
                     m=audio 9 RTP/AVP 0\r\n";
        self.request("INVITE", "1 INVITE", "invite", "", offer)
    }

    pub async fn send(&self, message: &str) {
        self.socket.send_to(message.as_bytes(), self.phone).await.unwrap();
    }

    /// Answers a request of the phone with 200.
    pub async fn confirm(&self, request: &str) {
        let names = ["Via", "From", "To", "Call-ID", "CSeq"];
        let copied: String = request
            .split_inclusive("\r\n")
            .filter(|line| names.iter().any(|name| line.starts_with(name)))
            .collect();
        self.send(&format!("SIP/2.0 200 OK\r\n{copied}Content-Length: 0\r\n\r\n")).await;
    }

    /// The next message whose first line and `CSeq` contain these words, others passed over.
    pub async fn expect(&self, first_line: &str, cseq: &str) -> String {
        let wait = async {
            let mut buffer = [0; 4_096];
            loop {
                let (length, _) = self.socket.recv_from(&mut buffer).await.unwrap();
                let message = String::from_utf8_lossy(&buffer[..length]).into_owned();
                let line = message.lines().next().unwrap();
                if line.contains(first_line) && header(&message, "CSeq").contains(cseq) {
                    return message;
                }
            }
        };
        tokio::time::timeout(PATIENCE, wait).await.unwrap_or_else(|_| panic!("no {first_line} {cseq}"))
    }
}

pub fn header(message: &str, name: &str) -> String {
    let prefix = format!("{name}: ");
    message.lines().find_map(|line| line.strip_prefix(&prefix)).unwrap_or_default().to_owned()
}

pub fn tag(message: &str) -> String {
    let to = header(message, "To");
    format!(";tag={}", to.split_once(";tag=").expect("a tag").1)
}
