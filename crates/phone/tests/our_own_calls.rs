//! The phone as the callee of our own telephony: both ends of the house on one wire.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    dead_code,
    missing_docs,
    unreachable_pub,
    reason = "tests say what they mean"
)]

mod support;

use std::collections::HashMap;
use std::future::poll_fn;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use domain::audio::{AudioFormat, FRAME, Frame};
use domain::ids::{CallId, TenantId, TrunkId};
use domain::number::E164;
use domain::ports::{Detects, DialPlan, HangUp, Leg, LegEnd, LegEvent, Telephony};
use domain::secret::Secret;
use domain::trunk::{Credentials, Srtp, Transport, Trunk, TrunkAddress};
use media::codec::{Decoder, Encoder};
use phone::{
    Action, Behaviour, CallScript, Happening, Phone, PhoneEvent, PhoneSettings, Recorded, Registration,
    Scripts, Sound, Transfers, digits,
};
use sip::{Settings, SipTelephony};
use support::kamailio::{Kamailio, PASSWORD};
use support::{PATIENCE, SystemEntropy, names, phone, settings, whole_call};

const FORMATS: [AudioFormat; 2] = [AudioFormat::Pcma, AudioFormat::Pcmu];

async fn telephony() -> Arc<SipTelephony> {
    let settings = Settings::new("127.0.0.1:0".parse().unwrap(), 20_000..=29_999);
    SipTelephony::start(settings, Arc::new(SystemEntropy)).await.unwrap()
}

fn plan(to: &str, phone: SocketAddr, transport: Transport) -> DialPlan {
    let id = "01890a5d-ac96-774b-bcce-b302099a8057";
    let trunk = Trunk {
        id: TrunkId::parse(id).unwrap(),
        tenant: TenantId::parse(id).unwrap(),
        name: "phone".into(),
        address: TrunkAddress::parse(&phone.to_string()).unwrap(),
        transport,
        credentials: None,
        register: false,
        from_domain: None,
        default_country: None,
        wideband: false,
        srtp: Srtp::Off,
        guarded: false,
        nat: false,
        media_networks: Vec::new(),
        inbound_from: Vec::new(),
        realms: Vec::new(),
        max_calls: None,
        calls_per_second: None,
        created_at: time::OffsetDateTime::UNIX_EPOCH,
    };
    DialPlan {
        call: CallId::parse(id).unwrap(),
        trunk,
        from: E164::parse("+15550100").unwrap(),
        to: E164::parse(to).unwrap(),
        formats: FORMATS.to_vec(),
        detects: Detects::ALL,
    }
}

/// What our end of a call came to.
#[derive(Debug)]
struct Report {
    rang: Vec<u16>,
    heard: Vec<Frame>,
    format: Option<AudioFormat>,
    pressed: String,
    referred: Vec<bool>,
    end: LegEnd,
}

/// Carries a call to its end; `act` is asked at each beat for what to do.
async fn carry(mut leg: Box<dyn Leg>, mut act: impl FnMut(&mut dyn Leg, usize)) -> Report {
    let carrying = async {
        let (mut rang, mut heard, mut pressed, mut format) = (vec![], vec![], String::new(), None);
        let (mut beats, mut referred) = (0, vec![]);
        loop {
            match poll_fn(|cx| leg.poll_event(cx)).await {
                LegEvent::Ringing { code } => {
                    rang.push(code);
                    act(&mut *leg, usize::MAX);
                }
                LegEvent::Answered(answered) => {
                    format = Some(answered.format);
                    leg.acknowledge();
                }
                LegEvent::Heard(frame) => {
                    heard.extend(frame.audio);
                    act(&mut *leg, beats);
                    beats += 1;
                }
                LegEvent::Pressed(digit) => pressed.push(digit.as_char()),
                LegEvent::Referred { connected } => {
                    referred.push(connected);
                    leg.hang_up(HangUp::Normal);
                }
                LegEvent::Ended(end) => return Report { rang, heard, format, pressed, referred, end },
            }
        }
    };
    tokio::time::timeout(PATIENCE, carrying).await.expect("the call ends")
}

