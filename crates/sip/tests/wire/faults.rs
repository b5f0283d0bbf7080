//! Values that no honest peer sends, and faults of our own: whatever breaks, no telephone stays off the
//! hook, and no other call notices.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::task::{Context, Wake, Waker};
use std::time::Duration;

use async_trait::async_trait;
use domain::ports::{HangUp, Leg, LegEnd, LegEvent, RegistrationReport, Telephony, TrunkReports};
use domain::trunk::{Transport, Trunk, TrunkAddress};
use sip::{Resolve, Settings};

use crate::support::message::Message;
use crate::support::peer::Peer;
use crate::support::{Caller, PATIENCE, plan, settings, trunk, with_credentials};

/// More seconds than any clock can count.
const FOREVER: &str = "18446744073709551615";

async fn answer_with(peer: &mut Peer, extra: &[&str]) -> Message {
    let invite = peer.request("INVITE").await;
    let contact = peer.contact();
    let all: Vec<&str> = std::iter::once(contact.as_str()).chain(extra.iter().copied()).collect();
    peer.reply(&invite, "200 OK", &all, &peer.sdp()).await;
    peer.request("ACK").await;
    invite
}

#[tokio::test]
async fn an_endless_session_interval_does_not_break_the_call() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    for refresher in ["uas", "uac"] {
        let interval = format!("Session-Expires: {FOREVER};refresher={refresher}");
        let mut line = caller.dial(&trunk(peer.address())).await;
        let invite = answer_with(&mut peer, &[&interval]).await;
        line.answered().await;
        let wish = format!("Session-Expires: {FOREVER};refresher=uac");
        peer.ask(&invite, "UPDATE", 1, &[&wish, "Supported: timer"], "").await;
        assert_eq!(peer.response(200).await.header("Session-Expires"), "86400;refresher=uac");
        line.hang_up(HangUp::Normal);
        peer.take_bye().await;
        assert_eq!(line.ended().await, LegEnd::ByUs, "{refresher}");
    }
}

#[tokio::test]
async fn an_endless_minimum_is_asked_for_as_a_day() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let mut line = caller.dial(&trunk(peer.address())).await;
    let first = peer.request("INVITE").await;
    let minimum = format!("Min-SE: {FOREVER}");
    peer.reply(&first, "422 Session Interval Too Small", &[&minimum], "").await;
    peer.request("ACK").await;
    let second = peer.request("INVITE").await;
    assert_eq!((second.header("Session-Expires"), second.header("Min-SE")), ("86400", "86400"));
    peer.reply(&second, "422 Session Interval Too Small", &[&minimum], "").await;
    assert!(matches!(line.ended().await, LegEnd::Failed(answer) if answer.code == 422));
}

#[tokio::test]
async fn a_trunk_that_always_wants_another_invite_gets_twelve() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let mut line = caller.dial(&trunk(peer.address())).await;
    for sent in 1..=12 {
        let invite = peer.request("INVITE").await;
        let minimum = format!("Min-SE: {}", 100 + sent);
        peer.reply(&invite, "422 Session Interval Too Small", &[&minimum], "").await;
        peer.request("ACK").await;
    }
    let end = line.ended().await;
    assert!(matches!(end, LegEnd::Failed(answer) if answer.code == 422));
    assert_eq!(peer.listen(Duration::from_millis(100)).await, []);
}

#[tokio::test]
async fn an_endless_registration_is_kept_and_refreshed_within_a_day() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let trunk = Trunk { register: true, ..with_credentials(trunk(peer.address())) };
    caller.telephony.watch(vec![trunk.clone()]).await;
    let mut refused = false;
    let answering = async {
        loop {
            let request = peer.next().await;
            let (status, extra) = match request.method() {
                "REGISTER" if !std::mem::replace(&mut refused, true) => {
                    ("423 Interval Too Brief", format!("Min-Expires: {FOREVER}"))
                }
                "REGISTER" => {
                    assert_eq!(request.header("Expires"), "86400");
                    ("200 OK", format!("Expires: {FOREVER}"))
                }
                _ => ("200 OK", "X-None: 1".to_owned()),
            };
            peer.reply(&request, status, &[&extra], "").await;
        }
    };
    let standing = async {
        loop {
            if let Some(RegistrationReport::Stands { left }) = caller.telephony.report(trunk.id).registration
            {
                return left;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let left = tokio::select! {
        left = tokio::time::timeout(PATIENCE, standing) => left.expect("it never stands"),
        () = answering => unreachable!("it answers for ever"),
    };
    assert!(left <= Duration::from_hours(24) && left > Duration::from_hours(23), "{left:?}");
}

#[tokio::test]
async fn a_contact_that_cannot_be_addressed_is_hung_up_all_the_same() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let mut line = caller.dial(&trunk(peer.address())).await;
    let invite = peer.request("INVITE").await;
    let unusable = ["Contact: <sip:callee@127.0.0.1:99999>", "Record-Route: <sip:127.0.0.1:99999>"];
    peer.reply(&invite, "200 OK", &unusable, &peer.sdp()).await;
    line.answered().await;
    assert_eq!(peer.request("ACK").await.request_uri(), invite.request_uri());
    line.hang_up(HangUp::Normal);
    assert_eq!(peer.take_bye().await.request_uri(), invite.request_uri());
    assert_eq!(line.ended().await, LegEnd::ByUs);
}

#[tokio::test]
async fn reinvites_without_acks_are_answered_eight_times() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let mut line = caller.dial(&trunk(peer.address())).await;
    let invite = peer.take_call().await;
    line.answered().await;
    for number in 1..=12 {
        peer.ask(&invite, "INVITE", number, &[&peer.contact()], &peer.sdp()).await;
    }
    // Whatever was asked before it is answered, or will not be.
    peer.ask(&invite, "OPTIONS", 13, &[], "").await;
    let mut answered = std::collections::BTreeSet::new();
    loop {
        let answer = peer.next().await;
        if answer.header("CSeq").ends_with("OPTIONS") {
            break;
        }
        answered.insert(answer.cseq());
    }
    assert_eq!(answered.into_iter().collect::<Vec<_>>(), (1..=8).collect::<Vec<_>>());
    drop(line);
    peer.take_bye().await;
}

