//! Several gateways behind one name: which is called, and when the next one is.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use domain::call::EndedReason;
use domain::ports::{HangUp, LegEnd, Refused, Telephony};
use domain::trunk::{Transport, Trunk, TrunkAddress};
use sip::{Resolve, Settings};
use tokio::net::TcpListener;

use crate::support::peer::Peer;
use test_ports::free_port;

use crate::support::{Caller, settings, trunk};

/// A zone with one name, as SRV records would order its gateways.
struct Zone(Vec<SocketAddr>);

#[async_trait]
impl Resolve for Zone {
    async fn targets(&self, address: &TrunkAddress, _: Transport) -> io::Result<Vec<SocketAddr>> {
        match address.host.as_str() {
            "gateways.test" => Ok(self.0.clone()),
            "slow.test" => std::future::pending().await,
            host => match host.parse() {
                Ok(ip) => Ok(vec![SocketAddr::new(ip, address.port.unwrap_or(5060))]),
                Err(_) => Err(io::Error::new(io::ErrorKind::NotFound, "no such name")),
            },
        }
    }
}

fn named(host: &str) -> Trunk {
    let address = TrunkAddress { host: host.to_owned(), port: None };
    Trunk { address, ..trunk(free_port()) }
}

async fn caller(gateways: &[SocketAddr]) -> Caller {
    Caller::with(Settings { resolver: Arc::new(Zone(gateways.to_vec())), ..settings() }).await
}

#[tokio::test]
async fn a_503_before_any_provisional_answer_goes_to_the_next_gateway() {
    let (mut first, mut second) = (Peer::bind().await, Peer::bind().await);
    let caller = caller(&[first.address(), second.address()]).await;
    let mut line = caller.dial(&named("gateways.test")).await;
    let refused = first.request("INVITE").await;
    first.reply(&refused, "503 Service Unavailable", &[], "").await;
    first.request("ACK").await;
    let taken = second.request("INVITE").await;
    assert_eq!(taken.header("Call-ID"), refused.header("Call-ID"));
    assert_eq!(taken.caller_tag(), refused.caller_tag());
    assert_ne!(taken.branch(), refused.branch());
    second.answer(&taken).await;
    line.answered().await;
    second.request("ACK").await;
    line.hang_up(HangUp::Normal);
    second.take_bye().await;
    assert_eq!(line.ended().await, LegEnd::ByUs);
}

#[tokio::test]
async fn nothing_else_is_tried_elsewhere() {
    let (mut first, mut second) = (Peer::bind().await, Peer::bind().await);
    let caller = caller(&[first.address(), second.address()]).await;
    for (provisional, status, reason) in [
        (None, "486 Busy Here", EndedReason::CustomerBusy),
        (None, "603 Decline", EndedReason::CustomerDeclined),
        (None, "500 Server Internal Error", EndedReason::TrunkError),
        (None, "408 Request Timeout", EndedReason::TrunkError),
        (Some("180 Ringing"), "503 Service Unavailable", EndedReason::TrunkError),
        (Some("100 Trying"), "503 Service Unavailable", EndedReason::TrunkError),
    ] {
        let mut line = caller.dial(&named("gateways.test")).await;
        let invite = first.request("INVITE").await;
        if let Some(provisional) = provisional {
            first.reply(&invite, provisional, &[], "").await;
        }
        first.reply(&invite, status, &[], "").await;
        first.request("ACK").await;
        let LegEnd::Failed(answer) = line.ended().await else { panic!("{status} is a failure") };
        assert_eq!(answer.reason(!line.rang.is_empty()), reason, "{status}");
    }
    assert!(second.listen(Duration::from_millis(200)).await.is_empty());
}

#[tokio::test]
async fn a_503_from_the_last_gateway_is_the_end() {
    let mut only = Peer::bind().await;
    let caller = caller(&[only.address()]).await;
    let mut line = caller.dial(&named("gateways.test")).await;
    let invite = only.request("INVITE").await;
    only.reply(&invite, "503 Out of Lines", &[], "").await;
    let LegEnd::Failed(answer) = line.ended().await else { panic!("expected a failure") };
    assert_eq!((answer.code, answer.phrase.as_str()), (503, "Out of Lines"));
}

#[tokio::test]
async fn a_gateway_that_takes_no_connection_is_passed_over_before_a_byte_is_sent() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let caller = caller(&[free_port(), listener.local_addr().unwrap()]).await;
    let trunk = Trunk { transport: Transport::Tcp, ..named("gateways.test") };
    let line = caller.dial(&trunk).await;
    assert_eq!(line.intent.gateway, listener.local_addr().unwrap().to_string());
    assert_eq!(line.intent.transport, "tcp");
}

#[tokio::test]
async fn a_gateway_of_the_other_address_family_is_passed_over() {
    let peer = Peer::bind().await;
    let caller = caller(&["[::1]:5060".parse().unwrap(), peer.address()]).await;
    let line = caller.dial(&named("gateways.test")).await;
    assert_eq!(line.intent.gateway, peer.address().to_string());
}

#[tokio::test]
async fn a_gateway_that_answers_pings_is_called_before_one_that_does_not() {
    let (silent, mut living) = (Peer::bind().await, Peer::bind().await);
    let caller = caller(&[silent.address(), living.address()]).await;
    let trunk = named("gateways.test");
    caller.telephony.watch(vec![trunk.clone()]).await;
    let ping = living.request("OPTIONS").await;
    living.reply(&ping, "200 OK", &[], "").await;
    let known = async {
        while caller.telephony.trunk_state(trunk.id).last_ping.is_none() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(crate::support::PATIENCE, known).await.unwrap();
    assert!(caller.telephony.trunk_state(trunk.id).up, "one living gateway is enough");
    let line = caller.dial(&trunk).await;
    assert_eq!(line.intent.gateway, living.address().to_string());
}

#[tokio::test]
async fn a_trunk_that_cannot_be_found_or_reached_is_refused_in_time() {
    let caller = caller(&[]).await;
    let tcp = Trunk { transport: Transport::Tcp, ..trunk(free_port()) };
    for trunk in [named("nowhere.test"), named("slow.test"), named("gateways.test"), tcp] {
        let start = tokio::time::Instant::now();
        let refused = caller.telephony.prepare(crate::support::plan(&trunk)).await;
        assert!(matches!(refused, Err(Refused::Unreachable(_))), "{}", trunk.address);
        assert!(start.elapsed() < Duration::from_millis(900), "{}", trunk.address);
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let (mut peer, mut elsewhere) = (Peer::bind().await, Peer::bind().await);
    let caller = caller(&[]).await;
    let mut line = caller.dial(&trunk(peer.address())).await;
    let invite = peer.request("INVITE").await;
    let contact = elsewhere.contact();
    peer.reply(&invite, "302 Moved Temporarily", &[&contact], "").await;
    assert!(matches!(line.ended().await, LegEnd::Failed(answer) if answer.code == 302));
    assert!(elsewhere.listen(Duration::from_millis(200)).await.is_empty());
}
