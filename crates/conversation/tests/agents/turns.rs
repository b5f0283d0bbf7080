//! Who speaks when: interruptions, late words, keys, and what of it is told.

use domain::assistant::{Brain, Engine};
use domain::call::EndedReason;
use domain::ports::{AgentEvent, TurnId, UtteranceId};

use crate::stage::Stage;
use crate::stage::agent::{FIRST, agent};
use crate::{answering, greeted};

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
        let audio = crate::stage::agent::bytes(1, place * 400, 400);
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
fn text_that_the_agent_says_is_shown_without_markup() {
    let stage = answering(false, "We **sell** <break/>beds.", 600);
    let mut stage = stage;
    stage.silence(700);
    assert_eq!(stage.said()[1], "We sell beds.");
    assert_eq!(stage.transcript()[2], "[00:04] Assistant: We sell beds.");
}
