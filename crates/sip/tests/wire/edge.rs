//! Who is heard over UDP: what belongs to our calls from anywhere, everything else from peers alone,
//! and neither so often that calls suffer.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use domain::network::Network;
use domain::ports::{HangUp, LegEnd, Telephony};
use domain::trunk::{Transport, Trunk, TrunkAddress};
use parking_lot::Mutex;
use sip::edge::{PeerRates, Rate};
use sip::{Resolve, Settings, Timers};

use crate::support::peer::Peer;
use crate::support::{Caller, PATIENCE, fast, plan, settings, trunk};

/// Another machine, as the trunk's peer is 127.0.0.1.
const ELSEWHERE: &str = "127.0.0.2";

/// More than some thousand a second stopped all signalling once.
const FLOOD: usize = 20_000;

async fn elsewhere() -> Peer {
    Peer::bind_at(ELSEWHERE.parse().unwrap()).await
}

/// A request outside of any dialog.
fn request(method: &str, name: &str, from: SocketAddr) -> String {
    format!(
        "{method} sip:x@y SIP/2.0\r\nVia: SIP/2.0/UDP {from};rport;branch=z9hG4bK{name}\r\n\
         From: <sip:a@b>;tag=t\r\nTo: <sip:x@y>\r\nCall-ID: {name}\r\nCSeq: 1 {method}\r\n\
         Contact: <sip:a@{from}>\r\nMax-Forwards: 70\r\nContent-Length: 0\r\n\r\n"
    )
}

/// Makes the trunk's gateway a peer, as a call does.
async fn acquainted(caller: &Caller, trunk: &Trunk) {
    drop(caller.telephony.prepare(plan(trunk)).await.unwrap());
}

/// Waits until the service has worked off everything that came before.
async fn answers(caller: &Caller, peer: &mut Peer, name: &str) {
    peer.send(&request("OPTIONS", name, peer.address()), caller.telephony.local_addr()).await;
    assert_eq!(peer.response(200).await.header("Call-ID"), name);
}

#[tokio::test]
async fn stranger_gets_no_answer_whatever_it_sends() {
    let (caller, mut peer, mut stranger) = (Caller::start().await, Peer::bind().await, elsewhere().await);
    acquainted(&caller, &trunk(peer.address())).await;
    let ours = caller.telephony.local_addr();
    for method in ["INVITE", "OPTIONS", "BYE", "CANCEL", "REGISTER"] {
        stranger.send(&request(method, method, stranger.address()), ours).await;
    }
    for other in ["\r\n\r\n", "no SIP", "SIP/2.0 200 OK\r\n\r\n"] {
        stranger.send(other, ours).await;
    }
    answers(&caller, &mut peer, "after").await;
    assert_eq!(stranger.listen(Duration::from_millis(50)).await, []);
    let dropped = caller.telephony.dropped();
    assert_eq!((dropped.strangers, dropped.malformed, dropped.peer_limit), (6, 2, 0));
    assert_eq!(caller.telephony.transactions(), 0);
}

#[tokio::test]
async fn peers_are_answered_once_and_without_a_transaction() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    acquainted(&caller, &trunk(peer.address())).await;
    let ours = caller.telephony.local_addr();
    let invite = request("INVITE", "one", peer.address());
    peer.send(&invite, ours).await;
    let refusal = peer.response(480).await;
    assert!(refusal.callee_tag().is_some());
    peer.send(&invite.replace("INVITE", "ACK"), ours).await;
    peer.send("\r\n\r\n", ours).await;
    assert_eq!(peer.next_raw().await.text, "\r\n");
    // Without an ACK nothing is repeated; a repetition of theirs is answered alike.
    assert_eq!(peer.listen(Duration::from_millis(200)).await, []);
    peer.send(&invite, ours).await;
    assert_eq!(peer.next_raw().await, refusal);
    assert_eq!(caller.telephony.transactions(), 0);
}

