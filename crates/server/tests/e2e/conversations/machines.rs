//! A machine answers: it greets, beeps and records.

use std::time::Duration;

use phone::{Action, CallScript, Happening, Sound};
use test_realtime::{Double, Options, Part, Recogniser, Replies};

use super::stage::{Ended, Stage, double, realtime, understood};
use super::wire::samples;
use crate::support::{says, waits};

const GREETING: &str = "You have reached the telephone of Mary, and I cannot come to it at the moment.";
const MESSAGE: &str =
    "Hello Mary, this is the north clinic. Please call us again about your visit on Monday.";

/// Greets, waits so many milliseconds, and beeps at 1 kHz.
fn machine(pause: u64) -> CallScript {
    let beep = Sound::Tone { hertz: 1_000, length: Duration::from_millis(600) };
    CallScript::answering().then([waits(200), says(GREETING), waits(pause), Action::Say(beep)])
}

/// The message came after the beep, whole, and nothing else did.
fn left_after_the_beep(stage: &Stage, ended: &Ended) {
    let beeped = stage.wire.sent_by_callee().iter().rfind(|packet| packet.is_loud()).unwrap().at;
    let packets = stage.wire.sent_by_service();
    let after: Vec<_> = packets.into_iter().filter(|packet| packet.at >= beeped).collect();
    understood(&[MESSAGE], &samples(&after));
    assert!(ended.transcript.contains(&format!("Assistant: {MESSAGE}")), "{:?}", ended.transcript);
    assert_eq!(ended.record["callOutcome"], "voicemail_left");
    assert!(ended.story.contains(&Happening::HungUp { by_us: false }));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_is_left_after_the_beep_of_a_machine_that_its_long_greeting_betrays() {
    let double = Double::start(Options { recogniser: Recogniser::script([]), ..double() }).await;
    let tables = format!("[voicemail]\naction = \"leave-message\"\nmessage = \"{MESSAGE}\"");
    let assistant = realtime(&double, "first_message = \"Hello, is this Mary?\"", &tables);
    let mut stage = Stage::calls(&assistant, machine(1_500)).await;
    let ended = stage.ended("completed", "voicemail").await;
    left_after_the_beep(&stage, &ended);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_machine_that_is_not_to_be_talked_to_is_hung_up_on() {
    let double = Double::start(Options { recogniser: Recogniser::script([]), ..double() }).await;
    let assistant = realtime(&double, "", "[voicemail]\naction = \"hang-up\"");
    let mut stage = Stage::calls(&assistant, machine(20_000)).await;
    let ended = stage.ended("completed", "voicemail").await;
    assert!(
        !stage.wire.sent_by_service().iter().any(super::wire::Packet::is_loud),
        "something was said to a machine"
    );
    assert!(!ended.story.iter().any(|what| matches!(what, Happening::Said { what } if what.contains("Hz"))));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_notices_a_machine_by_itself_leaves_its_own_message_after_the_beep() {
    let message = format!(r#"{{"message":"{MESSAGE}"}}"#);
    let replies = Replies::new([vec![Part::call("leave_voicemail", &message)]]);
    let recogniser = Recogniser::script([Some(GREETING)]);
    let double = Double::start(Options { replies, recogniser, ..double() }).await;
    let assistant = realtime(&double, "tools = [\"end_call\", \"leave_voicemail\"]", "");
    let mut stage = Stage::calls(&assistant, machine(1_500)).await;
    let ended = stage.ended("completed", "voicemail").await;
    left_after_the_beep(&stage, &ended);
}