async fn dial(telephony: &SipTelephony, plan: DialPlan) -> Box<dyn Leg> {
    telephony.prepare(plan).await.unwrap().send().await.unwrap()
}

fn loud_seconds(format: AudioFormat, frames: &[Frame]) -> f64 {
    let mut decoder = Decoder::new(format);
    let loud = |frame: &&Frame| decoder.decode_narrow(frame).iter().any(|sample| sample.abs() > 1_000);
    f64::from(u32::try_from(frames.iter().filter(loud).count()).unwrap()) * FRAME.as_secs_f64()
}

fn recording(events: &[PhoneEvent]) -> Recorded {
    let recorded = events.iter().find_map(|event| match &event.what {
        Happening::Recorded(recorded) => Some(recorded.clone()),
        _ => None,
    });
    recorded.unwrap_or_else(|| panic!("no recording: {events:#?}"))
}

/// `offered` by us, `understood` by the phone; the first of ours that it has is spoken.
async fn both_ways_over(
    transport: Transport,
    offered: &[AudioFormat],
    understood: &[AudioFormat],
    srtp: Srtp,
) {
    let spoken = *offered.iter().find(|format| understood.contains(format)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let script = CallScript {
        behaviour: Behaviour::Answer { after: Duration::from_millis(100), ringing: true },
        record: Some(folder.path().to_owned()),
        ..CallScript::default()
    };
    let script = script.then([
        Action::Wait(Duration::from_millis(200)),
        Action::Say(Sound::Tone { hertz: 800, length: Duration::from_millis(500) }),
        Action::Press(digits("7*").unwrap()),
        Action::Wait(Duration::from_millis(1_500)),
        Action::HangUp,
    ]);
    let phone =
        Phone::start(PhoneSettings { formats: understood.to_vec(), ..settings() }, script).await.unwrap();
    let mut events = phone.events();
    let telephony = telephony().await;
    let mut plan = plan("+15550199", phone.local_addr(), transport);
    plan.trunk.srtp = srtp;
    let leg = dial(&telephony, DialPlan { formats: offered.to_vec(), ..plan }).await;
    // A triangle of 250 Hz, −12 dB of full scale as root mean square.
    let wave = |at: i32| 14_189 * (at % 32 - 16).abs() / 8 - 14_189;
    let tone: Vec<i16> = (0..6_400).map(|at| i16::try_from(wave(at)).unwrap()).collect();
    let frames = Encoder::new(spoken).encode_all(&tone);
    let caller = carry(leg, |leg, beat| match beat {
        20..60 => leg.play(frames.get(beat - 20)),
        70 => leg.press(digits("3").unwrap()[0], Duration::from_millis(100)),
        _ => leg.play(None),
    });
    let (seen, report) = tokio::join!(whole_call(&mut events), caller);

    assert_eq!((report.end, report.format), (LegEnd::ByPeer, Some(spoken)));
    assert_eq!(report.rang, [180]);
    assert_eq!(report.pressed, "7*");
    let loud = loud_seconds(spoken, &report.heard);
    assert!((0.44..0.56).contains(&loud), "heard {loud} s of the phone's tone");
    assert!(seen.iter().any(|event| event.what == Happening::Pressed(digits("3").unwrap()[0])));
    assert!(seen.iter().any(|event| event.what == Happening::HungUp { by_us: true }));
    let recorded = recording(&seen);
    assert!((0.74..0.86).contains(&recorded.voiced_seconds), "{recorded:?}");
    assert!((recorded.loudness.unwrap() + 12.0).abs() < 0.5, "{recorded:?}");
    assert_eq!((seen[0].call.from.as_str(), seen[0].call.to.as_str()), ("+15550100", "+15550199"));
    phone.shutdown().await;
    telephony.shutdown().await;
}

#[tokio::test]
async fn audio_and_keys_go_both_ways_over_udp() {
    both_ways_over(Transport::Udp, &FORMATS, &FORMATS, Srtp::Off).await;
}

#[tokio::test]
async fn audio_and_keys_go_both_ways_over_tcp() {
    both_ways_over(Transport::Tcp, &FORMATS, &FORMATS, Srtp::Off).await;
}

#[tokio::test]
async fn wideband_goes_both_ways_and_a_narrow_phone_is_met_on_its_terms() {
    let wide = [AudioFormat::G722, AudioFormat::Pcmu, AudioFormat::Pcma];
    both_ways_over(Transport::Udp, &wide, &wide, Srtp::Off).await;
    both_ways_over(Transport::Udp, &wide, &FORMATS, Srtp::Off).await;
}

#[tokio::test]
async fn encrypted_sound_and_keys_go_both_ways() {
    both_ways_over(Transport::Udp, &FORMATS, &FORMATS, Srtp::Required).await;
    let wide = [AudioFormat::G722];
    both_ways_over(Transport::Tcp, &wide, &wide, Srtp::Required).await;
}

#[tokio::test]
async fn refusals_arrive_as_they_were_said() {
    let reject = Behaviour::Reject { code: 484, phrase: "Too Short".into() };
    let ways = [("+15550001", Behaviour::Busy), ("+15550002", Behaviour::Decline), ("+15550003", reject)];
    let scripts = Scripts {
        default: CallScript::answering(),
        by_number: HashMap::from(
            ways.map(|(number, behaviour)| (number.to_owned(), CallScript::that(behaviour))),
        ),
    };
    let (phone, mut events) = phone(scripts).await;
    let telephony = telephony().await;
    let expected =
        [("+15550001", 486, "Busy Here"), ("+15550002", 603, "Decline"), ("+15550003", 484, "Too Short")];
    for (number, code, phrase) in expected {
        let leg = dial(&telephony, plan(number, phone.local_addr(), Transport::Udp)).await;
        let (seen, report) = tokio::join!(whole_call(&mut events), carry(leg, |_, _| {}));
        let LegEnd::Failed(answer) = report.end else { panic!("{report:?}") };
        assert_eq!((answer.code, answer.phrase.as_str()), (code, phrase));
        assert_eq!(names(&seen), ["incoming", "refused", "over"]);
    }
    phone.shutdown().await;
    telephony.shutdown().await;
}

#[tokio::test]
async fn a_call_that_nobody_answers_is_cancelled_at_the_ring_limit() {
    let (phone, mut events) = phone(CallScript::that(Behaviour::NeverAnswer)).await;
    let telephony = telephony().await;
    let leg = dial(&telephony, plan("+15550199", phone.local_addr(), Transport::Udp)).await;
    let caller = carry(leg, |leg, _| leg.hang_up(HangUp::RingLimit));
    let (seen, report) = tokio::join!(whole_call(&mut events), caller);
    assert_eq!(names(&seen), ["incoming", "ringing", "cancelled", "over"]);
    assert_eq!(report.rang, [180]);
    assert_eq!(report.end, LegEnd::ByUs);
    phone.shutdown().await;
    telephony.shutdown().await;
}

#[tokio::test]
async fn the_caller_hangs_up_and_early_media_is_no_answer() {
    let script = CallScript {
        behaviour: Behaviour::Answer { after: Duration::from_millis(200), ringing: true },
        early_media: true,
        ..CallScript::default()
    };
    let (phone, mut events) = phone(script).await;
    let telephony = telephony().await;
    let leg = dial(&telephony, plan("+15550199", phone.local_addr(), Transport::Udp)).await;
    let caller = carry(leg, |leg, beat| {
        if beat == 30 {
            leg.hang_up(HangUp::Normal);
        } else if beat < 30 {
            leg.play(None);
        }
    });
    let (seen, report) = tokio::join!(whole_call(&mut events), caller);
    assert_eq!(report.rang, [183]);
    assert_eq!(report.end, LegEnd::ByUs);
    assert_eq!(names(&seen), ["incoming", "ringing", "answered", "hung-up", "over"]);
    assert_eq!(seen[3].what, Happening::HungUp { by_us: false });
    phone.shutdown().await;
    telephony.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_calls_at_once_each_hear_the_phone() {
    const CALLS: usize = 20;
    let script = CallScript::answering().then([
        Action::Wait(Duration::from_millis(500)),
        Action::Say(Sound::Tone { hertz: 500, length: Duration::from_secs(1) }),
        Action::Wait(Duration::from_millis(300)),
        Action::HangUp,
    ]);
    let (phone, _events) = phone(script).await;
    let telephony = telephony().await;
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..CALLS {
        let leg = dial(&telephony, plan("+15550199", phone.local_addr(), Transport::Udp)).await;
        calls.spawn(carry(leg, |leg, _| leg.play(None)));
    }
    for report in calls.join_all().await {
        assert_eq!(report.end, LegEnd::ByPeer);
        let loud = loud_seconds(FORMATS[0], &report.heard);
        // An unoptimised build on a busy machine leaves beats out; how many is for the bench to say.
        assert!((0.4..1.1).contains(&loud), "heard {loud} s");
    }
    phone.shutdown().await;
    telephony.shutdown().await;
}

#[tokio::test]
async fn a_registered_phone_is_found_through_its_proxy_and_both_byes_take_that_way() {
    let kamailio = Kamailio::start().await;
    let number = "+15550199";
    let mut settings = settings();
    settings.register = Some(Registration {
        registrar: TrunkAddress::parse(&kamailio.address.to_string()).unwrap(),
        transport: Transport::Udp,
        user: number.into(),
        password: Secret::new(PASSWORD.into()),
        domain: Some("test.local".into()),
    });
    let script = CallScript::answering().then([
        Action::Wait(Duration::from_millis(200)),
        Action::Say(Sound::Tone { hertz: 600, length: Duration::from_millis(400) }),
        Action::HangUp,
    ]);
    let phone = Phone::start(settings, script).await.unwrap();
    let mut events = phone.events();
    let registering = async {
        while phone.registered() != Some(true) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, registering).await.expect("the registration is accepted");

    let telephony = telephony().await;
    let mut plan = plan(number, kamailio.address, Transport::Udp);
    plan.trunk.credentials =
        Some(Credentials { username: "trunk".into(), password: Secret::new(PASSWORD.into()) });
    let leg = dial(&telephony, plan.clone()).await;
    let (seen, report) = tokio::join!(whole_call(&mut events), carry(leg, |leg, _| leg.play(None)));
    assert_eq!(report.end, LegEnd::ByPeer);
    assert!((0.34..0.46).contains(&loud_seconds(FORMATS[0], &report.heard)), "{report:?}");
    assert_eq!(names(&seen), ["incoming", "answered", "said", "hung-up", "over"]);

    let leg = dial(&telephony, plan.clone()).await;
    let caller = carry(leg, |leg, beat| if beat == 5 { leg.hang_up(HangUp::Normal) } else { leg.play(None) });
    let (seen, report) = tokio::join!(whole_call(&mut events), caller);
    assert_eq!(report.end, LegEnd::ByUs);
    assert_eq!(names(&seen), ["incoming", "answered", "hung-up", "over"]);

    phone.shutdown().await;
    let leg = dial(&telephony, plan).await;
    let report = carry(leg, |_, _| {}).await;
    let LegEnd::Failed(answer) = report.end else { panic!("{report:?}") };
    assert_eq!(answer.code, 404, "the registration was taken back");
    telephony.shutdown().await;
}

#[tokio::test]
async fn a_transfer_is_accepted_or_fails_or_is_refused() {
    let choices = [(Transfers::Accept, true), (Transfers::Fail, false), (Transfers::Refuse, false)];
    for (transfers, connected) in choices {
        let (phone, mut events) = phone(CallScript { transfers, ..CallScript::answering() }).await;
        let telephony = telephony().await;
        let leg = dial(&telephony, plan("+15550199", phone.local_addr(), Transport::Udp)).await;
        let target = E164::parse("+15550177").unwrap();
        let report = carry(leg, |leg, beat| {
            if beat == 5 {
                leg.refer(&target);
            }
        })
        .await;
        assert_eq!((report.referred, report.end), (vec![connected], LegEnd::ByUs), "{transfers:?}");
        let told = whole_call(&mut events).await.into_iter().find_map(|event| match event.what {
            Happening::Transferred { target, answer } => Some((target, answer)),
            _ => None,
        });
        let (asked, answer) = told.unwrap();
        assert!(asked.starts_with("sip:+15550177@") && answer == transfers, "{asked}: {answer:?}");
        phone.shutdown().await;
    }
}
