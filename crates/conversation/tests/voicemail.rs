//! Calls that a machine answers.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what it means"
)]

mod stage;

use std::time::Duration;

use domain::assistant::{Assistant, Awaited, CallLimits, Engine, OnVoicemail, Script};
use domain::call::{EndedReason, Fact};
use domain::ports::AgentEvent;
use domain::variables::Variables;
use stage::agent::{FIRST, agent};
use stage::{Stage, Voice, assistant, script, step};

const MESSAGE: &str = "Please call us back.";

fn leaving(mut assistant: Assistant) -> Assistant {
    assistant.conduct.voicemail = Some(OnVoicemail::LeaveMessage("Please call {{who}} back.".into()));
    assistant.variables = Variables::from([("who".into(), "us".into())]);
    assistant
}

fn hanging_up(mut assistant: Assistant) -> Assistant {
    assistant.conduct.voicemail = Some(OnVoicemail::HangUp);
    assistant
}

fn scripted() -> Assistant {
    let steps = vec![step(Awaited::Speech, Some("Thank you."), &[])];
    let script = Script { steps, ..script("Hello, this is Acme. How are you?") };
    assistant(Engine::Builtin(script), CallLimits::default())
}

fn played_since(stage: &Stage, at: u64) -> bool {
    stage.begun().iter().any(|(begun, _)| *begun >= at)
}

#[test]
fn a_greeting_of_more_than_2_5_s_is_a_machine_and_the_assistant_hangs_up() {
    for assistant in [scripted(), agent(Some(FIRST))] {
        let mut stage = Stage::of(&hanging_up(assistant), Voice::After(0));
        stage.tell(AgentEvent::Ready { detects_speech: false });
        stage.silence(1000);
        stage.speech(2480);
        assert_eq!(stage.ended, None);
        stage.speech(20);
        assert_eq!(stage.ended, Some((3500, EndedReason::Voicemail)));
        assert!(stage.facts().contains(&&Fact::MachineAnswered));
    }
}

#[test]
fn nothing_listens_for_a_machine_unless_asked() {
    let mut stage = Stage::of(&scripted(), Voice::After(0));
    stage.speech(6000);
    stage.tone(400);
    stage.silence(600);
    assert_eq!(stage.facts(), [&Fact::CustomerActive]);
}

#[test]
fn people_are_no_machines() {
    let mut stage = Stage::of(&hanging_up(scripted()), Voice::After(0));
    // A short greeting, and a long answer.
    stage.silence(400);
    stage.speech(900);
    stage.silence(3500);
    stage.speech(5000);
    stage.silence(600);
    assert_eq!(stage.ended, None);
    assert_eq!(stage.said().len(), 2);

    // A callee who lets the assistant speak, and then tells much.
    let mut stage = Stage::of(&hanging_up(scripted()), Voice::After(0));
    stage.silence(6000);
    stage.speech(4000);
    assert_eq!(stage.ended, None);
}

#[test]
fn a_beep_after_speech_is_a_machine_and_a_beep_alone_is_not() {
    let mut stage = Stage::of(&hanging_up(scripted()), Voice::After(0));
    stage.silence(500);
    stage.tone(300);
    stage.silence(200);
    assert_eq!(stage.ended, None);
    stage.speech(1500);
    stage.silence(600);
    stage.tone(60);
    stage.silence(100);
    assert_eq!(stage.ended, None, "a click");
    stage.tone(200);
    stage.silence(20);
    assert_eq!(stage.ended.map(|(_, reason)| reason), Some(EndedReason::Voicemail));
}

#[test]
fn a_script_leaves_its_message_after_the_beep() {
    let mut stage = Stage::of(&leaving(scripted()), Voice::After(0));
    stage.silence(500);
    stage.speech(5000);
    stage.silence(400);
    let greeted = stage.now;
    stage.tone(500);
    assert!(!played_since(&stage, 3000), "it waits for the end of the beep");
    stage.silence(20);
    assert_eq!(stage.begun().pop(), Some((greeted + 520, MESSAGE)));
    let (at, reason) = stage.silence_until_the_end(10_000);
    let length = u64::try_from(MESSAGE.len()).unwrap() * 60;
    assert_eq!((at, reason), (greeted + 520 + length + 200, EndedReason::Voicemail));
    assert_eq!(stage.facts(), [&Fact::MachineAnswered, &Fact::CustomerActive, &Fact::MessageLeft]);
    assert_eq!(stage.transcript().pop().unwrap(), format!("[00:06] Assistant: {MESSAGE}"));
}

