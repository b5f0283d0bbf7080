//! SIPp as the trunk: scenarios of what a callee's side does.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use test_ports::{free_port, is_bound};

/// A running SIPp in the role of the trunk.
pub struct Sipp {
    child: Child,
    port: u16,
    messages: PathBuf,
}

/// A step of the trunk's side.
#[derive(Clone, Copy)]
pub enum Step {
    /// Wait for the INVITE.
    Invite,
    /// Answer it with a status without a body.
    Answer(u16, &'static str),
    /// Answer it with 200 or 183 and a session description; audio goes nowhere.
    AnswerWithSdp(u16, &'static str),
    /// Wait for a request of this method; other steps answer it.
    Expect(&'static str),
    /// Answer the request that was expected last with 200.
    Okay,
    /// Answer the INVITE of a cancelled call.
    Terminated,
    /// Say BYE and wait for its 200.
    Bye,
    /// Wait so many milliseconds.
    Pause(u32),
}

impl Sipp {
    /// Runs a scenario for every call, any number of times.
    pub fn start(directory: &Path, steps: &[Step]) -> Self {
        let port = free_port().port();
        let file = directory.join(format!("scenario-{port}.xml"));
        std::fs::write(&file, scenario(steps)).unwrap();
        let messages = directory.join(format!("sipp-{port}.messages"));
        let child = Command::new("sipp")
            .arg("-sf")
            .arg(&file)
            .args(["-i", "127.0.0.1", "-p", &port.to_string(), "-nostdin", "-aa", "-timeout", "300s"])
            .args(["-trace_err", "-error_file"])
            .arg(directory.join(format!("sipp-{port}.err")))
            .args(["-trace_msg", "-message_file"])
            .arg(&messages)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("sipp must be installed; `./just test` brings it");
        Self::wait_until_bound(port);
        Self { child, port, messages }
    }

    /// What `trunk create` needs.
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// How many calls have come: INVITEs of different Call-IDs, but for those sent again.
    pub fn calls_taken(&self) -> usize {
        let messages = std::fs::read_to_string(&self.messages).unwrap();
        let invites = messages.split("\nINVITE sip:").skip(1);
        let call_ids = invites.filter_map(|invite| {
            invite
                .lines()
                .find_map(|line| line.to_ascii_lowercase().strip_prefix("call-id:").map(str::to_owned))
        });
        call_ids.collect::<HashSet<_>>().len()
    }

    fn wait_until_bound(port: u16) {
        let deadline = tokio::time::Instant::now() + super::installation::PATIENCE;
        while !is_bound(port) {
            assert!(tokio::time::Instant::now() < deadline, "sipp does not listen");
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    }
}

impl Drop for Sipp {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const ANSWER_HEAD: &str =
    "[last_Via:]\n[last_From:]\n[last_To:];tag=[call_number][pid]\n[last_Call-ID:]\n[last_CSeq:]\n";
const CONTACT: &str = "Contact: <sip:callee@[local_ip]:[local_port]>\n";
const SDP: &str = "v=0\no=callee 1 1 IN IP4 [local_ip]\ns=-\nc=IN IP4 [local_ip]\nt=0 0\nm=audio [media_port] RTP/AVP 0 101\na=rtpmap:0 PCMU/8000\na=rtpmap:101 telephone-event/8000\n";

const INVITE: &str = "<recv request=\"INVITE\" crlf=\"true\" rrs=\"true\"><action>
<ereg regexp=\".*\" search_in=\"hdr\" header=\"From:\" assign_to=\"from\"/>
<ereg regexp=\".*\" search_in=\"hdr\" header=\"To:\" assign_to=\"to\"/>
<ereg regexp=\"sip:[^>]*\" search_in=\"hdr\" header=\"Contact:\" assign_to=\"target\"/>
<ereg regexp=\".*\" search_in=\"hdr\" header=\"Via:\" assign_to=\"via\"/>
<ereg regexp=\".*\" search_in=\"hdr\" header=\"CSeq:\" assign_to=\"cseq\"/>
</action></recv>\n";
const OKAY: &str = "SIP/2.0 200 OK\n[last_Via:]\n[last_From:]\n[last_To:]\n[last_Call-ID:]\n[last_CSeq:]\nContent-Length: 0\n";
const TERMINATED: &str = "SIP/2.0 487 Request Terminated\nVia:[$via]\nFrom:[$from]\nTo:[$to];tag=[call_number][pid]\n[last_Call-ID:]\nCSeq:[$cseq]\nContent-Length: 0\n";
const BYE: &str = "BYE [$target] SIP/2.0\nVia: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]\nMax-Forwards: 70\nFrom:[$to];tag=[call_number][pid]\nTo:[$from]\n[last_Call-ID:]\nCSeq: 1 BYE\nContent-Length: 0\n";

fn scenario(steps: &[Step]) -> String {
    let steps = steps.iter().map(xml).collect::<Vec<_>>().concat();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<scenario name=\"trunk\">\n{steps}<label id=\"unused\"/>\n\
         <Reference variables=\"from,to,target,via,cseq\"/>\n</scenario>\n"
    )
}

fn xml(step: &Step) -> String {
    match step {
        Step::Invite => INVITE.to_owned(),
        Step::Answer(code, phrase) => {
            send(&format!("SIP/2.0 {code} {phrase}\n{ANSWER_HEAD}{CONTACT}Content-Length: 0\n"))
        }
        Step::AnswerWithSdp(code, phrase) => send(&format!(
            "SIP/2.0 {code} {phrase}\n{ANSWER_HEAD}{CONTACT}Content-Type: application/sdp\nContent-Length: [len]\n\n{SDP}"
        )),
        Step::Expect(method) => format!("<recv request=\"{method}\" crlf=\"true\"/>\n"),
        Step::Okay => send(OKAY),
        Step::Terminated => send(TERMINATED),
        Step::Bye => send(BYE) + "<recv response=\"200\"/>\n",
        Step::Pause(milliseconds) => format!("<pause milliseconds=\"{milliseconds}\"/>\n"),
    }
}

fn send(message: &str) -> String {
    format!("<send><![CDATA[\n{message}\n]]></send>\n")
}
