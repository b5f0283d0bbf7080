//! A scripted callee on a bare UDP socket.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use tokio::net::UdpSocket;

use super::PATIENCE;
use super::message::Message;

/// A callee with a socket for SIP and one for RTP.
pub struct Peer {
    socket: UdpSocket,
    pub rtp: UdpSocket,
    /// Everything that came, in order.
    pub received: Vec<Message>,
}

impl Peer {
    pub async fn bind() -> Self {
        Self::bind_at(Ipv4Addr::LOCALHOST.into()).await
    }

    pub async fn bind_at(ip: IpAddr) -> Self {
        Self {
            socket: UdpSocket::bind((ip, 0)).await.unwrap(),
            rtp: UdpSocket::bind((ip, 0)).await.unwrap(),
            received: Vec::new(),
        }
    }

    pub fn address(&self) -> SocketAddr {
        self.socket.local_addr().unwrap()
    }

    pub fn contact(&self) -> String {
        format!("Contact: <sip:callee@{}>", self.address())
    }

    /// A session description of µ-law and telephone-event at our RTP socket.
    pub fn sdp(&self) -> String {
        self.sdp_with("a=sendrecv")
    }

    pub fn sdp_with(&self, attribute: &str) -> String {
        let rtp = self.rtp.local_addr().unwrap();
        let family = if rtp.is_ipv4() { "IP4" } else { "IP6" };
        let ip = rtp.ip();
        format!(
            "v=0\r\no=peer 1 1 IN {family} {ip}\r\ns=-\r\nc=IN {family} {ip}\r\nt=0 0\r\n\
             m=audio {} RTP/AVP 0 101\r\na=rtpmap:0 PCMU/8000\r\na=rtpmap:101 telephone-event/8000\r\n\
             a=fmtp:101 0-15\r\na=ptime:20\r\n{attribute}\r\n",
            rtp.port()
        )
    }

    /// The next message that is no repetition of an earlier one.
    pub async fn next(&mut self) -> Message {
        loop {
            let message = self.next_raw().await;
            let known = self.received.iter().filter(|earlier| earlier.text == message.text).count();
            if known == 1 {
                return message;
            }
        }
    }

    /// The next message, repetitions included.
    pub async fn next_raw(&mut self) -> Message {
        let received = tokio::time::timeout(PATIENCE, self.receive()).await;
        received.expect("the peer hears nothing")
    }

    /// The next fresh message, which must be this request.
    pub async fn request(&mut self, method: &str) -> Message {
        let message = self.next().await;
        assert_eq!(message.method(), method, "{}", message.text);
        message
    }

    /// The next fresh message, which must be a response with this code.
    pub async fn response(&mut self, code: u16) -> Message {
        let message = self.next().await;
        assert_eq!(message.code(), Some(code), "{}", message.text);
        message
    }

    /// Listens for so long, and tells what fresh messages came.
    pub async fn listen(&mut self, length: Duration) -> Vec<Message> {
        let before = self.received.len();
        let _ = tokio::time::timeout(length, async {
            loop {
                self.receive().await;
            }
        })
        .await;
        let (old, new) = self.received.split_at(before);
        let mut fresh: Vec<Message> = Vec::new();
        for message in new {
            if !old.contains(message) && !fresh.contains(message) {
                fresh.push(message.clone());
            }
        }
        fresh
    }

    async fn receive(&mut self) -> Message {
        let mut buffer = [0; 8192];
        let (length, from) = self.socket.recv_from(&mut buffer).await.unwrap();
        let message = Message { text: String::from_utf8(buffer[..length].to_vec()).unwrap(), from };
        self.received.push(message.clone());
        message
    }

    pub async fn send(&self, text: &str, to: SocketAddr) {
        self.socket.send_to(text.as_bytes(), to).await.unwrap();
    }

    /// Answers with the tag `callee`.
    pub async fn reply(&self, request: &Message, status: &str, extra: &[&str], body: &str) {
        self.reply_as("callee", request, status, extra, body).await;
    }

    pub async fn reply_as(&self, tag: &str, request: &Message, status: &str, extra: &[&str], body: &str) {
        self.send(&request.response(status, tag, extra, body), request.from).await;
    }

    /// 200 with our Contact and session description.
    pub async fn answer(&self, invite: &Message) {
        self.reply(invite, "200 OK", &[&self.contact()], &self.sdp()).await;
    }

    /// INVITE, 200, ACK; returns the INVITE.
    pub async fn take_call(&mut self) -> Message {
        let invite = self.request("INVITE").await;
        self.answer(&invite).await;
        self.request("ACK").await;
        invite
    }

    /// Waits for a BYE and answers it.
    pub async fn take_bye(&mut self) -> Message {
        let bye = self.request("BYE").await;
        self.reply(&bye, "200 OK", &[], "").await;
        bye
    }

    /// A request of ours in the dialog that `invite` opened; a body is a session description.
    pub async fn ask(&self, invite: &Message, method: &str, number: u32, extra: &[&str], body: &str) {
        let sdp = (!body.is_empty()).then_some("Content-Type: application/sdp");
        let extra: Vec<&str> = extra.iter().copied().chain(sdp).collect();
        self.ask_with(invite, method, number, &extra, body).await;
    }

    /// The same with a body of any type, which `extra` names.
    pub async fn ask_with(&self, invite: &Message, method: &str, number: u32, extra: &[&str], body: &str) {
        let contact = invite.header("Contact");
        let target = contact.trim_start_matches('<').split('>').next().unwrap();
        let mut text = format!(
            "{method} {target} SIP/2.0\r\nVia: SIP/2.0/UDP {};branch=z9hG4bKpeer{method}{number}\r\n\
             From: {};tag=callee\r\nTo: {}\r\nCall-ID: {}\r\nCSeq: {number} {method}\r\nMax-Forwards: 70\r\n",
            self.address(),
            invite.header("To"),
            invite.header("From"),
            invite.header("Call-ID"),
        );
        for line in extra {
            text += &format!("{line}\r\n");
        }
        text += &format!("Content-Length: {}\r\n\r\n{body}", body.len());
        self.send(&text, invite.from).await;
    }
}
