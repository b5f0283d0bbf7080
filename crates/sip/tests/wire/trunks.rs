//! Trunks between calls: pings, registration, pace, media ports, and legs that another boot left.

use std::time::Duration;

use domain::ports::{HangUp, LegEnd, Refused, SavedLeg, Telephony, TrunkState};
use domain::trunk::Trunk;
use sip::{Settings, Timers};

use crate::support::peer::Peer;
use test_ports::free_port;

use crate::support::{Caller, PATIENCE, fast, plan, settings, trunk, with_credentials};

/// Waits until the trunk stands as wanted.
async fn until(caller: &Caller, trunk: &Trunk, wanted: impl Fn(&TrunkState) -> bool) -> TrunkState {
    let reached = async {
        loop {
            let state = caller.telephony.trunk_state(trunk.id);
            if wanted(&state) {
                return state;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let reached = tokio::time::timeout(PATIENCE, reached).await;
    reached.unwrap_or_else(|_| panic!("{:?}", caller.telephony.trunk_state(trunk.id)))
}

#[tokio::test]
async fn pings_mark_a_trunk_down_and_up_again() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let trunk = trunk(peer.address());
    assert!(caller.telephony.trunk_state(trunk.id).up, "a new trunk counts as up");
    caller.telephony.watch(vec![trunk.clone()]).await;
    let ping = peer.request("OPTIONS").await;
    assert_eq!(ping.request_uri(), format!("sip:{}", peer.address()));
    // Any final answer is a sign of life.
    peer.reply(&ping, "404 Not Found", &[], "").await;
    let state = until(&caller, &trunk, |state| state.last_ping.is_some()).await;
    assert_eq!((state.up, state.last_ping.as_deref()), (true, Some("404 Not Found")));

    // Silence for 300 ms is none.
    peer.request("OPTIONS").await;
    until(&caller, &trunk, |state| !state.up).await;
    let refused = caller.telephony.prepare(plan(&trunk)).await;
    assert!(matches!(refused, Err(Refused::Unreachable(None))));

    let answering = tokio::spawn(async move {
        loop {
            let ping = peer.next().await;
            peer.reply(&ping, "200 OK", &[], "").await;
        }
    });
    until(&caller, &trunk, |state| state.up && state.last_ping.as_deref() == Some("200 OK")).await;
    assert!(caller.telephony.prepare(plan(&trunk)).await.is_ok());
    caller.telephony.watch(Vec::new()).await;
    answering.abort();
}

#[tokio::test]
async fn a_trunk_that_has_never_answered_a_ping_stays_up_in_its_silence() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let trunk = trunk(peer.address());
    caller.telephony.watch(vec![trunk.clone()]).await;
    // More pings than would mark it down; each is another transaction.
    let mut branches = std::collections::HashSet::new();
    while branches.len() < 4 {
        branches.insert(peer.request("OPTIONS").await.header("Via").to_owned());
    }
    let state = caller.telephony.trunk_state(trunk.id);
    assert_eq!((state.up, state.last_ping.as_deref()), (true, Some("no answer")));
    assert!(caller.telephony.prepare(plan(&trunk)).await.is_ok());
}

#[tokio::test]
async fn the_answer_to_a_call_never_marks_a_trunk_down() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let trunk = trunk(peer.address());
    caller.telephony.watch(vec![trunk.clone()]).await;
    let ping = peer.request("OPTIONS").await;
    peer.reply(&ping, "200 OK", &[], "").await;
    until(&caller, &trunk, |state| state.last_ping.is_some()).await;
    let mut line = caller.dial(&trunk).await;
    loop {
        let message = peer.next().await;
        match message.method() {
            "INVITE" => peer.reply(&message, "503 Service Unavailable", &[], "").await,
            "ACK" => break,
            _ => peer.reply(&message, "200 OK", &[], "").await,
        }
    }
    assert!(matches!(line.ended().await, LegEnd::Failed(answer) if answer.code == 503));
    assert!(caller.telephony.trunk_state(trunk.id).up);
}

#[tokio::test]
async fn a_probe_asks_once_and_tells_what_came() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let asked = trunk(peer.address());
    let answering = tokio::spawn(async move {
        let ping = peer.request("OPTIONS").await;
        peer.reply(&ping, "200 Fine", &[], "").await;
    });
    let state = caller.telephony.probe(&asked).await;
    assert_eq!((state.up, state.last_ping.as_deref(), state.registered), (true, Some("200 Fine"), None));
    answering.await.unwrap();
    let state = caller.telephony.probe(&trunk(free_port())).await;
    assert!(!state.up && state.last_ping.is_some());
}