#[test]
fn without_a_beep_2_s_of_silence_or_30_s_are_enough() {
    let mut stage = Stage::of(&leaving(scripted()), Voice::After(0));
    stage.speech(5000);
    stage.silence(2000);
    assert_eq!(stage.begun().pop(), Some((7000, MESSAGE)));

    let mut stage = Stage::of(&leaving(scripted()), Voice::After(0));
    stage.speech(40_000);
    assert_eq!(stage.begun().pop(), Some((2500 + 30_000, MESSAGE)));
}

#[test]
fn a_machine_that_hangs_up_first_got_no_message() {
    let mut stage = Stage::of(&leaving(scripted()), Voice::After(0));
    stage.speech(5000);
    stage.silence(2500);
    stage
        .call
        .handle(conversation::Millis(stage.now), conversation::Input::Over(EndedReason::CustomerEndedCall));
    stage.drain();
    assert_eq!(stage.facts(), [&Fact::MachineAnswered, &Fact::CustomerActive]);
    assert_eq!(stage.transcript().pop().unwrap(), "[00:07] Assistant: Please…");
}

#[test]
fn an_agent_stops_speaking_and_leaves_the_message_in_its_own_voice() {
    let mut stage = Stage::agent(&leaving(agent(Some(FIRST))), true);
    stage.say(0, FIRST, 3000);
    stage.tell(AgentEvent::SpeechStarted(domain::ports::TurnId(0)));
    stage.speech(3000);
    assert_eq!(stage.ordered(20), ["interrupt 0 at 0 ms: "]);
    stage.tone(300);
    stage.silence(20);
    assert_eq!(stage.ordered(20)[1..], [format!("say: {MESSAGE}")]);
    stage.say(1, MESSAGE, 2000);
    let (_, reason) = stage.silence_until_the_end(5000);
    assert_eq!(reason, EndedReason::Voicemail);
    assert!(stage.facts().contains(&&Fact::MessageLeft));
    assert_eq!(stage.played(0).len(), 100, "the whole message, and nothing else");
}

#[test]
fn a_machine_is_known_by_its_words() {
    let mut stage = Stage::agent(&hanging_up(agent(Some(FIRST))), false);
    stage.say(0, FIRST, 3000);
    stage.speech(1500);
    stage.silence(1000);
    stage.recognise(0, "Hi, please leave a message after the tone.");
    assert_eq!(stage.ended, Some((2500, EndedReason::Voicemail)));

    let mut patient = hanging_up(agent(None));
    patient.limits.silence = Duration::from_mins(1);
    patient.limits.reprompt = Duration::from_mins(1);
    let mut stage = Stage::agent(&patient, false);
    stage.silence(3000);
    stage.speech(500);
    stage.silence(600);
    stage.tell(AgentEvent::Answered);
    stage.silence(26_000);
    stage.recognise(0, "Voicemail.");
    assert_eq!(stage.ended, None, "nobody finds out after half a minute that it is a machine");
}

#[test]
fn the_built_in_voice_leaves_the_message_of_an_agent_that_breaks_or_gives_nothing() {
    for breaks in [true, false] {
        let mut stage = Stage::agent(&leaving(agent(Some(FIRST))), false);
        stage.say(0, FIRST, 3000);
        stage.speech(3000);
        stage.silence(2000);
        assert!(stage.ordered(20).contains(&format!("say: {MESSAGE}")));
        if breaks {
            stage.tell(AgentEvent::Broken { cause: "closed".into() });
        } else {
            stage.tell(AgentEvent::Answered);
            stage.tell(AgentEvent::Answered);
        }
        let (_, reason) = stage.silence_until_the_end(5000);
        assert_eq!(reason, EndedReason::Voicemail);
        assert_eq!(stage.said().pop(), Some(MESSAGE));
        assert!(
            stage.facts().contains(&&Fact::AssistantBroke) && stage.facts().contains(&&Fact::MessageLeft)
        );
    }
}

#[test]
fn tools_that_are_used_while_a_machine_is_on_the_line_are_refused() {
    let mut stage = Stage::agent(&leaving(agent(Some(FIRST))), false);
    stage.say(0, FIRST, 3000);
    stage.speech(3000);
    let now = stage.now + 20;
    stage.silence(20);
    stage.uses("a", "end_call", "{}");
    stage.silence(500);
    assert_eq!(stage.ordered(now), ["result a: Not done", "turn 0 ended"]);
    assert_eq!(stage.ended, None);
}