/// Breaks whatever asks it for the name `broken.test`.
struct Broken;

#[async_trait]
impl Resolve for Broken {
    async fn targets(&self, address: &TrunkAddress, _: Transport) -> io::Result<Vec<SocketAddr>> {
        assert_ne!(address.host, "broken.test");
        let ip = address.host.parse().map_err(io::Error::other)?;
        Ok(vec![SocketAddr::new(ip, address.port.unwrap_or(5060))])
    }
}

#[tokio::test]
async fn a_signalling_task_that_breaks_hangs_up_its_call_alone() {
    let (mut peer, mut other) = (Peer::bind().await, Peer::bind().await);
    let caller = Caller::with(Settings { resolver: Arc::new(Broken), ..settings() }).await;
    let mut unharmed = caller.dial(&trunk(other.address())).await;
    other.take_call().await;
    unharmed.answered().await;

    // At the answer, and when the callee moves later.
    for moves_later in [false, true] {
        let mut line = caller.dial(&trunk(peer.address())).await;
        let invite = peer.request("INVITE").await;
        let lethal = "Contact: <sip:callee@broken.test>";
        if moves_later {
            peer.answer(&invite).await;
            line.answered().await;
            peer.request("ACK").await;
            peer.ask(&invite, "UPDATE", 1, &[lethal], "").await;
        } else {
            peer.reply(&invite, "200 OK", &[lethal], &peer.sdp()).await;
            line.answered().await;
        }
        assert_eq!(peer.request("ACK").await.callee_tag(), Some("callee"));
        assert!(peer.take_bye().await.cseq() > invite.cseq());
        assert_eq!(line.ended().await, LegEnd::Broken, "moves later: {moves_later}");
    }

    unharmed.hang_up(HangUp::Normal);
    other.take_bye().await;
    assert_eq!(unharmed.ended().await, LegEnd::ByUs);
    caller.forgets_all().await;
}

/// Breaks the task that wakes it.
struct Bomb;

impl Wake for Bomb {
    fn wake(self: Arc<Self>) {
        panic!("woken");
    }
}

/// The next event of a leg that is polled by hand.
async fn next(leg: &mut dyn Leg) -> LegEvent {
    tokio::time::timeout(PATIENCE, std::future::poll_fn(|cx| leg.poll_event(cx))).await.expect("no event")
}

#[tokio::test]
async fn a_signalling_task_that_breaks_while_it_rings_cancels() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    for picked_up in [false, true] {
        let prepared = caller.telephony.prepare(plan(&trunk(peer.address()))).await.unwrap();
        let mut leg = prepared.send().await.unwrap();
        let bomb = Waker::from(Arc::new(Bomb));
        assert!(leg.poll_event(&mut Context::from_waker(&bomb)).is_pending());
        let invite = peer.request("INVITE").await;
        peer.reply(&invite, "180 Ringing", &[&peer.contact()], "").await;
        let cancel = peer.request("CANCEL").await;
        peer.reply(&cancel, "200 OK", &[], "").await;
        if picked_up {
            peer.answer(&invite).await;
            assert_eq!(peer.request("ACK").await.callee_tag(), Some("callee"));
            peer.take_bye().await;
        } else {
            peer.reply(&invite, "487 Request Terminated", &[], "").await;
            peer.request("ACK").await;
        }
        assert!(matches!(next(leg.as_mut()).await, LegEvent::Ringing { code: 180 }));
        assert!(matches!(next(leg.as_mut()).await, LegEvent::Ended(LegEnd::Broken)), "{picked_up}");
    }
    caller.forgets_all().await;
}

#[tokio::test]
async fn a_polling_task_that_breaks_drops_its_leg_and_hangs_up() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    for answered in [false, true] {
        let prepared = caller.telephony.prepare(plan(&trunk(peer.address()))).await.unwrap();
        let mut leg = prepared.send().await.unwrap();
        let polling = tokio::spawn(async move {
            loop {
                match next(leg.as_mut()).await {
                    LegEvent::Ringing { .. } if answered => {}
                    event => panic!("the conversation broke at {event:?}"),
                }
            }
        });
        let invite = peer.request("INVITE").await;
        peer.reply(&invite, "180 Ringing", &[&peer.contact()], "").await;
        if answered {
            peer.answer(&invite).await;
            peer.request("ACK").await;
            peer.take_bye().await;
        } else {
            let cancel = peer.request("CANCEL").await;
            peer.reply(&cancel, "200 OK", &[], "").await;
            peer.reply(&invite, "487 Request Terminated", &[], "").await;
            peer.request("ACK").await;
        }
        assert!(polling.await.unwrap_err().is_panic());
    }
    caller.forgets_all().await;
}
