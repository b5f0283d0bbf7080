//! Calls with an agent: who speaks when, and what the agent is told.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what it means"
)]

mod stage;

use std::time::Duration;

use conversation::{Conversation, Output};
use domain::assistant::{Brain, CallLimits, Dialect, Engine};
use domain::call::{EndedReason, Fact};
use domain::ids::CallId;
use domain::ports::{AgentEvent, TurnId, UtteranceId};
use domain::variables::Variables;
use stage::agent::{FIRST, agent, persona};
use stage::{Stage, Voice};
use uuid::Uuid;

/// A call whose first message of 3 s has been heard.
fn greeted(detects: bool) -> Stage {
    let mut stage = Stage::agent(&agent(Some(FIRST)), detects);
    stage.say(0, FIRST, 3000);
    stage.silence(3100);
    stage
}

/// The agent answers its order with this, for so long.
fn answering(detects: bool, text: &str, ms: usize) -> Stage {
    let mut stage = greeted(detects);
    stage.speech(800);
    if detects {
        stage.tell(AgentEvent::SpeechStarted(TurnId(0)));
        stage.silence(600);
        stage.tell(AgentEvent::SpeechStopped(TurnId(0)));
    } else {
        stage.silence(500);
    }
    stage.recognise(0, "I need a bed.");
    stage.say(1, text, ms);
    stage
}

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
fn a_word_in_passing_holds_the_answer_which_goes_on_where_it_stopped() {
    let mut stage = answering(false, "We sell beds and tables and chairs.", 4000);
    stage.silence(1000);
    let began = stage.now;
    stage.speech(300);
    stage.silence(500);
    let held: Vec<_> = stage.played(began);
    assert_eq!(held.len(), 9, "200 ms of speech hold it, the beat of the last 20 ms being silent");
    assert_eq!(stage.ordered(began), ["turn 1 began", "turn 1 ended"]);
    stage.silence(1980);
    assert_eq!(stage.played(began).len(), 9, "its words are awaited");
    stage.silence(100);
    let resumed = stage.played(began);
    assert!(resumed.len() > 9, "after 2 s it goes on");
    assert_eq!(resumed[9].2, resumed[8].2 + 160, "no frame is lost, none played twice");
}

#[test]
fn words_in_passing_interrupt_and_no_words_let_it_go_on_at_once() {
    for (words, orders) in [
        ("No.", vec!["turn 1 began", "turn 1 ended", "interrupt 1 at 1180 ms: We sell…", "answer"]),
        (" ", vec!["turn 1 began", "turn 1 ended"]),
    ] {
        let mut stage = answering(false, "We sell beds and tables and chairs.", 4000);
        stage.silence(1000);
        let began = stage.now;
        stage.speech(300);
        stage.silence(900);
        stage.recognise(1, words);
        stage.silence(100);
        assert_eq!(stage.ordered(began), orders);
        assert_eq!(stage.played(stage.now - 100).is_empty(), orders.len() == 4);
    }
}

#[test]
fn speech_of_600_ms_interrupts_and_the_agent_learns_what_was_heard() {
    let mut stage = answering(false, "We sell beds and tables and chairs.", 4000);
    stage.silence(1000);
    let began = stage.now;
    stage.speech(600);
    assert_eq!(stage.ordered(began), ["turn 1 began", "interrupt 1 at 1180 ms: We sell…"]);
    stage.silence(1000);
    assert_eq!(stage.ordered(began)[2..], ["turn 1 ended", "answer"]);
    assert!(stage.played(began + 200).is_empty());
    stage.tell(AgentEvent::Audio { utterance: UtteranceId(1), audio: vec![1; 8000] });
    stage.silence(500);
    assert!(stage.played(began + 200).is_empty(), "late audio is not played");
}

#[test]
fn an_agent_that_detects_speech_holds_at_once() {
    let mut stage = answering(true, "We sell beds and tables and chairs.", 4000);
    stage.silence(1000);
    let began = stage.now;
    stage.tell(AgentEvent::SpeechStarted(TurnId(1)));
    stage.silence(1080);
    assert!(stage.played(began).is_empty());
    assert!(stage.ordered(began).is_empty(), "an end told after a pause may follow");
    stage.silence(40);
    assert_eq!(stage.ordered(began), ["interrupt 1 at 1000 ms: We sell…"]);
    stage.tell(AgentEvent::SpeechStopped(TurnId(1)));
    assert_eq!(stage.ordered(began)[1..], ["answer"]);
}

