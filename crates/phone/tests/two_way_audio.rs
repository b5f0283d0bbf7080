//! The phone with a caller that has media: what each side says, the other hears.
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

use std::future::poll_fn;
use std::net::SocketAddr;
use std::time::Duration;

use domain::audio::{AudioFormat, Digit, Frame};
use domain::ports::Detects;
use media::{Direction, MediaEvent, Negotiated, PortRange, Seeds, Session, SourcePolicy, g711};
use phone::{Action, Behaviour, CallScript, Happening, PhoneEvent, Sound, digits};
use sip::sdp::{self, Local};
use support::raw::{Caller, tag};
use support::{PATIENCE, SystemEntropy, phone, whole_call};

const FORMAT: AudioFormat = AudioFormat::Pcma;

/// A raw SIP caller with a media session.
struct Talker {
    sip: Caller,
    tag: String,
    session: Session,
    heard: Vec<Frame>,
    pressed: String,
}

impl Talker {
    async fn call(phone: SocketAddr) -> Self {
        let talker = Self::until(phone, "200").await;
        talker.ack().await;
        talker
    }

    async fn ack(&self) {
        self.sip.send(&self.sip.request("ACK", "1 ACK", "ack", &self.tag, "")).await;
    }

    /// Calls, and has media from the response with this status on.
    async fn until(phone: SocketAddr, status: &str) -> Self {
        let sip = Caller::to(phone).await;
        let socket = PortRange::new([127, 0, 0, 1].into(), 30_000..=39_999).bind(&SystemEntropy).unwrap();
        let local = Local {
            address: SocketAddr::new([127, 0, 0, 1].into(), socket.port()),
            id: 1,
            version: 1,
            keyed: None,
        };
        let offer = String::from_utf8(local.offer(&[FORMAT], sdp::Direction::SendRecv)).unwrap();
        sip.send(&sip.request("INVITE", "1 INVITE", "invite", "", &offer)).await;
        let ok = sip.expect(status, "INVITE").await;
        let (_, answer) = ok.split_once("\r\n\r\n").unwrap();
        let agreed = local.accept_answer(answer.as_bytes(), &[FORMAT]).unwrap();
        let mut session = Session::new(socket, Seeds::draw(&SystemEntropy));
        session.start(Negotiated {
            format: FORMAT,
            payload_type: agreed.payload_type,
            telephone_event: agreed.telephone_event,
            remote: agreed.remote,
            direction: Direction::SendReceive,
            sources: SourcePolicy::default(),
            detects: Detects::default(),
            protection: None,
        });
        let tag = tag(&ok);
        Self { sip, tag, session, heard: Vec::new(), pressed: String::new() }
    }

    /// Talks beat by beat until `play`, given the beat's number, has nothing more.
    async fn talk(&mut self, mut play: impl FnMut(&mut Session, usize) -> bool) {
        let talking = async {
            let mut beat = 0;
            loop {
                match poll_fn(|cx| self.session.poll_event(cx)).await {
                    MediaEvent::Heard(frame) => {
                        let silence = [FORMAT.silence(); 160];
                        self.heard.push(frame.audio.unwrap_or(silence));
                        if !play(&mut self.session, beat) {
                            return;
                        }
                        beat += 1;
                    }
                    MediaEvent::Pressed(digit) => self.pressed.push(digit.as_char()),
                    MediaEvent::TimedOut => panic!("no audio from the phone"),
                }
            }
        };
        tokio::time::timeout(PATIENCE, talking).await.expect("the talk ends");
    }

    async fn bye(&self) {
        self.sip.send(&self.sip.request("BYE", "2 BYE", "bye", &self.tag, "")).await;
        self.sip.expect("200", "BYE").await;
    }

    /// Hears on until the phone's BYE, and confirms it.
    async fn until_bye(&mut self) {
        loop {
            tokio::select! {
                bye = self.sip.expect("BYE", "BYE") => {
                    self.sip.confirm(&bye).await;
                    return;
                }
                event = poll_fn(|cx| self.session.poll_event(cx)) => match event {
                    MediaEvent::Heard(frame) => {
                        self.heard.push(frame.audio.unwrap_or([FORMAT.silence(); 160]));
                        self.session.play(None);
                    }
                    MediaEvent::Pressed(digit) => self.pressed.push(digit.as_char()),
                    MediaEvent::TimedOut => panic!("no audio from the phone"),
                },
            }
        }
    }

    fn samples(&self) -> Vec<i16> {
        self.heard.iter().flatten().map(|byte| g711::decode(FORMAT, *byte)).collect()
    }
}

