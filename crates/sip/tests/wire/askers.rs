//! Who may ask for a trunk's password: the trunk, under its realms, and nobody that a Contact or a forged
//! response brings in. 127.0.0.1 is the trunk here, and 127.0.0.3 is not.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use domain::call::EndedReason;
use domain::network::Network;
use domain::ports::{HangUp, LegEnd, Telephony};
use domain::trunk::{Transport, Trunk, TrunkAddress};
use parking_lot::Mutex;
use sip::{Resolve, Settings};
use tracing_subscriber::filter::LevelFilter;

use crate::support::lines::Lines;
use crate::support::message::Message;
use crate::support::peer::Peer;
use crate::support::{Caller, plan, settings, trunk, with_credentials};

const ELSEWHERE: &str = "127.0.0.3";
const CHALLENGE: &str = "407 Proxy Authentication Required";
const ASK: &str = "Proxy-Authenticate: Digest realm=\"r\", nonce=\"n\", qop=\"auth\"";

async fn stranger() -> Peer {
    Peer::bind_at(ELSEWHERE.parse().unwrap()).await
}

fn shows_credentials(messages: &[Message]) -> bool {
    messages.iter().any(|message| {
        message.find("Authorization").is_some() || message.find("Proxy-Authorization").is_some()
    })
}

/// Logs of the test's only thread from now on.
fn logging() -> (Lines, tracing::subscriber::DefaultGuard) {
    let lines = Lines::default();
    let to = lines.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(LevelFilter::INFO)
        .with_ansi(false)
        .with_writer(move || to.clone())
        .finish();
    (lines, tracing::subscriber::set_default(subscriber))
}

#[tokio::test]
async fn a_host_that_a_contact_names_is_shown_no_credentials() {
    let (caller, mut peer, mut elsewhere) = (Caller::start().await, Peer::bind().await, stranger().await);
    let mut line = caller.dial(&with_credentials(trunk(peer.address()))).await;
    let first = peer.request("INVITE").await;
    peer.reply(&first, CHALLENGE, &[ASK], "").await;
    peer.request("ACK").await;
    let second = peer.request("INVITE").await;
    assert!(second.find("Proxy-Authorization").is_some());
    peer.reply(&second, "200 OK", &[&elsewhere.contact()], &peer.sdp()).await;
    line.answered().await;
    assert_eq!(elsewhere.request("ACK").await.callee_tag(), Some("callee"));
    line.hang_up(HangUp::Normal);
    let bye = elsewhere.request("BYE").await;
    elsewhere.reply(&bye, CHALLENGE, &[ASK], "").await;
    // The leg must not stay up: its BYE goes the way of the INVITE.
    let again = peer.request("BYE").await;
    assert!(again.cseq() > bye.cseq() && again.request_uri() == bye.request_uri());
    peer.reply(&again, CHALLENGE, &[ASK], "").await;
    assert!(peer.take_bye().await.find("Proxy-Authorization").is_some());
    assert_eq!(line.ended().await, LegEnd::ByUs);
    caller.forgets_all().await;
    assert_eq!(elsewhere.listen(Duration::from_millis(100)).await, []);
    assert!(!shows_credentials(&elsewhere.received), "{:?}", elsewhere.received);
}

#[tokio::test]
async fn a_host_of_the_trunk_that_a_contact_names_is_answered() {
    let (caller, mut peer, mut elsewhere) = (Caller::start().await, Peer::bind().await, stranger().await);
    let inbound_from = Network::parse(ELSEWHERE).into_iter().collect();
    let trunk = Trunk { inbound_from, ..with_credentials(trunk(peer.address())) };
    let mut line = caller.dial(&trunk).await;
    let invite = peer.request("INVITE").await;
    peer.reply(&invite, "200 OK", &[&elsewhere.contact()], &peer.sdp()).await;
    line.answered().await;
    elsewhere.request("ACK").await;
    line.hang_up(HangUp::Normal);
    let bye = elsewhere.request("BYE").await;
    elsewhere.reply(&bye, CHALLENGE, &[ASK], "").await;
    let again = elsewhere.take_bye().await;
    assert!(again.find("Proxy-Authorization").is_some());
    assert_eq!(line.ended().await, LegEnd::ByUs);
}

/// A name that gives these addresses now.
#[derive(Clone, Default)]
struct Zone(Arc<Mutex<Vec<SocketAddr>>>);

#[async_trait]
impl Resolve for Zone {
    async fn targets(&self, address: &TrunkAddress, _: Transport) -> io::Result<Vec<SocketAddr>> {
        match address.host.parse() {
            Ok(ip) => Ok(vec![SocketAddr::new(ip, address.port.unwrap_or(5060))]),
            Err(_) => Ok(self.0.lock().clone()),
        }
    }
}

