//! The phone as SIPp's callee: every way to receive a call, and every way that it ends.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    dead_code,
    clippy::missing_panics_doc,
    missing_docs,
    unreachable_pub,
    reason = "tests say what they mean"
)]

mod support;

use std::collections::HashMap;
use std::time::Duration;

use phone::{Action, Behaviour, CallScript, Happening, Scripts};
use support::{OFFER, Scenario, ack, invite, maybe, names, phone, recv, send, sipp, whole_call};

fn answer_after(millis: u64) -> CallScript {
    CallScript::that(Behaviour::Answer { after: Duration::from_millis(millis), ringing: true })
}

fn refused(code: u16) -> String {
    [invite(), maybe(100), recv(code), ack()].concat()
}

fn bye() -> String {
    send("BYE", "9 BYE", "[peer_tag_param]", "", "") + &recv(200)
}

#[tokio::test]
async fn a_call_rings_is_answered_and_the_caller_hangs_up() {
    let (phone, mut events) = phone(answer_after(100)).await;
    let caller = sipp(phone.local_addr(), Scenario::BuiltIn("uac"), "5550100", &["-d", "300"]);
    let (seen, ()) = tokio::join!(whole_call(&mut events), caller);
    assert_eq!(names(&seen), ["incoming", "ringing", "answered", "hung-up", "over"]);
    assert_eq!(seen[0].call.to, "5550100");
    assert_eq!(seen[0].call.from, "sipp");
    assert_eq!(seen[3].what, Happening::HungUp { by_us: false });
    let Happening::Over { talked: Some(talked) } = seen[4].what else { panic!("{seen:?}") };
    assert!((Duration::from_millis(290)..Duration::from_secs(3)).contains(&talked), "{talked:?}");
    phone.shutdown().await;
}

#[tokio::test]
async fn a_call_over_tcp_is_answered_there_and_our_bye_takes_the_same_way() {
    let script = CallScript::answering().then([Action::HangUp]);
    let (phone, mut events) = phone(script).await;
    let steps = [invite(), maybe(100), recv(200), ack(), "<recv request=\"BYE\"/>".into(), bye_ok()].concat();
    let caller = sipp(phone.local_addr(), Scenario::Steps(&steps), "1", &["-t", "t1"]);
    let (seen, ()) = tokio::join!(whole_call(&mut events), caller);
    assert!(names(&seen).contains(&"hung-up".to_owned()));
    phone.shutdown().await;
}

fn bye_ok() -> String {
    "<send><![CDATA[\nSIP/2.0 200 OK\n[last_Via:]\n[last_From:]\n[last_To:]\n[last_Call-ID:]\n[last_CSeq:]\n\
     Content-Length: 0\n\n]]></send>\n"
        .to_owned()
}

#[tokio::test]
async fn each_number_has_its_own_way_to_refuse() {
    let by_number = [
        ("+15550486", Behaviour::Busy, 486),
        ("15550603", Behaviour::Decline, 603),
        ("15550404", Behaviour::Reject { code: 404, phrase: "Nobody Here".into() }, 404),
    ];
    let scripts = Scripts {
        default: CallScript::answering(),
        by_number: by_number
            .iter()
            .map(|(number, behaviour, _)| ((*number).to_owned(), CallScript::that(behaviour.clone())))
            .collect::<HashMap<_, _>>(),
    };
    let (phone, mut events) = phone(scripts).await;
    for (number, _, code) in by_number {
        let steps = refused(code);
        let caller = sipp(phone.local_addr(), Scenario::Steps(&steps), number, &[]);
        let (seen, ()) = tokio::join!(whole_call(&mut events), caller);
        assert_eq!(names(&seen), ["incoming", "refused", "over"]);
        assert_eq!(seen[1].what, Happening::Refused { code });
        assert_eq!(seen[2].what, Happening::Over { talked: None });
    }
    phone.shutdown().await;
}

#[tokio::test]
async fn a_call_that_is_never_answered_gets_487_after_its_cancel() {
    let (phone, mut events) = phone(CallScript::that(Behaviour::NeverAnswer)).await;
    let cancel = "<send retrans=\"500\"><![CDATA[\n\
        CANCEL sip:[service]@[remote_ip]:[remote_port] SIP/2.0\n[last_Via:]\n\
        From: <sip:tester@[local_ip]:[local_port]>;tag=[pid]caller[call_number]\n\
        To: <sip:[service]@[remote_ip]:[remote_port]>\nCall-ID: [call_id]\nCSeq: 1 CANCEL\n\
        Max-Forwards: 70\nContent-Length: 0\n\n]]></send>\n";
    let steps = [
        invite(),
        maybe(100),
        recv(180),
        "<pause milliseconds=\"200\"/>".into(),
        cancel.into(),
        recv(200),
        recv(487),
        ack(),
    ]
    .concat();
    let caller = sipp(phone.local_addr(), Scenario::Steps(&steps), "1", &[]);
    let (seen, ()) = tokio::join!(whole_call(&mut events), caller);
    assert_eq!(names(&seen), ["incoming", "ringing", "cancelled", "over"]);
    phone.shutdown().await;
}

