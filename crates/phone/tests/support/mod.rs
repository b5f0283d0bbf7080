//! What the phone's tests share: a phone on loopback, and SIPp as its caller.

pub mod kamailio;
pub mod raw;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use domain::ports::Entropy;
use phone::{Events, Happening, Phone, PhoneEvent, PhoneSettings, Scripts};

/// No wait in these tests is longer.
pub const PATIENCE: Duration = Duration::from_secs(20);

pub struct SystemEntropy;

impl Entropy for SystemEntropy {
    fn fill(&self, bytes: &mut [u8]) {
        getrandom::fill(bytes).unwrap();
    }
}

pub fn settings() -> PhoneSettings {
    PhoneSettings::new("127.0.0.1:0".parse().unwrap(), Arc::new(SystemEntropy))
}

pub async fn phone(scripts: impl Into<Scripts>) -> (Phone, Events) {
    let phone = Phone::start(settings(), scripts).await.unwrap();
    let events = phone.events();
    (phone, events)
}

/// Reads events until the call is over.
pub async fn whole_call(events: &mut Events) -> Vec<PhoneEvent> {
    let mut seen = Vec::new();
    let reading = async {
        loop {
            let event = events.next().await.expect("the phone is alive");
            seen.push(event);
            if matches!(seen.last().unwrap().what, Happening::Over { .. }) {
                break;
            }
        }
    };
    assert!(tokio::time::timeout(PATIENCE, reading).await.is_ok(), "not over, but: {seen:#?}");
    seen
}

/// The events by name, without their values.
pub fn names(events: &[PhoneEvent]) -> Vec<String> {
    events
        .iter()
        .map(|event| {
            let json: serde_json::Value = serde_json::from_str(&event.to_json()).unwrap();
            json["event"].as_str().unwrap().to_owned()
        })
        .collect()
}

/// Runs SIPp as the caller; panics with its screen unless the scenario went as written.
pub async fn sipp(target: SocketAddr, scenario: Scenario<'_>, number: &str, more: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let mut command = tokio::process::Command::new("sipp");
    match scenario {
        Scenario::BuiltIn(name) => command.args(["-sn", name]),
        Scenario::Steps(steps) => {
            let path: PathBuf = folder.path().join("caller.xml");
            std::fs::write(&path, document(steps)).unwrap();
            command.arg("-sf").arg(path)
        }
    };
    let target = target.to_string();
    command
        .args([&target, "-i", "127.0.0.1", "-s", number, "-m", "1", "-nostdin"])
        .args(["-timeout", "18s", "-timeout_error", "-trace_err", "-error_file"])
        .arg(folder.path().join("errors"))
        .args(more)
        .stdin(Stdio::null())
        .kill_on_drop(true);
    let output = tokio::time::timeout(PATIENCE, command.output()).await.expect("SIPp ends in time");
    let output = output.expect("SIPp is installed (Debian: sip-tester)");
    let errors = std::fs::read_to_string(folder.path().join("errors")).unwrap_or_default();
    let screen = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "SIPp failed\n{screen}\n{errors}");
}

pub enum Scenario<'a> {
    BuiltIn(&'a str),
    Steps(&'a str),
}

fn document(steps: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"ISO-8859-1\" ?>\n<!DOCTYPE scenario SYSTEM \"sipp.dtd\">\n\
         <scenario name=\"caller\">\n{steps}\n</scenario>\n"
    )
}

/// A message of the caller; `cseq` is `1 INVITE` and the like.
pub fn send(method: &str, cseq: &str, to: &str, more: &str, body: &str) -> String {
    let retransmitted = if method == "ACK" { "" } else { " retrans=\"500\"" };
    format!(
        "<send{retransmitted}><![CDATA[\n\
         {method} sip:[service]@[remote_ip]:[remote_port] SIP/2.0\n\
         Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]\n\
         From: <sip:tester@[local_ip]:[local_port]>;tag=[pid]caller[call_number]\n\
         To: <sip:[service]@[remote_ip]:[remote_port]>{to}\n\
         Call-ID: [call_id]\nCSeq: {cseq}\n\
         Contact: <sip:tester@[local_ip]:[local_port];transport=[transport]>\nMax-Forwards: 70\n{more}\
         Content-Length: [len]\n\n{body}]]></send>\n"
    )
}

pub const OFFER: &str = "v=0\no=- 1 1 IN IP4 [local_ip]\ns=-\nc=IN IP4 [media_ip]\nt=0 0\n\
                         m=audio [media_port] RTP/AVP 8 101\na=rtpmap:8 PCMA/8000\n\
                         a=rtpmap:101 telephone-event/8000\n";

pub fn invite() -> String {
    send("INVITE", "1 INVITE", "", "Content-Type: application/sdp\n", OFFER)
}

pub fn recv(code: u16) -> String {
    format!("<recv response=\"{code}\" rtd=\"true\"/>\n")
}

pub fn maybe(code: u16) -> String {
    format!("<recv response=\"{code}\" optional=\"true\"/>\n")
}

pub fn ack() -> String {
    send("ACK", "1 ACK", "[peer_tag_param]", "", "")
}