#[test]
fn an_answer_that_is_late_and_not_wanted_any_more_is_never_heard() {
    let mut stage = greeted(false);
    stage.speech(800);
    stage.silence(500);
    assert_eq!(stage.ordered(3100).pop().as_deref(), Some("answer"));
    let began = stage.now + 20;
    stage.silence(500);
    stage.speech(700);
    stage.say(1, "Beds.", 600);
    assert_eq!(stage.ordered(began), ["turn 1 began", "interrupt 1 at 0 ms: "]);
    stage.silence(500);
    assert_eq!(stage.ordered(began)[2..], ["turn 1 ended", "answer"]);
    stage.say(2, "Tables.", 600);
    stage.silence(1000);
    assert_eq!(stage.said(), [FIRST, "Tables."]);
}

#[test]
fn an_answer_waits_while_the_callee_speaks() {
    let mut stage = greeted(false);
    stage.speech(800);
    stage.silence(500);
    stage.speech(300);
    stage.say(1, "Beds and tables.", 600);
    stage.silence(500);
    assert!(stage.played(3200).is_empty());
    stage.recognise(1, "");
    stage.silence(100);
    assert_eq!(stage.played(3200).len(), 5);
}

#[test]
fn an_agent_that_writes_no_words_down_goes_on_after_a_word_in_passing_and_answers_anew_before() {
    let mut assistant = agent(Some(FIRST));
    let Engine::Agent(mute) = &mut assistant.engine else { panic!("an agent") };
    let Brain::Realtime(realtime) = &mut mute.brain else { panic!("a realtime one") };
    realtime.transcription_model = None;
    let mut stage = Stage::agent(&assistant, false);
    stage.say(0, FIRST, 3000);
    stage.silence(3100);
    stage.speech(800);
    stage.silence(600);
    let asked = stage.now + 20;
    stage.speech(300);
    stage.silence(500);
    assert_eq!(stage.ordered(asked), ["turn 1 began", "turn 1 ended", "answer"]);
    stage.say(1, "Beds.", 500);
    stage.say(2, "Beds and tables.", 1500);
    stage.silence(500);
    let passing = stage.now + 20;
    stage.speech(300);
    stage.silence(600);
    assert_eq!(stage.ordered(passing), ["turn 2 began", "turn 2 ended"]);
    assert_eq!(stage.played(passing).len(), 8 + 6, "it went on at once");
    assert_eq!(stage.said(), [FIRST, "Beds and tables."]);
}

#[test]
fn words_that_come_after_the_answer_went_on_are_answered_when_it_is_over() {
    let mut stage = answering(false, "We sell beds.", 2000);
    stage.silence(1000);
    let began = stage.now;
    stage.speech(300);
    stage.silence(500 + 2000 + 200);
    stage.recognise(1, "And tables?");
    assert_eq!(stage.ordered(began), ["turn 1 began", "turn 1 ended"]);
    stage.silence(1000);
    assert_eq!(stage.ordered(began)[2..], ["answer"]);
}

#[test]
fn a_slow_agent_leaves_gaps_and_loses_nothing() {
    let mut stage = greeted(false);
    stage.speech(800);
    stage.silence(500);
    let id = UtteranceId(1);
    for place in 0..20 {
        let audio = stage::agent::bytes(1, place * 400, 400);
        stage.tell(AgentEvent::Audio { utterance: id, audio });
        stage.silence(200);
    }
    stage.tell(AgentEvent::UtteranceEnded(id));
    stage.tell(AgentEvent::Answered);
    stage.silence(1000);
    let places: Vec<usize> = stage.played(3200).into_iter().map(|(_, _, place)| place).collect();
    assert_eq!(places, (0..8000).step_by(160).collect::<Vec<_>>());
}