#[tokio::test]
async fn a_registration_is_made_refreshed_and_taken_back() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let trunk = Trunk {
        register: true,
        from_domain: Some("sip.example".to_owned()),
        ..with_credentials(trunk(peer.address()))
    };
    caller.telephony.watch(vec![trunk.clone()]).await;
    let ask = "WWW-Authenticate: Digest realm=\"r\", nonce=\"n\", algorithm=SHA-256, qop=\"auth\"";
    let mut registrations = Vec::new();
    // Two rounds, then the end of the watch.
    while registrations.len() < 3 {
        let request = peer.next().await;
        if request.method() == "OPTIONS" {
            peer.reply(&request, "200 OK", &[], "").await;
            continue;
        }
        assert_eq!(request.method(), "REGISTER");
        if request.find("Authorization").is_none() {
            peer.reply(&request, "401 Unauthorized", &[ask], "").await;
            continue;
        }
        // One second is granted: the refresh comes before it is over.
        let contact = format!("Contact: {};expires=1", request.header("Contact"));
        peer.reply(&request, "200 OK", &[&contact], "").await;
        registrations.push(request);
        if registrations.len() == 2 {
            until(&caller, &trunk, |state| state.registered == Some(true)).await;
            let telephony = caller.telephony.clone();
            tokio::spawn(async move { telephony.watch(Vec::new()).await });
        }
    }
    let [first, second, last] = &registrations[..] else { panic!("three") };
    assert_eq!(first.request_uri(), "sip:sip.example");
    assert!(first.header("To").starts_with("<sip:alice@sip.example>"));
    assert_eq!(first.header("Expires"), "600");
    assert_eq!(first.header("Call-ID"), second.header("Call-ID"));
    assert!(second.cseq() > first.cseq());
    assert_eq!(last.header("Expires"), "0");
}

#[tokio::test]
async fn a_registrar_that_wants_fewer_refreshes_or_refuses_is_heeded() {
    let timers = Timers { registration: Duration::from_mins(1), ..fast() };
    let caller = Caller::with(Settings { timers, ..settings() }).await;
    let mut peer = Peer::bind().await;
    let trunk = Trunk { register: true, ..with_credentials(trunk(peer.address())) };
    caller.telephony.watch(vec![trunk.clone()]).await;
    let mut wanted = Vec::new();
    while wanted.len() < 3 {
        let request = peer.next().await;
        if request.method() == "OPTIONS" {
            peer.reply(&request, "200 OK", &[], "").await;
            continue;
        }
        wanted.push(request.header("Expires").to_owned());
        match wanted.len() {
            1 => peer.reply(&request, "423 Interval Too Brief", &["Min-Expires: 3600"], "").await,
            2 => peer.reply(&request, "403 Forbidden", &[], "").await,
            _ => peer.reply(&request, "200 OK", &["Expires: 3600"], "").await,
        }
        if wanted.len() == 2 {
            until(&caller, &trunk, |state| state.registered == Some(false)).await;
        }
    }
    assert_eq!(wanted, ["60", "3600", "3600"]);
    until(&caller, &trunk, |state| state.registered == Some(true)).await;
}

#[tokio::test]
async fn a_changed_trunk_registers_anew_only_after_the_old_registration_is_taken_back() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let old = Trunk { register: true, ..with_credentials(trunk(peer.address())) };
    let new = Trunk { name: "renamed".to_owned(), ..old.clone() };
    caller.telephony.watch(vec![old.clone()]).await;
    let mut wishes = Vec::new();
    while wishes.len() < 3 {
        let request = peer.next().await;
        peer.reply(&request, "200 OK", &["Expires: 600"], "").await;
        if request.method() == "REGISTER" {
            wishes.push(request.header("Expires").to_owned());
            if wishes.len() == 1 {
                until(&caller, &old, |state| state.registered == Some(true)).await;
                caller.telephony.watch(vec![new.clone()]).await;
            }
        }
    }
    assert_eq!(wishes, ["600", "0", "600"]);
}

#[tokio::test]
async fn calls_beyond_the_pace_are_refused() {
    let (caller, peer) = (Caller::start().await, Peer::bind().await);
    let trunk = Trunk { calls_per_second: Some(4), ..trunk(peer.address()) };
    caller.telephony.set_live_nodes(2);
    let mut outcomes = Vec::new();
    for _ in 0..3 {
        outcomes.push(caller.telephony.prepare(plan(&trunk)).await);
    }
    assert!(outcomes[0].is_ok() && outcomes[1].is_ok());
    assert!(matches!(outcomes[2], Err(Refused::NoCapacity)));
}

