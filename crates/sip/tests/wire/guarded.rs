//! Trunks that tenants set up: whatever a name, a Contact or a session description says, nothing is
//! sent to an address that the guard refuses. 127.0.0.1 stands for the outside here, 127.0.0.2 for the
//! inside.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use domain::network::{AddressPolicy, Network, Refused as Class};
use domain::ports::{
    HangUp, LegEnd, NoAnswer, Refused, RegistrationReport, Standing, Telephony, TrunkReport, TrunkReports,
};
use domain::trunk::{BUILT_IN_PHONE, Transport, Trunk, TrunkAddress};
use parking_lot::Mutex;
use sip::{KnownHost, Resolve, Settings};
use test_ports::free_port;

use crate::support::peer::Peer;
use crate::support::{Caller, PATIENCE, plan, settings, trunk, with_credentials};

const OUTSIDE: &str = "127.0.0.1";
const INSIDE: &str = "127.0.0.2";

/// Every name leads here, until it leads elsewhere.
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

fn guarded(trunk: Trunk) -> Trunk {
    Trunk { guarded: true, ..trunk }
}

fn named(host: &str) -> Trunk {
    Trunk { address: TrunkAddress { host: host.to_owned(), port: None }, ..trunk(free_port()) }
}

async fn caller(zone: &Zone) -> Caller {
    let allowed = vec![Network::parse(OUTSIDE).unwrap()];
    let guard = AddressPolicy { allowed, own: Vec::new() };
    Caller::with(Settings { resolver: Arc::new(zone.clone()), guard, ..settings() }).await
}