#[test]
fn a_silent_callee_is_asked_again_and_the_silence_limit_holds() {
    let mut stage = greeted(false);
    let over = 3020;
    stage.silence(10_000);
    let prompts = stage.orders_since(3100);
    assert_eq!(prompts[0].0, over + 10_000);
    assert!(stage.ordered(3100)[0].starts_with("prompt: The caller has said nothing"));
    stage.say(1, "Are you there?", 1000);
    stage.silence(11_040);
    assert_eq!(stage.ordered(3100).len(), 2, "asked again 10 s after the last time");
    stage.say(2, "Are you there?", 1000);
    let (at, reason) = stage.silence_until_the_end(60_000);
    assert_eq!((at, reason), (over + 30_000, EndedReason::SilenceTimedOut));
}

#[test]
fn an_agent_that_thinks_is_no_silence_until_it_has_stalled() {
    let mut assistant = agent(Some(FIRST));
    assistant.limits = CallLimits { silence: Duration::from_secs(2), ..CallLimits::default() };
    let mut stage = Stage::agent(&assistant, false);
    stage.say(0, FIRST, 1000);
    stage.silence(1100);
    stage.speech(400);
    stage.silence(500);
    let asked = stage.now;
    stage.silence(9980);
    assert_eq!(stage.ended, None);
    assert!(stage.facts().len() == 1);
    let (at, reason) = stage.silence_until_the_end(10_000);
    assert_eq!(reason, EndedReason::AssistantError);
    // The line of 23 characters, and 200 ms.
    assert_eq!(at, asked + 10_000 + 20 + 23 * 60 + 200);
    assert_eq!(stage.said().pop(), Some("We will call you again."));
    assert_eq!(stage.facts(), [&Fact::CustomerActive, &Fact::AssistantBroke]);
}

#[test]
fn an_agent_that_stalls_before_a_whole_frame_has_stalled() {
    for bytes in [100, 160 + 300] {
        let mut stage = greeted(false);
        stage.speech(400);
        stage.silence(500);
        let audio = stage::agent::bytes(1, 0, bytes);
        stage.tell(AgentEvent::Audio { utterance: UtteranceId(1), audio });
        stage.silence(9900);
        assert_eq!(stage.facts(), [&Fact::CustomerActive]);
        stage.silence(300);
        assert_eq!(stage.facts(), [&Fact::CustomerActive, &Fact::AssistantBroke], "{bytes}");
    }
}

#[test]
fn an_agent_that_is_not_ready_within_5_s_or_breaks_takes_leave_in_the_built_in_voice() {
    let mut stage = Stage::of(&agent(Some(FIRST)), Voice::After(0));
    stage.silence(4980);
    assert_eq!(stage.facts(), [&Fact::CustomerActive; 0]);
    stage.silence(20);
    assert_eq!(stage.facts(), [&Fact::AssistantBroke]);

    let mut stage = answering(false, "We sell beds.", 2000);
    stage.silence(1000);
    stage.tell(AgentEvent::Broken { cause: "closed".into() });
    let broke = stage.now;
    stage.speech(3000);
    stage.tell(AgentEvent::Answered);
    let (_, reason) = stage.silence_until_the_end(10_000);
    assert_eq!(reason, EndedReason::AssistantError);
    assert!(stage.orders_since(broke).is_empty(), "nobody is there to follow orders");
    let transcript = stage.transcript();
    assert_eq!(
        transcript[2..],
        [
            "[00:04] Assistant: We…",
            "[00:05] Customer: [caller spoke, 1.6 s]",
            "[00:05] Assistant: We will call you again.",
        ]
    );
}

#[test]
fn a_lost_agent_and_a_lost_voice_end_the_call_at_once() {
    let mut stage = Stage::of(&agent(Some(FIRST)), Voice::FailsAt(0));
    stage.tell(AgentEvent::Broken { cause: "401".into() });
    assert_eq!(stage.silence_until_the_end(100), (20, EndedReason::AssistantError));
}

#[test]
fn what_was_lost_with_a_connection_is_ordered_again_and_what_came_is_still_heard() {
    let mut stage = greeted(false);
    stage.speech(800);
    stage.silence(500);
    stage.silence(20);
    let asked = stage.now;
    stage.tell(AgentEvent::Restored);
    assert_eq!(stage.ordered(asked), ["answer"]);
    stage.utter(1, "Beds and", 510);
    stage.tell(AgentEvent::Restored);
    stage.silence(600);
    assert_eq!(stage.played(asked).len(), 26, "to the last byte");
    assert_eq!(stage.ordered(asked), ["answer", "answer"]);
    stage.say(2, "Beds and tables.", 800);
    stage.silence(2000);
    assert_eq!(stage.said(), [FIRST, "Beds and", "Beds and tables."]);
    stage.tell(AgentEvent::Restored);
    assert_eq!(stage.ordered(asked).len(), 2, "nothing was under way");
}