fn tone(hertz: f64, frame: usize) -> Frame {
    let mut out = [0; 160];
    for (index, byte) in out.iter_mut().enumerate() {
        let at = f64::from(u32::try_from(frame * 160 + index).unwrap()) / 8_000.0;
        let sample = 8_000.0 * (std::f64::consts::TAU * hertz * at).sin();
        *byte = g711::encode(FORMAT, format!("{sample:.0}").parse().unwrap());
    }
    out
}

/// Seconds of sound and its pitch in hertz, by the zero crossings of the frames that are not silent.
fn sound_in(samples: &[i16]) -> (f64, f64) {
    let voiced: Vec<i16> = samples
        .chunks(160)
        .filter(|frame| frame.iter().any(|sample| sample.abs() > 1_000))
        .flatten()
        .copied()
        .collect();
    let crossings = voiced.windows(2).filter(|pair| (pair[0] < 0) != (pair[1] < 0)).count();
    let seconds = f64::from(u32::try_from(voiced.len()).unwrap()) / 8_000.0;
    (seconds, f64::from(u32::try_from(crossings).unwrap()) / 2.0 / seconds)
}

fn pressed(events: &[PhoneEvent]) -> String {
    events
        .iter()
        .filter_map(|event| match event.what {
            Happening::Pressed(digit) => Some(digit.as_char()),
            _ => None,
        })
        .collect()
}

#[tokio::test]
async fn the_recording_holds_the_tone_that_the_caller_sent_and_the_keys_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let script = CallScript { record: Some(folder.path().to_owned()), ..CallScript::answering() };
    let (phone, mut events) = phone(script).await;
    let caller = async {
        let mut talker = Talker::call(phone.local_addr()).await;
        talker
            .talk(|session, beat| {
                match beat {
                    25..75 => session.play(Some(&tone(440.0, beat))),
                    80 | 95 | 110 => {
                        let key = ["4", "2", "#"][(beat - 80) / 15];
                        session.press(digits(key).unwrap()[0], Duration::from_millis(100));
                        session.play(None);
                    }
                    _ => session.play(None),
                }
                beat < 150
            })
            .await;
        talker.bye().await;
    };
    let (seen, ()) = tokio::join!(whole_call(&mut events), caller);
    assert_eq!(pressed(&seen), "42#");
    let recorded = seen
        .iter()
        .find_map(|event| match &event.what {
            Happening::Recorded(recorded) => Some(recorded.clone()),
            _ => None,
        })
        .expect("a recording");
    assert!((2.7..3.4).contains(&recorded.seconds), "{recorded:?}");
    assert!((0.94..1.1).contains(&recorded.voiced_seconds), "{recorded:?}");
    // A sine of amplitude 8,000: 20·log10(8,000/√2/32,768).
    assert!((recorded.loudness.unwrap() + 15.26).abs() < 0.5, "{recorded:?}");
    let samples: Vec<i16> =
        hound::WavReader::open(&recorded.path).unwrap().into_samples().map(Result::unwrap).collect();
    let (seconds, hertz) = sound_in(&samples);
    assert!((0.94..1.1).contains(&seconds) && (430.0..450.0).contains(&hertz), "{seconds} s of {hertz} Hz");
    phone.shutdown().await;
}

#[tokio::test]
async fn the_caller_hears_the_tone_and_the_keys_in_order_and_then_the_phone_hangs_up() {
    let script = CallScript::answering().then([
        Action::Wait(Duration::from_millis(300)),
        Action::Say(Sound::Tone { hertz: 700, length: Duration::from_millis(600) }),
        Action::Press(digits("159D").unwrap()),
        Action::Wait(Duration::from_millis(200)),
        Action::HangUp,
    ]);
    let (phone, mut events) = phone(script).await;
    let mut talker = Talker::call(phone.local_addr()).await;
    let (seen, ()) = tokio::join!(whole_call(&mut events), talker.until_bye());
    assert_eq!(talker.pressed, "159D");
    let (seconds, hertz) = sound_in(&talker.samples());
    assert!((0.54..0.66).contains(&seconds) && (690.0..710.0).contains(&hertz), "{seconds} s of {hertz} Hz");
    let pressed_by_us: Vec<Digit> = seen
        .iter()
        .filter_map(|event| match event.what {
            Happening::PressedByUs(digit) => Some(digit),
            _ => None,
        })
        .collect();
    assert_eq!(pressed_by_us, digits("159D").unwrap());
    assert!(
        seen.iter().any(|event| matches!(&event.what, Happening::Said { what } if what.contains("700 Hz")))
    );
    assert!(seen.iter().any(|event| event.what == Happening::HungUp { by_us: true }));
    phone.shutdown().await;
}