#[tokio::test]
async fn the_phone_hangs_up_after_its_time() {
    let script = CallScript { hang_up_after: Some(Duration::from_millis(400)), ..CallScript::answering() };
    let (phone, mut events) = phone(script).await;
    let steps = [invite(), maybe(100), recv(200), ack(), "<recv request=\"BYE\"/>".into(), bye_ok()].concat();
    let caller = sipp(phone.local_addr(), Scenario::Steps(&steps), "1", &[]);
    let (seen, ()) = tokio::join!(whole_call(&mut events), caller);
    assert_eq!(names(&seen), ["incoming", "answered", "hung-up", "over"]);
    assert_eq!(seen[2].what, Happening::HungUp { by_us: true });
    let Happening::Over { talked: Some(talked) } = seen[3].what else { panic!("{seen:?}") };
    assert!((Duration::from_millis(400)..Duration::from_secs(2)).contains(&talked), "{talked:?}");
    phone.shutdown().await;
}

#[tokio::test]
async fn the_200_is_repeated_until_its_ack_and_no_bye_comes_before() {
    let script = CallScript { hang_up_after: Some(Duration::ZERO), ..CallScript::answering() };
    let (phone, mut events) = phone(script).await;
    let steps = [
        invite(),
        maybe(100),
        recv(200),
        recv(200),
        recv(200),
        ack(),
        "<recv request=\"BYE\"/>".into(),
        bye_ok(),
    ]
    .concat();
    // SIPp would swallow the repeated 200, so it is told not to.
    let caller = sipp(phone.local_addr(), Scenario::Steps(&steps), "1", &["-rtcheck", "loose", "-nr"]);
    let (seen, ()) = tokio::join!(whole_call(&mut events), caller);
    assert_eq!(seen[2].what, Happening::HungUp { by_us: true });
    phone.shutdown().await;
}

#[tokio::test]
async fn a_caller_without_an_offer_gets_one_and_answers_it_in_the_ack() {
    let (phone, mut events) = phone(CallScript::answering()).await;
    let offered = "<recv response=\"200\"><action><ereg regexp=\"m=audio [0-9]+ RTP/AVP 0 8 101\" \
                   search_in=\"body\" check_it=\"true\" assign_to=\"1\"/><log message=\"[$1]\"/>\
                   </action></recv>";
    let answer = send("ACK", "1 ACK", "[peer_tag_param]", "Content-Type: application/sdp\n", OFFER);
    let steps = [
        send("INVITE", "1 INVITE", "", "", ""),
        maybe(100),
        offered.into(),
        answer,
        "<pause milliseconds=\"200\"/>".into(),
        bye(),
    ]
    .concat();
    let caller = sipp(phone.local_addr(), Scenario::Steps(&steps), "1", &[]);
    let (seen, ()) = tokio::join!(whole_call(&mut events), caller);
    assert_eq!(names(&seen), ["incoming", "answered", "hung-up", "over"]);
    phone.shutdown().await;
}

#[tokio::test]
async fn a_reinvite_an_update_and_an_options_are_answered_inside_the_call() {
    let (phone, mut events) = phone(CallScript::answering()).await;
    let hold = OFFER.replace("a=rtpmap:8", "a=sendonly\na=rtpmap:8");
    let answered = "<recv response=\"200\"><action><ereg regexp=\"a=recvonly\" search_in=\"body\" \
                check_it=\"true\" assign_to=\"1\"/><log message=\"[$1]\"/></action></recv>";
    let steps = [
        invite(),
        maybe(100),
        recv(200),
        ack(),
        send("INVITE", "2 INVITE", "[peer_tag_param]", "Content-Type: application/sdp\n", &hold),
        maybe(100),
        answered.into(),
        send("ACK", "2 ACK", "[peer_tag_param]", "", ""),
        send("UPDATE", "3 UPDATE", "[peer_tag_param]", "", ""),
        recv(200),
        send("OPTIONS", "4 OPTIONS", "[peer_tag_param]", "", ""),
        recv(200),
        send("INFO", "5 INFO", "[peer_tag_param]", "", ""),
        recv(200),
        bye(),
    ]
    .concat();
    let caller = sipp(phone.local_addr(), Scenario::Steps(&steps), "1", &[]);
    let (seen, ()) = tokio::join!(whole_call(&mut events), caller);
    assert_eq!(names(&seen), ["incoming", "answered", "hung-up", "over"]);
    phone.shutdown().await;
}