#[tokio::test]
async fn messages_of_a_call_pass_from_any_address() {
    let (caller, mut peer, mut other) = (Caller::start().await, Peer::bind().await, elsewhere().await);
    let mut line = caller.dial(&trunk(peer.address())).await;
    let invite = peer.request("INVITE").await;
    other.reply(&invite, "180 Ringing", &[], "").await;
    assert_eq!(line.ringing().await, 180);
    other.answer(&invite).await;
    line.answered().await;
    other.request("ACK").await;
    // A 2xx that comes again belongs to no transaction any more.
    other.answer(&invite).await;
    let ack = other.next_raw().await;
    assert_eq!(ack.method(), "ACK");

    let ours = caller.telephony.local_addr();
    let wrong = invite.text.replace(invite.caller_tag(), "guessed");
    other.ask(&crate::support::message::Message { text: wrong, from: ours }, "BYE", 1, &[], "").await;
    assert_eq!(other.listen(Duration::from_millis(50)).await, []);
    other.ask(&invite, "BYE", 2, &[], "").await;
    let bye = other.response(200).await;
    assert_eq!(line.ended().await, LegEnd::ByPeer);
    caller.forgets_all().await;
    // Its answer was lost: the BYE comes again after the call is over.
    other.ask(&invite, "BYE", 2, &[], "").await;
    assert_eq!(other.next_raw().await, bye);
}