#[test]
fn turns_without_words_are_told_at_the_end_at_their_places() {
    let mut stage = answering(false, "We sell beds.", 600);
    stage.silence(700);
    stage.speech(2300);
    stage.silence(600);
    stage.say(2, "Yes.", 500);
    stage.silence(600);
    stage.speech(1000);
    stage
        .call
        .handle(conversation::Millis(stage.now), conversation::Input::Over(EndedReason::CustomerEndedCall));
    stage.drain();
    assert_eq!(
        stage.transcript()[1..],
        [
            "[00:03] Customer: I need a bed.",
            "[00:04] Assistant: We sell beds.",
            "[00:05] Customer: [caller spoke, 2.3 s]",
            "[00:08] Assistant: Yes.",
            "[00:08] Customer: [caller spoke, 1.0 s]",
        ]
    );
}

#[test]
fn keys_interrupt_and_are_told_together_when_the_callee_is_done() {
    let mut stage = answering(false, "Press one for beds and two for tables.", 4000);
    stage.silence(1000);
    let pressed = stage.now;
    stage.press("1");
    assert_eq!(stage.ordered(pressed), ["interrupt 1 at 1000 ms: Press one…"]);
    stage.silence(1500);
    stage.press("2");
    stage.silence(1980);
    assert_eq!(stage.ordered(pressed).len(), 1);
    stage.silence(20);
    assert_eq!(stage.ordered(pressed)[1..], ["note: [pressed 12]", "answer"]);
    stage.say(2, "Twelve.", 500);
    stage.silence(600);
    let pressed = stage.now;
    stage.press("34#");
    assert_eq!(stage.ordered(pressed), ["note: [pressed 34#]", "answer"]);
}

#[test]
fn the_length_limit_holds_whatever_the_agent_does() {
    let mut assistant = agent(Some(FIRST));
    assistant.limits = CallLimits { max_duration: Duration::from_secs(5), ..CallLimits::default() };
    let mut stage = Stage::agent(&assistant, false);
    stage.utter(0, FIRST, 20_000);
    assert_eq!(stage.silence_until_the_end(10_000), (5000, EndedReason::ExceededMaxDuration));
    assert_eq!(stage.transcript(), ["[00:00] Assistant: Hello, this…"]);
}

#[test]
fn text_that_the_agent_says_is_shown_without_markup() {
    let stage = answering(false, "We **sell** <break/>beds.", 600);
    let mut stage = stage;
    stage.silence(700);
    assert_eq!(stage.said()[1], "We sell beds.");
    assert_eq!(stage.transcript()[2], "[00:04] Assistant: We sell beds.");
}

#[test]
fn the_session_is_told_its_task_with_its_places_filled() {
    let mut assistant = agent(Some(FIRST));
    assistant.variables =
        Variables::from([("company".into(), "Nobody".into()), ("place".into(), "Bonn".into())]);
    persona(&mut assistant).instructions = "You work for {{company}} in {{place}}{{unknown}}.".into();
    let values = Variables::from([("company".into(), "Acme".into())]);
    let spec = Conversation::spec(&assistant, &values, CallId::from_uuid(Uuid::nil())).unwrap();
    assert_eq!(spec.instructions, "You work for Acme in Bonn.");
    assert_eq!(spec.tools.len(), 4);
    assert_eq!(Conversation::lines(&assistant, &values), ["We will call you again."]);
    assert!(Dialect::ALL.len() > 1);
}

#[test]
fn a_reprompt_fits_no_beat_with_speech() {
    let mut stage = greeted(false);
    stage.silence(9900);
    stage.speech(400);
    stage.silence(500);
    assert!(stage.ordered(3100).iter().all(|order| !order.starts_with("prompt")));
    let frames = stage.log.iter().filter(|(_, output)| matches!(output, Output::Play(_))).count();
    assert_eq!(frames, 150);
}