/// Waits until the trunk's report is as wanted.
async fn until(caller: &Caller, trunk: &Trunk, wanted: impl Fn(&TrunkReport) -> bool) -> TrunkReport {
    let reached = async {
        loop {
            let report = caller.telephony.report(trunk.id);
            if wanted(&report) {
                return report;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let reached = tokio::time::timeout(PATIENCE, reached).await;
    reached.unwrap_or_else(|_| panic!("{:?}", caller.telephony.report(trunk.id)))
}

#[tokio::test]
async fn a_guarded_trunk_with_an_inner_address_is_neither_dialled_nor_pinged_nor_registered_with() {
    let (zone, mut inside) = (Zone::default(), Peer::bind_at(INSIDE.parse().unwrap()).await);
    let caller = caller(&zone).await;
    let literal = guarded(with_credentials(trunk(inside.address())));
    for trunk in [literal.clone(), guarded(named("rebound.test"))] {
        *zone.0.lock() = vec![inside.address()];
        let refused = caller.telephony.prepare(plan(&trunk)).await;
        let Err(Refused::Unreachable(Some(cause))) = refused else { panic!("it was prepared") };
        let told = "the address guard refuses the trunk's address: loopback address";
        assert_eq!(cause.to_string(), told);
        assert!(!cause.to_string().contains(INSIDE));
    }
    let registering = Trunk { register: true, ..literal };
    caller.telephony.watch(vec![registering.clone()]).await;
    let down = until(&caller, &registering, |report| report.standing == Standing::Down).await;
    assert_eq!(down.last_ping.unwrap().answer, Err(NoAnswer::Guarded(Class::Loopback)));
    let unanswered = RegistrationReport::Unanswered(NoAnswer::Guarded(Class::Loopback));
    until(&caller, &registering, |report| report.registration.as_ref() == Some(&unanswered)).await;
    caller.telephony.watch(Vec::new()).await;
    assert_eq!(inside.listen(Duration::from_millis(50)).await, []);

    // The operator's own trunk may lead there.
    let trusted = Trunk { guarded: false, ..registering };
    assert!(caller.telephony.prepare(plan(&trusted)).await.is_ok());
}

#[tokio::test]
async fn a_name_is_judged_at_each_lookup_and_refused_when_any_of_its_addresses_is() {
    let (zone, outside) = (Zone::default(), Peer::bind().await);
    let inside: SocketAddr = (INSIDE.parse::<std::net::IpAddr>().unwrap(), 5060).into();
    let caller = caller(&zone).await;
    let trunk = guarded(named("pbx.test"));
    for (addresses, taken) in [
        (vec![outside.address()], true),
        (vec![outside.address(), inside], false),
        (vec![inside], false),
        (vec![outside.address()], true),
    ] {
        *zone.0.lock() = addresses;
        assert_eq!(caller.telephony.prepare(plan(&trunk)).await.is_ok(), taken);
    }
}

#[tokio::test]
async fn a_contact_or_a_description_that_leads_inside_is_not_followed() {
    let (zone, mut peer) = (Zone::default(), Peer::bind().await);
    let mut inside = Peer::bind_at(INSIDE.parse().unwrap()).await;
    let caller = caller(&zone).await;
    let trunk = guarded(trunk(peer.address()));
    let mut line = caller.dial(&trunk).await;
    let invite = peer.request("INVITE").await;
    peer.reply(&invite, "200 OK", &[&inside.contact()], &inside.sdp()).await;
    line.answered().await;
    // The dialog stays with the gateway that answered.
    let ack = peer.request("ACK").await;
    assert!(ack.request_uri().contains(INSIDE), "{}", ack.text);
    assert_eq!(caller.telephony.report(trunk.id).live_calls, 1);

    // Who speaks from outside is heard, and is answered there.
    let port = invite.body().split("m=audio ").nth(1).unwrap().split(' ').next().unwrap();
    let ours: SocketAddr = format!("{OUTSIDE}:{port}").parse().unwrap();
    let mut buffer = [0; 512];
    for number in 1..=5_u8 {
        let mut packet = vec![0x80, 0, 0, number, 0, 0, 0, 0, 1, 2, 3, 4];
        packet.extend([0x55; 160]);
        peer.rtp.send_to(&packet, ours).await.unwrap();
        tokio::time::timeout(PATIENCE, peer.rtp.recv_from(&mut buffer)).await.unwrap().unwrap();
    }
    // A later description changes neither.
    peer.ask(&invite, "INVITE", 1, &[&inside.contact()], &inside.sdp()).await;
    peer.response(200).await;
    peer.ask(&invite, "ACK", 1, &[], "").await;
    tokio::time::timeout(PATIENCE, peer.rtp.recv_from(&mut buffer)).await.unwrap().unwrap();
    line.hang_up(HangUp::Normal);
    let bye = peer.take_bye().await;
    assert!(bye.request_uri().contains(INSIDE));
    assert_eq!(line.ended().await, LegEnd::ByUs);
    until(&caller, &trunk, |report| report.live_calls == 0).await;
    assert!(inside.rtp.try_recv_from(&mut buffer).is_err(), "sound went inside");
    assert_eq!(inside.listen(Duration::from_millis(50)).await, []);
}

#[tokio::test]
async fn a_known_host_is_asked_of_no_resolver_and_not_pinged_and_sees_our_own_address() {
    let mut phone = Peer::bind().await;
    let zone = Zone::default();
    zone.0.lock().push(phone.address());
    let known = KnownHost { name: BUILT_IN_PHONE.to_owned(), resolver: Arc::new(zone) };
    let caller = Caller::with(Settings {
        known_hosts: vec![known],
        public_address: Some("203.0.113.9".parse().unwrap()),
        ..settings()
    })
    .await;
    let trunk = guarded(named("Phone.Callwright.INVALID"));
    caller.telephony.watch(vec![trunk.clone()]).await;
    assert_eq!(caller.telephony.report(trunk.id).standing, Standing::BuiltIn);
    let mut line = caller.dial(&trunk).await;
    // No OPTIONS came before it.
    let invite = phone.take_call().await;
    line.answered().await;
    assert!(!invite.text.contains("203.0.113.9"), "{}", invite.text);
    assert!(invite.body().contains("c=IN IP4 127.0.0.1"));
    let mut buffer = [0; 512];
    phone.rtp.recv_from(&mut buffer).await.unwrap();
    line.hang_up(HangUp::Normal);
    phone.take_bye().await;
    assert_eq!(line.ended().await, LegEnd::ByUs);
}

#[tokio::test]
async fn people_are_told_how_a_trunk_answers_and_until_when_we_are_registered() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let trunk = Trunk { register: true, ..with_credentials(trunk(peer.address())) };
    assert_eq!(caller.telephony.report(trunk.id), TrunkReport::default());
    caller.telephony.watch(vec![trunk.clone()]).await;
    let pending = caller.telephony.report(trunk.id);
    assert_eq!(pending.registration, Some(RegistrationReport::Pending));
    let mut refused = false;
    let answering = async {
        loop {
            let request = peer.next().await;
            let (status, extra) = match request.method() {
                "OPTIONS" => ("404 Not Found", ""),
                _ if !std::mem::replace(&mut refused, true) => ("403 Forbidden", ""),
                _ => ("200 OK", "Expires: 600"),
            };
            peer.reply(
                &request,
                status,
                &[extra].map(|line| if line.is_empty() { "X-None: 1" } else { line }),
                "",
            )
            .await;
        }
    };
    let watching = async {
        let refusal = |report: &TrunkReport| match &report.registration {
            Some(RegistrationReport::Refused(answer)) => answer.code == 403 && answer.phrase == "Forbidden",
            _ => false,
        };
        until(&caller, &trunk, refusal).await;
        let stands = |report: &TrunkReport| {
            matches!(report.registration, Some(RegistrationReport::Stands { .. }))
                && report.last_ping.is_some()
        };
        until(&caller, &trunk, stands).await
    };
    let report = tokio::select! {
        report = watching => report,
        () = answering => unreachable!("it answers for ever"),
    };
    let Some(RegistrationReport::Stands { left }) = report.registration else { unreachable!() };
    assert!((Duration::from_secs(590)..=Duration::from_mins(10)).contains(&left), "{left:?}");
    let ping = report.last_ping.unwrap();
    assert_eq!(ping.answer.unwrap().code, 404);
    assert!(ping.round_trip.unwrap() < PATIENCE && ping.ago < PATIENCE);
    assert_eq!(report.standing, Standing::Up);
}
