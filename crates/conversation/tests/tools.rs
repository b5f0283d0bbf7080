//! Calls in which the agent does more than speak.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what it means"
)]

mod stage;

use conversation::{Input, Millis, Output};
use domain::call::{EndedReason, Fact};
use domain::ports::AgentEvent;
use stage::Stage;
use stage::agent::{FIRST, agent, reception};

/// The callee has asked for something at 3.9 s, and the agent was told to answer.
fn asked() -> Stage {
    let mut stage = Stage::agent(&agent(Some(FIRST)), false);
    stage.say(0, FIRST, 3000);
    stage.silence(3100);
    stage.speech(800);
    stage.silence(520);
    assert_eq!(stage.ordered(4000), ["turn 0 ended", "answer"]);
    stage
}

/// The agent says this for 2 s and uses a tool with it.
fn using(words: &str, name: &str, arguments: &str) -> Stage {
    let mut stage = asked();
    stage.utter(1, words, 2000);
    stage.uses("a", name, arguments);
    stage.tell(AgentEvent::Answered);
    stage
}

fn pressed(stage: &Stage) -> Vec<(u64, char)> {
    let pressed = stage.log.iter().filter_map(|(at, output)| match output {
        Output::Press { digit, .. } => Some((*at, digit.as_char())),
        _ => None,
    });
    pressed.collect()
}

fn referred(stage: &Stage) -> Vec<u64> {
    let is = |output: &Output| *output == Output::Refer(reception());
    stage.log.iter().filter(|(_, output)| is(output)).map(|(at, _)| *at).collect()
}

