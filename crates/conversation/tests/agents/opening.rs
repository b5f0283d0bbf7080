//! How a call with an agent begins.

use conversation::Conversation;
use domain::assistant::Dialect;
use domain::call::{EndedReason, Fact};
use domain::ids::CallId;
use domain::ports::{AgentEvent, TurnId};
use domain::variables::Variables;
use uuid::Uuid;

use crate::greeted;
use crate::stage::agent::{FIRST, agent, persona};
use crate::stage::{Stage, Voice, filling};

#[test]
fn the_first_message_is_said_when_the_agent_is_ready_and_the_callee_is_answered() {
    let mut stage = Stage::agent(&agent(Some(FIRST)), false);
    assert_eq!(stage.ordered(0), [format!("say: {FIRST}")]);
    stage.say(0, FIRST, 3000);
    stage.silence(3100);
    stage.speech(800);
    let stopped = stage.now;
    stage.silence(500);
    assert_eq!(stage.ordered(3100), ["turn 0 began", "turn 0 ended", "answer"]);
    assert_eq!(stage.orders_since(3100)[1].0, stopped + 500, "half a second of silence ends a turn");
    stage.recognise(0, " What do you sell? ");
    stage.say(1, "Beds.", 600);
    stage.silence(700);
    stage
        .call
        .handle(conversation::Millis(stage.now), conversation::Input::Over(EndedReason::CustomerEndedCall));
    stage.drain();
    assert_eq!(
        stage.transcript(),
        [
            format!("[00:00] Assistant: {FIRST}"),
            "[00:03] Customer: What do you sell?".into(),
            "[00:04] Assistant: Beds.".into(),
        ]
    );
    assert_eq!(stage.facts(), [&Fact::CustomerActive]);
}

#[test]
fn an_agent_that_detects_speech_itself_is_not_told_of_turns() {
    let mut stage = greeted(true);
    stage.speech(1000);
    stage.silence(1000);
    assert_eq!(stage.ordered(20), [""; 0], "what is detected here counts for nothing");
    stage.tell(AgentEvent::SpeechStarted(TurnId(0)));
    stage.silence(900);
    stage.tell(AgentEvent::SpeechStopped(TurnId(0)));
    assert_eq!(stage.ordered(20), ["answer"]);
}

#[test]
fn without_a_first_message_the_callee_speaks_first_and_is_prompted_when_silent() {
    let mut stage = Stage::agent(&agent(None), false);
    assert!(stage.orders().is_empty());
    stage.silence(10_000);
    assert_eq!(stage.ordered(0), ["prompt: The call was answered, and nobody has spoken yet"]);

    let mut stage = Stage::agent(&agent(None), false);
    stage.speech(400);
    stage.silence(500);
    assert_eq!(stage.ordered(0), ["turn 0 began", "turn 0 ended", "answer"]);
}

#[test]
fn who_spoke_before_the_agent_was_ready_is_answered_unless_the_agent_begins() {
    for (first, ordered) in [(None, "answer".to_owned()), (Some(FIRST), format!("say: {FIRST}"))] {
        let mut stage = Stage::of(&agent(first), Voice::After(0));
        stage.speech(400);
        stage.silence(600);
        stage.tell(AgentEvent::Ready { detects_speech: true });
        assert_eq!(stage.ordered(0), [ordered]);
        stage.tell(AgentEvent::Answered);
        stage.silence(500);
        assert_eq!(stage.orders().len(), 1, "the greeting needs no answer of its own");
        assert_eq!(stage.transcript(), ["[00:00] Customer: [caller spoke, 0.4 s]"]);
    }
}

#[test]
fn the_notice_is_said_before_the_first_message_and_only_on_recorded_calls() {
    let mut assistant = agent(Some("Hello <b>Ada</b>."));
    assistant.conduct.recording_notice = Some("{{company}} records this call.".into());
    assistant.variables = Variables::from([("company".into(), "Acme".into())]);
    let stage = Stage::agent(&assistant, false);
    assert_eq!(stage.ordered(0), ["say: Acme records this call. Hello Ada."]);

    persona(&mut assistant).first_message = None;
    assert_eq!(Stage::agent(&assistant, false).ordered(0), ["say: Acme records this call."]);

    assistant.conduct.records = false;
    assert!(Stage::agent(&assistant, false).orders().is_empty());
}

#[test]
fn a_notice_is_heard_to_its_end_and_what_follows_may_be_interrupted() {
    let mut assistant = agent(Some("How may I help you today, dear caller?"));
    assistant.conduct.recording_notice = Some("This call is recorded.".into());
    let mut stage = Stage::agent(&assistant, false);
    stage.say(0, "This call is recorded. How may I help you today, dear caller?", 6000);
    stage.silence(1200);
    stage.speech(1000);
    assert_eq!(stage.ordered(20), ["turn 0 began"], "held, but not dropped");
    stage.silence(600);
    assert_eq!(stage.ordered(20), ["turn 0 began", "turn 0 ended"]);
    stage.silence(2000);
    stage.speech(800);
    let interrupt = stage.ordered(stage.now - 1000).pop().unwrap();
    assert!(interrupt.starts_with("interrupt 0 at 3"), "{interrupt}");
    assert!(interrupt.ends_with("This call is recorded. How may I help…"), "{interrupt}");
}

#[test]
fn a_greeting_holds_the_opening_and_is_not_answered() {
    let mut stage = Stage::agent(&agent(Some(FIRST)), false);
    stage.silence(200);
    stage.say(0, FIRST, 3000);
    stage.silence(200);
    stage.speech(1000);
    stage.silence(500);
    stage.silence(3000);
    assert_eq!(stage.ordered(20), ["turn 0 began", "turn 0 ended"]);
    assert_eq!(stage.played(0).len(), 150, "the whole opening was played");
    stage.recognise(0, "Hello?");
    assert_eq!(stage.ordered(20).len(), 2);
    assert_eq!(
        stage.transcript(),
        [format!("[00:00] Assistant: {FIRST}"), "[00:00] Customer: Hello?".into()]
    );
}

#[test]
fn the_session_is_told_its_task_with_its_places_filled() {
    let mut assistant = agent(Some(FIRST));
    assistant.variables =
        Variables::from([("company".into(), "Nobody".into()), ("place".into(), "Bonn".into())]);
    persona(&mut assistant).instructions = "You work for {{company}} in {{place}}{{unknown}}.".into();
    let values = Variables::from([("company".into(), "Acme".into())]);
    let filling = filling(&assistant, &values);
    let spec = Conversation::spec(&assistant, &filling, CallId::from_uuid(Uuid::nil())).unwrap();
    assert_eq!(spec.instructions, "You work for Acme in Bonn.");
    assert_eq!(spec.tools.len(), 4);
    assert_eq!(Conversation::lines(&assistant, &filling), ["We will call you again."]);
    assert!(Dialect::ALL.len() > 1);
}