#[tokio::test]
async fn a_gateway_that_challenges_for_another_is_answered() {
    let (zone, mut peer, elsewhere) = (Zone::default(), Peer::bind().await, stranger().await);
    let caller = Caller::with(Settings { resolver: Arc::new(zone.clone()), ..settings() }).await;
    let address = TrunkAddress { host: "pbx.test".to_owned(), port: None };
    let trunk = Trunk { address, ..with_credentials(trunk(peer.address())) };
    // The name gives its two gateways one at a time.
    *zone.0.lock() = vec![elsewhere.address()];
    drop(caller.telephony.prepare(plan(&trunk)).await.unwrap());
    *zone.0.lock() = vec![peer.address()];
    let mut line = caller.dial(&trunk).await;
    let invite = peer.request("INVITE").await;
    elsewhere.reply(&invite, CHALLENGE, &[ASK], "").await;
    peer.request("ACK").await;
    let again = peer.request("INVITE").await;
    assert!(again.find("Proxy-Authorization").is_some());
    peer.reply(&again, "486 Busy Here", &[], "").await;
    assert!(matches!(line.ended().await, LegEnd::Failed(answer) if answer.code == 486));
}

#[tokio::test]
async fn a_leg_from_before_tls_is_hung_up_without_the_password() {
    let (dead, heir, mut peer) = (Caller::start().await, Caller::start().await, Peer::bind().await);
    let before = trunk(peer.address());
    let mut line = dead.dial(&before).await;
    peer.take_call().await;
    let saved = line.answered().await.saved;
    let now = Trunk { transport: Transport::Tls, ..with_credentials(before) };
    let ending = tokio::spawn(async move { heir.telephony.end_orphan(now, saved).await });
    let bye = peer.request("BYE").await;
    peer.reply(&bye, CHALLENGE, &[ASK], "").await;
    ending.await.unwrap();
    assert_eq!(peer.listen(Duration::from_millis(50)).await, []);
    assert!(!shows_credentials(&peer.received));
}

#[tokio::test]
async fn a_challenge_from_another_address_is_not_answered() {
    let (caller, mut peer, elsewhere) = (Caller::start().await, Peer::bind().await, stranger().await);
    let mut line = caller.dial(&with_credentials(trunk(peer.address()))).await;
    let invite = peer.request("INVITE").await;
    elsewhere.reply(&invite, CHALLENGE, &[ASK, "X-Local-Source: 127.0.0.1:5060"], "").await;
    let LegEnd::Failed(answer) = line.ended().await else { panic!("expected a failure") };
    assert_eq!(answer.reason(false), EndedReason::TrunkRejected);
    peer.request("ACK").await;
    assert_eq!(peer.listen(Duration::from_millis(100)).await, []);
    assert!(!shows_credentials(&peer.received) && !shows_credentials(&elsewhere.received));
}

#[tokio::test]
async fn a_realm_that_is_not_listed_rejects_the_call_and_is_logged() {
    let (lines, _logging) = logging();
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    for (realms, answered) in
        [(vec!["pbx".to_owned()], false), (vec!["pbx".to_owned(), "r".to_owned()], true)]
    {
        let trunk = Trunk { realms, ..with_credentials(trunk(peer.address())) };
        let mut line = caller.dial(&trunk).await;
        let invite = peer.request("INVITE").await;
        peer.reply(&invite, CHALLENGE, &[ASK], "").await;
        peer.request("ACK").await;
        if answered {
            let again = peer.request("INVITE").await;
            assert!(again.find("Proxy-Authorization").is_some());
            peer.reply(&again, "486 Busy Here", &[], "").await;
            peer.request("ACK").await;
        }
        let LegEnd::Failed(answer) = line.ended().await else { panic!("expected a failure") };
        assert_eq!(answer.reason(false) == EndedReason::TrunkRejected, !answered);
    }
    let text = lines.text();
    let refused = text.lines().filter(|line| line.contains("WARN") && line.contains("realm=\"r\""));
    assert_eq!(refused.count(), 1, "{text}");
}

#[tokio::test]
async fn a_realm_is_logged_the_first_time_that_it_asks() {
    let (lines, _logging) = logging();
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let trunk = with_credentials(trunk(peer.address()));
    for realm in ["one", "one", "two"] {
        let mut line = caller.dial(&trunk).await;
        let ask = format!("Proxy-Authenticate: Digest realm=\"{realm}\", nonce=\"secret-nonce\"");
        for status in [CHALLENGE, "486 Busy Here"] {
            let invite = peer.request("INVITE").await;
            peer.reply(&invite, status, &[&ask], "").await;
            peer.request("ACK").await;
        }
        assert!(matches!(line.ended().await, LegEnd::Failed(answer) if answer.code == 486));
    }
    let text = lines.text();
    let ours: String = text.lines().filter(|line| !line.contains("rsipstack")).collect();
    assert_eq!(
        (ours.matches("realm=\"one\"").count(), ours.matches("realm=\"two\"").count()),
        (1, 1),
        "{ours}"
    );
    assert!(!ours.contains("secret-nonce"));
}
