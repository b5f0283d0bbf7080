//! What each side hears of the other.

use domain::assistant::Language;
use domain::audio::{AudioFormat, FRAME_BYTES};
use domain::ports::{AgentEvent, AgentOrder};
use test_realtime::{Double, Options, Record, Replies, say};

use crate::support::{Call, TIMEOUTS, decoded, encoded, engines, likeness, realtime};

const LINE: &str = "The meeting has been moved to Thursday at half past nine.";

#[tokio::test]
async fn g711_passes_unchanged_both_ways() {
    for format in [AudioFormat::Pcmu, AudioFormat::Pcma] {
        let double = Double::start(Options::default()).await;
        let mut call = Call::open(&engines(TIMEOUTS), realtime(double.url()));
        call.begin(format).await;
        // Every byte there is, in an order of its own.
        let all: Vec<u8> = (0..4 * FRAME_BYTES).map(|n| u8::try_from(n * 7 % 256).unwrap()).collect();
        call.speak(&double, &all, 1).await;
        call.order(AgentOrder::Answer);
        call.answered().await;
        let record = double.record();
        assert_eq!(record.sound[0], all, "{format:?}");
        assert_eq!(record.spoken.len(), 1);
        assert!(call.audio(0).len() > 8_000);
        assert_eq!(call.audio(0), record.spoken[0].1, "{format:?}");
        assert_eq!(record.errors, [""; 0]);
    }
}

#[tokio::test]
async fn a_frame_that_never_came_is_silence() {
    let double = Double::start(Options::default()).await;
    let mut call = Call::ready(&double).await;
    call.session.hear(None);
    let record = double.until("hearing", |record| !record.sound[0].is_empty()).await;
    assert_eq!(record.sound[0], [AudioFormat::Pcmu.silence(); FRAME_BYTES]);
}

#[tokio::test]
async fn a_server_that_echoes_pcm_is_heard_and_hears() {
    let replies = Replies::lines(&[LINE]);
    let double = Double::start(Options { pcm_only: true, replies, ..Options::default() }).await;
    let mut call = Call::open(&engines(TIMEOUTS), realtime(double.url()));
    call.begin(AudioFormat::Pcma).await;

    let spoken = say(Language::German, "Guten Tag, ist dort die Praxis?");
    let mut sound = encoded(AudioFormat::Pcma, &spoken);
    sound.resize(sound.len().div_ceil(FRAME_BYTES) * FRAME_BYTES + 8_000, AudioFormat::Pcma.silence());
    call.speak(&double, &sound, 6).await;
    call.until(|event| matches!(event, AgentEvent::SpeechStopped(_))).await;
    let heard = double.record().sound[0].clone();
    let heard: Vec<i16> =
        heard.chunks_exact(6).map(|three| i16::from_le_bytes([three[2], three[3]])).collect();
    let alike = likeness(&heard, &spoken);
    assert!(alike > 0.95, "the server heard something else: {alike}");

    call.order(AgentOrder::Answer);
    call.answered().await;
    let said = say(Language::EnglishUnitedStates, LINE);
    let heard = decoded(AudioFormat::Pcma, &call.audio(0));
    let alike = likeness(&heard, &said);
    assert!(alike > 0.95, "the callee heard something else: {alike}");
    assert!(heard.len().abs_diff(said.len()) < 800, "{} of {}", heard.len(), said.len());
}

#[tokio::test]
async fn what_comes_slower_than_it_is_played_still_comes_whole_and_in_order() {
    let replies = Replies::lines(&["One, two."]);
    let double = Double::start(Options { speed: 0.8, replies, ..Options::default() }).await;
    let mut call = Call::ready(&double).await;
    call.order(AgentOrder::Answer);
    call.answered().await;
    assert_eq!(call.audio(0), double.record().spoken[0].1);
}

#[tokio::test]
async fn more_than_may_wait_ends_the_session_instead_of_growing() {
    let replies =
        Replies::lines(&[&"This sentence is said again and again, so that it takes a while. ".repeat(4)]);
    let double = Double::start(Options { speed: 1e9, replies, ..Options::default() }).await;
    let mut call = Call::ready(&double).await;
    // Nobody polls; each answer is some fifteen seconds.
    for answers in 1.. {
        call.order(AgentOrder::Answer);
        let over = |record: &Record| record.ended == 1 || record.responses.len() == answers;
        if double.until("an answer", over).await.ended == 1 {
            break;
        }
    }
    let cause = call.broken().await;
    assert_eq!(cause, "more is waiting to be heard than may wait");
    let held: usize = call
        .told
        .iter()
        .map(|event| match event {
            AgentEvent::Audio { audio, .. } => audio.len(),
            _ => 0,
        })
        .sum();
    assert!((1_500_000..=2 * 1024 * 1024).contains(&held), "{held}");
}