#[tokio::test]
async fn a_prepared_call_holds_a_media_port_until_it_is_dropped() {
    let two_ports = free_port().port();
    let caller = Caller::with(Settings { media_ports: two_ports..=two_ports + 1, ..settings() }).await;
    let trunk = trunk(free_port());
    let first = caller.telephony.prepare(plan(&trunk)).await.unwrap();
    assert!(matches!(caller.telephony.prepare(plan(&trunk)).await, Err(Refused::NoCapacity)));
    drop(first);
    assert!(caller.telephony.prepare(plan(&trunk)).await.is_ok());
    assert_eq!(caller.telephony.dialogs(), 0, "nothing was sent");
}

#[tokio::test]
async fn another_boot_hangs_up_an_answered_leg() {
    let (dead, heir, mut peer) = (Caller::start().await, Caller::start().await, Peer::bind().await);
    let trunk = with_credentials(trunk(peer.address()));
    let mut line = dead.dial(&trunk).await;
    let invite = peer.take_call().await;
    let saved = line.answered().await.saved;
    let ending = tokio::spawn(async move { heir.telephony.end_orphan(trunk, saved).await });
    let bye = peer.request("BYE").await;
    let ask = "WWW-Authenticate: Digest realm=\"r\", nonce=\"n\"";
    peer.reply(&bye, "401 Unauthorized", &[ask], "").await;
    let bye = peer.take_bye().await;
    assert_eq!((bye.caller_tag(), bye.callee_tag()), (invite.caller_tag(), Some("callee")));
    assert_eq!(bye.header("Call-ID"), invite.header("Call-ID"));
    assert!(bye.cseq() > invite.cseq());
    ending.await.unwrap();
}

#[tokio::test]
async fn another_boot_cancels_the_invite_that_is_pending() {
    let (dead, heir, mut peer) = (Caller::start().await, Caller::start().await, Peer::bind().await);
    let trunk = with_credentials(trunk(peer.address()));
    let line = dead.dial(&trunk).await;
    let first = peer.request("INVITE").await;
    let ask = "WWW-Authenticate: Digest realm=\"r\", nonce=\"n\"";
    peer.reply(&first, "401 Unauthorized", &[ask], "").await;
    peer.request("ACK").await;
    let pending = peer.request("INVITE").await;
    peer.reply(&pending, "180 Ringing", &[], "").await;
    let saved = SavedLeg {
        intent: line.intent.clone(),
        remote_tag: None,
        remote_target: None,
        route_set: Vec::new(),
        local_cseq: line.intent.cseq,
    };
    let ending = tokio::spawn(async move { heir.telephony.end_orphan(trunk, saved).await });
    // Only what was saved before sending is known: the first INVITE's branch comes first.
    let cancel = peer.request("CANCEL").await;
    assert_eq!((cancel.branch(), cancel.cseq()), (first.branch(), first.cseq()));
    peer.reply(&cancel, "481 Call/Transaction Does Not Exist", &[], "").await;
    let cancel = peer.request("CANCEL").await;
    assert_eq!((cancel.branch(), cancel.cseq()), (pending.branch(), pending.cseq()));
    let sent_by = |value: &str| value.split(';').next().unwrap().to_owned();
    assert_eq!(sent_by(cancel.header("Via")), sent_by(pending.header("Via")), "RFC 3261 §17.2.3");
    peer.reply(&cancel, "200 OK", &[], "").await;
    ending.await.unwrap();
}

#[tokio::test]
async fn a_left_leg_whose_peer_is_gone_is_given_up_in_time() {
    let (dead, heir, mut peer) = (Caller::start().await, Caller::start().await, Peer::bind().await);
    let trunk = trunk(peer.address());
    let mut line = dead.dial(&trunk).await;
    peer.take_call().await;
    let saved = line.answered().await.saved;
    let start = tokio::time::Instant::now();
    heir.telephony.end_orphan(trunk, saved).await;
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
}

#[tokio::test]
async fn shutting_down_takes_registrations_back() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let trunk = Trunk { register: true, ..with_credentials(trunk(peer.address())) };
    caller.telephony.watch(vec![trunk.clone()]).await;
    let answering = tokio::spawn(async move {
        loop {
            let request = peer.next().await;
            peer.reply(&request, "200 OK", &["Expires: 600"], "").await;
            if request.method() == "REGISTER" && request.header("Expires") == "0" {
                return;
            }
        }
    });
    until(&caller, &trunk, |state| state.registered == Some(true)).await;
    caller.telephony.shutdown().await;
    answering.await.unwrap();
}

#[tokio::test]
async fn an_unanswered_call_of_a_hung_up_line_frees_everything() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let mut line = caller.dial(&trunk(peer.address())).await;
    let invite = peer.request("INVITE").await;
    peer.reply(&invite, "180 Ringing", &[], "").await;
    line.ringing().await;
    line.hang_up(HangUp::RingLimit);
    assert_eq!(line.ended().await, LegEnd::ByUs);
    caller.forgets_all().await;
}