/// Sends 20 requests a millisecond with a name each, from one address, and returns how many answers
/// came.
fn flood(from: &str, to: SocketAddr, stop: Arc<AtomicBool>) -> std::thread::JoinHandle<(usize, usize)> {
    let socket = UdpSocket::bind((from.parse::<IpAddr>().unwrap(), 0)).unwrap();
    socket.set_nonblocking(true).unwrap();
    std::thread::spawn(move || {
        let (mut sent, mut answered, mut buffer) = (0, 0, [0; 4096]);
        let ours = socket.local_addr().unwrap();
        while sent < FLOOD || !stop.load(Ordering::Relaxed) {
            for _ in 0..20 {
                let invite = request("INVITE", &format!("flood{sent}"), ours);
                sent += usize::from(socket.send_to(invite.as_bytes(), to).is_ok());
            }
            while socket.recv_from(&mut buffer).is_ok() {
                answered += 1;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        (sent, answered)
    })
}

/// Calls go on while requests flood in from an address.
async fn calls_survive_a_flood(from: &str) -> (Caller, usize, usize) {
    let peer_rates = PeerRates { each: Rate::new(10, 20), total: Rate::new(20, 40) };
    let caller = Caller::with(Settings { peer_rates, ..settings() }).await;
    let mut peer = Peer::bind().await;
    let trunk = trunk(peer.address());
    acquainted(&caller, &trunk).await;
    let answering = tokio::spawn(async move {
        loop {
            let message = peer.next_raw().await;
            match message.method() {
                "INVITE" => peer.answer(&message).await,
                "BYE" => peer.reply(&message, "200 OK", &[], "").await,
                _ => {}
            }
        }
    });
    let stop = Arc::new(AtomicBool::new(false));
    let flooding = flood(from, caller.telephony.local_addr(), stop.clone());
    let mut calls = 0;
    while calls < 5 || !flooding.is_finished() {
        let mut line = caller.dial(&trunk).await;
        line.answered().await;
        // No transaction but the calls' own.
        assert!(caller.telephony.transactions() < 20 + 10 * calls, "{calls} calls");
        line.hang_up(HangUp::Normal);
        assert_eq!(line.ended().await, LegEnd::ByUs);
        calls += 1;
        stop.store(calls >= 5, Ordering::Relaxed);
    }
    let (sent, answered) = flooding.join().unwrap();
    answering.abort();
    assert!(sent >= FLOOD);
    (caller, sent, answered)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn flood_of_a_stranger_reaches_no_transaction() {
    let (caller, _, answered) = calls_survive_a_flood(ELSEWHERE).await;
    assert_eq!(answered, 0);
    let dropped = caller.telephony.dropped();
    assert!(dropped.strangers > 1_000, "{dropped:?}");
    assert_eq!((dropped.peer_limit, dropped.dialog_limit, dropped.queue_full), (0, 0, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn flood_with_a_peers_address_is_held_to_its_rate() {
    let (caller, sent, answered) = calls_survive_a_flood("127.0.0.1").await;
    let dropped = caller.telephony.dropped();
    assert!(dropped.peer_limit > 1_000 && dropped.strangers == 0, "{dropped:?}");
    assert!(answered > 0 && answered < sent / 20, "{answered} answers to {sent}");
}

#[tokio::test]
async fn networks_of_a_trunk_are_heard_and_their_neighbours_not() {
    let (caller, mut within) = (Caller::start().await, elsewhere().await);
    let mut beside = Peer::bind_at("127.0.0.4".parse().unwrap()).await;
    let inbound_from = vec![Network::parse("127.0.0.2/31").unwrap()];
    let known = Trunk { inbound_from, ..trunk("127.0.0.9:9".parse().unwrap()) };
    caller.telephony.watch(vec![known]).await;
    let ours = caller.telephony.local_addr();
    within.send(&request("INVITE", "within", within.address()), ours).await;
    within.response(480).await;
    beside.send(&request("INVITE", "beside", beside.address()), ours).await;
    answers(&caller, &mut within, "after").await;
    assert_eq!(beside.listen(Duration::from_millis(50)).await, []);
}

#[tokio::test]
async fn flood_of_a_callee_in_its_own_call_is_cut() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let mut line = caller.dial(&trunk(peer.address())).await;
    let invite = peer.take_call().await;
    line.answered().await;
    for number in 1..=1_000 {
        peer.ask(&invite, "INFO", number, &[], "").await;
    }
    // Its answer belongs to a transaction of ours.
    line.hang_up(HangUp::Normal);
    loop {
        let message = peer.next_raw().await;
        if message.method() == "BYE" {
            peer.reply(&message, "200 OK", &[], "").await;
            break;
        }
    }
    assert_eq!(line.ended().await, LegEnd::ByUs);
    let (dropped, transactions) = (caller.telephony.dropped(), caller.telephony.transactions());
    assert!(dropped.dialog_limit > 800 && transactions < 200, "{dropped:?}, {transactions} transactions");
}

/// A zone whose answers change, or stay away.
#[derive(Default)]
struct Zone {
    answers: Mutex<HashMap<Option<u16>, Vec<SocketAddr>>>,
    asked: AtomicUsize,
}

#[async_trait]
impl Resolve for Zone {
    async fn targets(&self, address: &TrunkAddress, _: Transport) -> io::Result<Vec<SocketAddr>> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let found = self.answers.lock().get(&address.port).cloned();
        found.ok_or_else(|| io::Error::other("no server answers"))
    }
}

impl Zone {
    fn set(&self, port: Option<u16>, ip: &str) {
        self.answers.lock().insert(port, vec![SocketAddr::new(ip.parse().unwrap(), 9)]);
    }

    /// Waits until what was asked before is worked off.
    async fn turns(&self) {
        let until = self.asked.load(Ordering::Relaxed) + 6;
        let turned = async {
            while self.asked.load(Ordering::Relaxed) < until {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(PATIENCE, turned).await.expect("the name is not looked up");
    }
}

#[tokio::test]
async fn names_of_watched_trunks_are_looked_up_and_kept() {
    let zone = Arc::new(Zone::default());
    let timers = Timers { peers: Duration::from_millis(20), ..fast() };
    let caller = Caller::with(Settings { resolver: zone.clone(), timers, ..settings() }).await;
    let mut peers = Vec::new();
    for ip in ["127.0.0.2", "127.0.0.3", "127.0.0.4"] {
        peers.push(Peer::bind_at(ip.parse().unwrap()).await);
    }
    let [first, second, third] = &mut peers[..] else { unreachable!() };
    let named = Trunk {
        address: TrunkAddress { host: "trunk.test".to_owned(), port: None },
        ..trunk("127.0.0.9:9".parse().unwrap())
    };
    // By SRV records it is one host, by its address another.
    zone.set(None, "127.0.0.2");
    zone.set(Some(5060), "127.0.0.3");
    caller.telephony.watch(vec![named]).await;
    zone.turns().await;
    answers(&caller, first, "first").await;
    answers(&caller, second, "second").await;

    zone.answers.lock().clear();
    zone.turns().await;
    answers(&caller, first, "kept").await;

    zone.set(None, "127.0.0.4");
    zone.turns().await;
    answers(&caller, third, "moved").await;
    answers(&caller, second, "still").await;

    caller.telephony.watch(Vec::new()).await;
    let ours = caller.telephony.local_addr();
    first.send(&request("OPTIONS", "gone", first.address()), ours).await;
    assert_eq!(first.listen(Duration::from_millis(50)).await, []);
}