#[tokio::test]
async fn outside_a_call_options_gets_200_and_what_is_unknown_405_or_481() {
    let (phone, _events) = phone(CallScript::answering()).await;
    let steps = [
        send("OPTIONS", "1 OPTIONS", "", "", ""),
        "<recv response=\"200\"><action><ereg regexp=\"INVITE.*BYE\" search_in=\"hdr\" header=\"Allow:\" \
         check_it=\"true\" assign_to=\"1\"/><log message=\"[$1]\"/></action></recv>"
            .into(),
        send("SUBSCRIBE", "2 SUBSCRIBE", "", "", ""),
        recv(405),
        send("BYE", "3 BYE", ";tag=unknown", "", ""),
        recv(481),
    ]
    .concat();
    sipp(phone.local_addr(), Scenario::Steps(&steps), "1", &[]).await;
    phone.shutdown().await;
}

#[tokio::test]
async fn what_cannot_be_met_is_refused_with_its_reason() {
    let (phone, mut events) = phone(CallScript::answering()).await;
    let require = send("INVITE", "1 INVITE", "", "Require: 100rel\nContent-Type: application/sdp\n", OFFER);
    let steps = [require, maybe(100), recv(420), ack()].concat();
    sipp(phone.local_addr(), Scenario::Steps(&steps), "1", &[]).await;

    let g729 = OFFER.replace("RTP/AVP 8 101", "RTP/AVP 18").replace("8 PCMA", "18 G729");
    let offer = send("INVITE", "1 INVITE", "", "Content-Type: application/sdp\n", &g729);
    let steps = [offer, maybe(100), recv(488), ack()].concat();
    let caller = sipp(phone.local_addr(), Scenario::Steps(&steps), "1", &[]);
    let (seen, ()) = tokio::join!(whole_call(&mut events), caller);
    assert_eq!(names(&seen), ["incoming", "failed", "refused", "over"]);
    phone.shutdown().await;
}

#[tokio::test]
async fn early_media_is_a_183_with_sdp_before_the_answer() {
    let (phone, mut events) = phone(CallScript { early_media: true, ..answer_after(300) }).await;
    let early = "<recv response=\"183\"><action><ereg regexp=\"m=audio\" search_in=\"body\" \
                 check_it=\"true\" assign_to=\"1\"/><log message=\"[$1]\"/></action></recv>";
    let steps = [invite(), maybe(100), early.into(), recv(200), ack(), bye()].concat();
    let caller = sipp(phone.local_addr(), Scenario::Steps(&steps), "1", &[]);
    let (seen, ()) = tokio::join!(whole_call(&mut events), caller);
    assert_eq!(names(&seen), ["incoming", "ringing", "answered", "hung-up", "over"]);
    phone.shutdown().await;
}

#[tokio::test]
async fn shutting_down_hangs_up_and_ends_every_call() {
    let (phone, mut events) = phone(CallScript::answering()).await;
    let steps = [invite(), maybe(100), recv(200), ack(), "<recv request=\"BYE\"/>".into(), bye_ok()].concat();
    let caller = sipp(phone.local_addr(), Scenario::Steps(&steps), "1", &[]);
    let leave = async {
        events.until(|event| matches!(event.what, Happening::Answered { .. })).await.unwrap();
        // The ACK follows at once; the BYE waits for it.
        phone.shutdown().await;
    };
    tokio::join!(leave, caller);
    let seen = whole_call(&mut events).await;
    assert_eq!(names(&seen), ["hung-up", "over"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_calls_at_once_are_held_and_leave_nothing_behind() {
    const CALLS: usize = 100;
    let (phone, mut events) = phone(answer_after(50)).await;
    let count = CALLS.to_string();
    let load = ["-m", &count, "-r", &count, "-l", &count, "-d", "1000"];
    let count = async {
        let (mut answered, mut over, mut most) = (0, 0, 0);
        while over < CALLS {
            match events.next().await.expect("the phone is alive").what {
                Happening::Answered { .. } => answered += 1,
                Happening::HungUp { by_us } => assert!(!by_us),
                Happening::Over { .. } => over += 1,
                _ => {}
            }
            most = most.max(phone.calls());
        }
        (answered, most)
    };
    let caller = sipp(phone.local_addr(), Scenario::BuiltIn("uac"), "1", &load);
    let ((answered, most), ()) = tokio::join!(count, caller);
    assert_eq!(answered, CALLS);
    assert!(most > CALLS / 2, "at most {most} at once");
    assert_eq!(phone.calls(), 0, "every dialog is removed");
    phone.shutdown().await;
}
