//! The messages of RFC 4475 and mutations of them, from a configured peer's address, with a call up.

mod mutation;
mod notation;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use domain::ports::{HangUp, Telephony};
use domain::trunk::Trunk;
use mutation::{Chance, LiveCall, mutated};
use notation::samples;
use sip::Settings;
use sip::edge::{PeerRates, Rate, StreamLimits};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UdpSocket};
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use crate::support::line::Line;
use crate::support::message::Message;
use crate::support::{Caller, PATIENCE, settings, trunk};

/// Mutations between two checks.
const BATCH: u32 = 500;

/// How many mutations are sent unless `VARIABLE` says otherwise.
const MUTATIONS: u32 = 20_000;

/// The environment variable with the number of mutations.
const VARIABLE: &str = "CALLWRIGHT_TORTURE_MUTATIONS";

/// The environment variable with the seed.
const SEED_VARIABLE: &str = "CALLWRIGHT_TORTURE_SEED";

/// A configured peer that answers every call and every ping.
struct Gateway {
    socket: Arc<UdpSocket>,
    /// The latest INVITE that it answered.
    invites: watch::Receiver<Option<LiveCall>>,
    /// Call-IDs of the 200 that came.
    answers: mpsc::UnboundedReceiver<String>,
    probes: usize,
}

impl Gateway {
    async fn open() -> Self {
        let socket = Arc::new(UdpSocket::bind("127.0.0.1:0").await.unwrap());
        let (live, invites) = watch::channel(None);
        let (answered, answers) = mpsc::unbounded_channel();
        tokio::spawn(serve(socket.clone(), live, answered));
        Self { socket, invites, answers, probes: 0 }
    }

    fn trunk(&self) -> Trunk {
        trunk(self.socket.local_addr().unwrap())
    }

    /// Sends OPTIONS as often as a client repeats them, until a 200 comes.
    async fn probe(&mut self, stack: SocketAddr) {
        self.probes += 1;
        let (own, probe) = (self.socket.local_addr().unwrap(), self.probes);
        let request = format!(
            "OPTIONS sip:{stack} SIP/2.0\r\nVia: SIP/2.0/UDP {own};branch=z9hG4bKprobe{probe}\r\n\
             From: <sip:probe@{own}>;tag=probe\r\nTo: <sip:{stack}>\r\nCall-ID: probe-{probe}\r\n\
             CSeq: 1 OPTIONS\r\nMax-Forwards: 70\r\nContent-Length: 0\r\n\r\n"
        );
        let asking = async {
            loop {
                self.socket.send_to(request.as_bytes(), stack).await.unwrap();
                let answer = tokio::time::timeout(Duration::from_millis(500), async {
                    while self.answers.recv().await.unwrap() != format!("probe-{probe}") {}
                });
                if answer.await.is_ok() {
                    return;
                }
            }
        };
        tokio::time::timeout(PATIENCE, asking).await.expect("the stack answers no OPTIONS");
    }
}

async fn serve(
    socket: Arc<UdpSocket>,
    live: watch::Sender<Option<LiveCall>>,
    answered: mpsc::UnboundedSender<String>,
) {
    let mut buffer = vec![0; 65_536];
    let own = socket.local_addr().unwrap();
    loop {
        let (length, from) = socket.recv_from(&mut buffer).await.unwrap();
        let Ok(text) = String::from_utf8(buffer[..length].to_vec()) else { continue };
        let message = Message { text, from };
        let Some(call_id) = message.find("Call-ID").map(str::to_owned) else { continue };
        let reply = match message.method() {
            "SIP/2.0" => {
                if message.code() == Some(200) {
                    let _ = answered.send(call_id);
                }
                continue;
            }
            "INVITE" if message.callee_tag().is_none() => {
                live.send_replace(Some(LiveCall {
                    call_id,
                    caller: message.header("From").to_owned(),
                    callee: format!("{};tag=callee", message.header("To")),
                    via: message.header("Via").to_owned(),
                    cseq: message.cseq(),
                }));
                let sdp = "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\n\
                           m=audio 9 RTP/AVP 0\r\na=rtpmap:0 PCMU/8000\r\n";
                message.response("200 OK", "callee", &[&format!("Contact: <sip:callee@{own}>")], sdp)
            }
            "BYE" | "OPTIONS" | "CANCEL" => message.response("200 OK", "callee", &[], ""),
            _ => continue,
        };
        socket.send_to(reply.as_bytes(), from).await.unwrap();
    }
}

/// A caller whose peer sends what this module makes.
struct Torture {
    caller: Caller,
    gateway: Gateway,
    panics: Arc<AtomicUsize>,
}

impl Torture {
    async fn start() -> Self {
        // As much as is sent is to be read: the bounds of a peer have tests of their own.
        let rate = Rate::new(1_000_000, 1_000_000);
        // Streams that end may be closed later than the next one opens.
        let streams = StreamLimits { per_address: 256, ..StreamLimits::default() };
        let settings = Settings { peer_rates: PeerRates { each: rate, total: rate }, streams, ..settings() };
        let (caller, gateway) = (Caller::with(settings).await, Gateway::open().await);
        caller.telephony.watch(vec![gateway.trunk()]).await;
        Self { caller, gateway, panics: count_panics() }
    }