#[test]
fn the_call_ends_when_the_goodbye_was_heard() {
    let mut stage = using("Goodbye, and thank you.", "end_call", r#"{"outcome":"quote_sent"}"#);
    let said = stage.now;
    let (at, reason) = stage.silence_until_the_end(5000);
    assert_eq!((at, reason), (said + 2000 + 20 + 200, EndedReason::AssistantEndedCall));
    assert_eq!(stage.facts()[1], &Fact::OutcomeNamed { outcome: "quote_sent".into() });
    assert_eq!(stage.transcript()[2], "[00:04] Assistant: Goodbye, and thank you.");
}

#[test]
fn a_call_may_end_without_a_word() {
    let mut stage = asked();
    stage.uses("a", "end_call", "");
    stage.tell(AgentEvent::Answered);
    let now = stage.now;
    assert_eq!(stage.silence_until_the_end(5000), (now + 200, EndedReason::AssistantEndedCall));
}

#[test]
fn a_word_in_passing_does_not_keep_the_call_but_who_insists_is_heard() {
    let mut stage = using("Goodbye, and thank you.", "end_call", "{}");
    stage.silence(1500);
    stage.speech(400);
    stage.silence(600);
    stage.recognise(1, "Bye!");
    let (_, reason) = stage.silence_until_the_end(1000);
    assert_eq!(reason, EndedReason::AssistantEndedCall);

    let mut stage = using("Goodbye, and thank you.", "end_call", "{}");
    stage.silence(1000);
    let began = stage.now + 20;
    stage.speech(700);
    stage.silence(600);
    assert_eq!(stage.ended, None);
    assert_eq!(
        stage.ordered(began),
        [
            "turn 1 began",
            "result a: Not done",
            "interrupt 1 at 1180 ms: Goodbye, and…",
            "turn 1 ended",
            "answer"
        ]
    );
}

#[test]
fn the_outcome_of_a_call_is_named_when_it_ends_and_not_when_the_callee_had_more_to_say() {
    let named = Fact::OutcomeNamed { outcome: "quote_sent".into() };
    let hang_up = |stage: &mut Stage| {
        stage.call.handle(Millis(stage.now), Input::Over(EndedReason::CustomerEndedCall));
        stage.drain();
    };
    let mut stage = using("Goodbye, and thank you.", "end_call", r#"{"outcome":"quote_sent"}"#);
    stage.silence(1000);
    hang_up(&mut stage);
    assert_eq!(stage.facts(), [&Fact::CustomerActive, &named], "he hung up on the goodbye");

    let mut stage = using("Goodbye, and thank you.", "end_call", r#"{"outcome":"quote_sent"}"#);
    stage.silence(1000);
    stage.speech(700);
    stage.silence(600);
    hang_up(&mut stage);
    assert_eq!(stage.facts(), [&Fact::CustomerActive], "he went on talking");
}

#[test]
fn a_transfer_begins_when_its_words_were_heard_and_ends_the_call_when_it_stands() {
    let mut stage = using("I connect you.", "transfer_call", r#"{"target":"reception"}"#);
    let said = stage.now;
    stage.silence(2000);
    assert!(referred(&stage).is_empty());
    stage.silence(20);
    assert_eq!(referred(&stage), [said + 2020]);
    // Whoever speaks meanwhile is not answered, and no silence counts.
    stage.speech(1000);
    stage.silence(35_000);
    assert_eq!(stage.ordered(said + 20), ["turn 1 began", "turn 1 ended"]);
    stage.referred(true);
    assert_eq!(stage.ended, Some((stage.now, EndedReason::AssistantForwardedCall)));
    assert_eq!(stage.ordered(said + 20)[2], "result a: The call was handed over");
    assert_eq!(stage.facts()[1], &Fact::Forwarded { target: "reception".into() });
}

#[test]
fn a_transfer_that_fails_is_told_to_the_caller() {
    for settled in [true, false] {
        let mut stage = using("I connect you.", "transfer_call", r#"{"target":"reception"}"#);
        stage.silence(2020);
        let asked = stage.now + 20;
        if settled {
            stage.silence(5000);
            stage.referred(false);
        } else {
            stage.silence(45_000);
        }
        assert_eq!(stage.ordered(asked), ["result a: The call could not be handed over", "answer"]);
        assert_eq!(stage.facts()[1], &Fact::ForwardingFailed { target: "reception".into() });
        stage.say(2, "Nobody is there.", 500);
        stage.silence(600);
        assert_eq!(stage.said()[2], "Nobody is there.");
        stage.referred(true);
        assert_eq!(stage.ended, None, "what is settled twice counts once");
    }
}

#[test]
fn a_transfer_under_way_needs_no_agent_but_one_that_fails_does() {
    for connected in [true, false] {
        let mut stage = using("I connect you.", "transfer_call", r#"{"target":"reception"}"#);
        stage.silence(2100);
        stage.uses("b", "leave_voicemail", r#"{"message":"Hello."}"#);
        let broke = stage.now + 20;
        stage.silence(20);
        stage.tell(AgentEvent::Broken { cause: "closed".into() });
        stage.silence(6000);
        assert_eq!((stage.ended, stage.said().len()), (None, 2), "it goes on");
        stage.referred(connected);
        let (_, reason) = stage.silence_until_the_end(5000);
        assert!(stage.orders_since(broke).is_empty());
        let (broken, last) = (stage.facts().contains(&&Fact::AssistantBroke), stage.said().pop());
        if connected {
            assert_eq!((reason, broken), (EndedReason::AssistantForwardedCall, false));
        } else {
            assert_eq!((reason, broken), (EndedReason::AssistantError, true));
            assert_eq!(last, Some("We will call you again."));
        }
    }
}

#[test]
fn keys_are_pressed_one_after_the_other_when_the_words_were_heard() {
    let mut stage = using("One moment.", "send_dtmf", r#"{"digits":"12#"}"#);
    let said = stage.now;
    stage.silence(2020);
    assert_eq!(pressed(&stage), [(said + 2020, '1')]);
    stage.silence(2000);
    let first = said + 2020;
    assert_eq!(pressed(&stage), [(first, '1'), (first + 260, '2'), (first + 520, '#')]);
    assert_eq!(stage.ordered(first), ["result a: Pressed 12#", "answer"]);
    assert_eq!(stage.transcript().pop().unwrap(), "[00:06] Assistant: [pressed 12#]");
}

#[test]
fn what_is_said_unasked_waits_for_the_keys() {
    let mut stage = using("One moment.", "send_dtmf", r#"{"digits":"12"}"#);
    stage.silence(2040);
    let pressing = stage.now;
    stage.utter(2, "And now?", 500);
    stage.silence(500);
    assert!(stage.played(pressing).iter().all(|(at, ..)| *at >= pressing - 20 + 520));
    stage.silence(500);
    assert_eq!(stage.played(pressing).len(), 25);
}

#[test]
fn a_menu_that_speaks_does_not_stop_the_keys() {
    let mut stage = asked();
    stage.uses("a", "send_dtmf", r#"{"digits":"12"}"#);
    stage.tell(AgentEvent::Answered);
    stage.speech(3000);
    assert_eq!(pressed(&stage).len(), 2);
    assert_eq!(stage.ordered(stage.now - 2800).last().unwrap(), "result a: Pressed 12");
    let stopped = stage.now + 20;
    stage.silence(600);
    assert_eq!(stage.ordered(stopped), ["turn 1 ended", "answer"]);
}

#[test]
fn bad_uses_are_told_in_words_and_the_model_goes_on() {
    for (name, arguments, result) in [
        ("transfer_call", r#"{"target":"the moon"}"#, "result a: target must be one of"),
        ("send_dtmf", "{", "result a: the arguments are not JSON"),
        ("order_pizza", "{}", "result a: there is no tool order_pizza"),
    ] {
        let mut stage = asked();
        let now = stage.now;
        stage.uses("a", name, arguments);
        stage.tell(AgentEvent::Answered);
        assert_eq!(stage.ordered(now), [result, "answer"]);
    }
}

#[test]
fn several_tools_are_used_in_turn_and_answered_once() {
    let mut stage = asked();
    let now = stage.now + 20;
    stage.silence(20);
    stage.uses("a", "send_dtmf", r#"{"digits":"1"}"#);
    stage.uses("b", "nothing", "");
    stage.uses("c", "send_dtmf", r#"{"digits":"2"}"#);
    stage.tell(AgentEvent::Answered);
    stage.silence(1000);
    assert_eq!(
        stage.ordered(now),
        ["result b: there is no tool nothing", "result a: Pressed 1", "result c: Pressed 2", "answer"]
    );
}

#[test]
fn an_agent_that_only_uses_tools_is_broken() {
    let mut stage = asked();
    for round in 0..9 {
        assert!(!stage.facts().contains(&&Fact::AssistantBroke), "round {round}");
        stage.uses(&round.to_string(), "nothing", "");
        stage.tell(AgentEvent::Answered);
    }
    assert!(stage.facts().contains(&&Fact::AssistantBroke));

    // A word between the rounds makes them none in a row.
    let mut stage = asked();
    for round in 0..20 {
        stage.utter(round + 1, "Yes.", 40);
        stage.uses(&round.to_string(), "nothing", "");
        stage.tell(AgentEvent::Answered);
        stage.silence(100);
    }
    assert!(!stage.facts().contains(&&Fact::AssistantBroke));

    // So does a menu that speaks.
    let mut stage = asked();
    for round in 0..20 {
        stage.uses(&round.to_string(), "nothing", "");
        stage.tell(AgentEvent::Answered);
        stage.tell(AgentEvent::Answered);
        stage.speech(400);
        stage.silence(520);
        assert!(!stage.facts().contains(&&Fact::AssistantBroke), "round {round}");
    }
}

#[test]
fn a_tool_of_an_interrupted_answer_is_not_used() {
    let mut stage = asked();
    stage.utter(1, "Goodbye, and thank you.", 2000);
    stage.silence(500);
    stage.speech(700);
    stage.uses("a", "end_call", "{}");
    stage.tell(AgentEvent::Answered);
    let now = stage.now + 20;
    stage.silence(3000);
    assert_eq!(stage.ended, None);
    assert_eq!(stage.ordered(now), ["turn 1 ended", "answer"]);
    assert!(stage.ordered(now - 20).contains(&"result a: Not done".into()));
}

#[test]
fn a_model_that_finds_a_machine_leaves_its_message_after_the_beep() {
    let mut stage = asked();
    stage.utter(1, "Hello? Is anybody", 2000);
    stage.silence(100);
    stage.uses("a", "leave_voicemail", r#"{"message":"Please *call* us."}"#);
    stage.tell(AgentEvent::Answered);
    let told = stage.now;
    assert_eq!(
        stage.ordered(told),
        [
            "result a: The message will be said after the beep, and the call will end",
            "interrupt 1 at 100 ms: …"
        ]
    );
    stage.speech(3000);
    assert!(stage.ordered(told).iter().all(|order| !order.starts_with("say")));
    stage.tone(400);
    stage.silence(20);
    assert_eq!(stage.ordered(stage.now), ["say: Please call us."]);
    stage.say(2, "Please call us.", 1000);
    stage.speech(900);
    let (_, reason) = stage.silence_until_the_end(5000);
    assert_eq!(reason, EndedReason::Voicemail);
    assert_eq!(stage.facts()[1..], [&Fact::MachineAnswered, &Fact::MessageLeft]);
    assert_eq!(stage.said()[2], "Please call us.");
}