/// A voice of sorts: the harmonics of 120 Hz through three formants, in four syllables a second.
fn babble(seconds: u32) -> Vec<Frame> {
    let (mut samples, rate) = (Vec::new(), 8_000.0);
    for index in 0..seconds * 8_000 {
        let at = f64::from(index) / rate;
        let syllable = (std::f64::consts::TAU * 4.0 * at).sin().max(0.0);
        let glide = 1.0 + 0.15 * (std::f64::consts::TAU * 1.3 * at).sin();
        let mut sum = 0.0;
        for harmonic in 1..30_u32 {
            let hertz = 120.0 * glide * f64::from(harmonic);
            let gain: f64 = [(650.0, 1.0), (1_100.0, 0.6), (2_500.0, 0.3)]
                .iter()
                .map(|(formant, level)| level / (1.0 + ((hertz - formant) / 120.0_f64).powi(2)))
                .sum();
            sum += gain * (std::f64::consts::TAU * 120.0 * f64::from(harmonic) * at).sin();
        }
        let sample = 3_000.0 * sum * syllable;
        samples.push(format!("{sample:.0}").parse::<i16>().unwrap_or(0));
    }
    samples
        .chunks(160)
        .map(|chunk| {
            let mut frame = [FORMAT.silence(); 160];
            g711::encode_into(FORMAT, chunk, &mut frame);
            frame
        })
        .collect()
}

#[tokio::test]
async fn the_phone_speaks_when_the_caller_has_finished_and_not_before() {
    let script = CallScript::answering().then([
        Action::Listen { quiet: Duration::from_millis(600), at_most: Duration::from_secs(15) },
        Action::Say(Sound::Tone { hertz: 900, length: Duration::from_millis(400) }),
        Action::HangUp,
    ]);
    let (phone, mut events) = phone(script).await;
    let words = babble(2);
    let caller = async {
        let mut talker = Talker::call(phone.local_addr()).await;
        talker
            .talk(|session, beat| {
                session.play(beat.checked_sub(25).and_then(|index| words.get(index)));
                beat < 25 + words.len()
            })
            .await;
        let (early, _) = sound_in(&talker.samples());
        assert!(early < 0.01, "it did not interrupt");
        talker.until_bye().await;
        talker
    };
    let (seen, talker) = tokio::join!(whole_call(&mut events), caller);
    let (seconds, hertz) = sound_in(&talker.samples());
    assert!((0.34..0.46).contains(&seconds) && (890.0..910.0).contains(&hertz), "{seconds} s of {hertz} Hz");
    let at = |wanted: fn(&Happening) -> bool| {
        seen.iter().find(|event| wanted(&event.what)).unwrap_or_else(|| panic!("{seen:#?}")).at
    };
    let started = at(|what| matches!(what, Happening::HeardSpeechStarted { .. }));
    let stopped = at(|what| matches!(what, Happening::HeardSpeechStopped { .. }));
    let said = at(|what| matches!(what, Happening::Said { .. }));
    assert!(started < stopped && stopped < said, "{seen:#?}");
    assert!(stopped > started + Duration::from_secs(1), "{seen:#?}");
    phone.shutdown().await;
}

#[tokio::test]
async fn early_media_is_the_ringback_tone_and_goes_on_into_the_call() {
    let script = CallScript {
        behaviour: Behaviour::Answer { after: Duration::from_millis(1_500), ringing: true },
        early_media: true,
        ..CallScript::default()
    };
    let (phone, mut events) = phone(script).await;
    let caller = async {
        let mut talker = Talker::until(phone.local_addr(), "183").await;
        let beats = |session: &mut Session, beat| {
            session.play(None);
            beat < 65
        };
        talker.talk(beats).await;
        let (seconds, hertz) = sound_in(&talker.samples());
        assert!(
            (0.9..1.1).contains(&seconds) && (415.0..435.0).contains(&hertz),
            "{seconds} s of {hertz} Hz"
        );
        talker.sip.expect("200", "INVITE").await;
        talker.ack().await;
        talker.heard.clear();
        talker.talk(beats).await;
        assert!(sound_in(&talker.samples()).0 < 0.01, "no more ringing");
        talker.bye().await;
    };
    let (seen, ()) = tokio::join!(whole_call(&mut events), caller);
    assert!(seen.iter().any(|event| event.what == Happening::HungUp { by_us: false }));
    phone.shutdown().await;
}