    /// Places a call and waits until the peer has answered it.
    async fn call(&mut self) -> (Line, LiveCall) {
        let mut invites = self.gateway.invites.clone();
        invites.mark_unchanged();
        // Pings that the batch before crowded out mark the trunk as down for a moment.
        let deadline = Instant::now() + PATIENCE;
        let line = loop {
            match self.caller.try_dial(&self.gateway.trunk()).await {
                Ok(line) => break line,
                Err(refused) => assert!(Instant::now() < deadline, "{refused:?}"),
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        };
        tokio::time::timeout(PATIENCE, invites.changed()).await.expect("no INVITE leaves").unwrap();
        let known = invites.borrow_and_update().clone().unwrap();
        (line, known)
    }

    /// Waits until the call has ended by us, or has been ended by a mutation.
    async fn end(&self, mut line: Line) {
        line.hang_up(HangUp::Normal);
        line.ended().await;
    }

    fn stack(&self) -> SocketAddr {
        self.caller.telephony.local_addr()
    }

    async fn send(&self, datagram: &[u8]) {
        self.gateway.socket.send_to(datagram, self.stack()).await.unwrap();
    }

    /// Nothing panicked, and every table is as empty as before the first message.
    async fn leaves_nothing(self) {
        self.caller.telephony.watch(Vec::new()).await;
        self.caller.forgets_all().await;
        let deadline = Instant::now() + 3 * PATIENCE;
        while self.caller.telephony.transactions() > 0 {
            let left = self.caller.telephony.transactions();
            assert!(Instant::now() < deadline, "{left} transactions are left over");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        assert_eq!(self.panics.load(Ordering::SeqCst), 0, "tasks have panicked");
    }
}

/// Counts panics of any task: those of spawned tasks would go unseen.
fn count_panics() -> Arc<AtomicUsize> {
    let panics = Arc::new(AtomicUsize::new(0));
    let (count, earlier) = (panics.clone(), std::panic::take_hook());
    std::panic::set_hook(Box::new(move |info| {
        count.fetch_add(1, Ordering::SeqCst);
        earlier(info);
    }));
    panics
}

#[expect(clippy::disallowed_methods, reason = "tests have no configuration but the environment")]
fn number(variable: &str, default: u32) -> u32 {
    std::env::var(variable).map_or(default, |text| text.parse().unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rfc_4475_messages_leave_a_stack_that_answers() {
    let mut torture = Torture::start().await;
    let (line, _) = torture.call().await;
    for sample in samples() {
        torture.send(&sample.bytes).await;
        torture.gateway.probe(torture.stack()).await;
    }
    torture.end(line).await;
    torture.leaves_nothing().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rfc_4475_messages_over_tcp_leave_a_stack_that_answers() {
    let mut torture = Torture::start().await;
    for sample in samples() {
        let mut stream = TcpStream::connect(torture.stack()).await.unwrap();
        stream.write_all(&sample.bytes).await.unwrap();
        torture.gateway.probe(torture.stack()).await;
        // What is answered is read, so that closing resets nothing.
        stream.shutdown().await.unwrap();
        let mut answer = Vec::new();
        let _ = tokio::time::timeout(Duration::from_millis(20), stream.read_to_end(&mut answer)).await;
    }
    torture.leaves_nothing().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mutated_rfc_4475_messages_leave_a_stack_that_answers() {
    let mut torture = Torture::start().await;
    let (mutations, seed) = (number(VARIABLE, MUTATIONS), number(SEED_VARIABLE, 4475));
    let samples: Vec<_> = samples().into_iter().map(|sample| sample.bytes).collect();
    let began = Instant::now();
    for batch in 0..mutations.div_ceil(BATCH) {
        let (line, known) = torture.call().await;
        // A batch can be sent again alone: its seed is printed when it fails.
        let mut chance = Chance::seeded(u64::from(seed) << 32 | u64::from(batch));
        eprintln!("batch {batch} of seed {seed}");
        for _ in 0..BATCH {
            torture.send(&mutated(&mut chance, &samples, &known)).await;
        }
        torture.gateway.probe(torture.stack()).await;
        torture.end(line).await;
    }
    let dropped = torture.caller.telephony.dropped();
    eprintln!("{mutations} mutations in {:?}, {dropped:?}", began.elapsed());
    // A third at least gets past the edge, to the parser and to what is behind it.
    let unread = dropped.malformed + dropped.dialog_limit + dropped.queue_full;
    assert_eq!((dropped.strangers, dropped.peer_limit), (0, 0));
    assert!(unread < u64::from(mutations) / 3 * 2, "{dropped:?}");
    torture.leaves_nothing().await;
}
