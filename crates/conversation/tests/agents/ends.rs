//! Silence, limits, and agents that stall, break or come back.

use std::time::Duration;

use conversation::Output;
use domain::assistant::CallLimits;
use domain::call::{EndedReason, Fact};
use domain::ports::{AgentEvent, AgentFailure, UtteranceId};

use crate::stage::agent::{FIRST, agent};
use crate::stage::{Stage, Voice};
use crate::{answering, greeted};

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
        let audio = crate::stage::agent::bytes(1, 0, bytes);
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
fn key_that_was_not_sent_is_noted_beside_the_lost_agent() {
    let mut stage = Stage::of(&agent(Some(FIRST)), Voice::After(0));
    stage.tell(AgentEvent::Broken { cause: AgentFailure::Credential("not sent".to_owned()) });
    let (_, reason) = stage.silence_until_the_end(10_000);
    assert_eq!(reason, EndedReason::AssistantError);
    assert_eq!(stage.facts(), [&Fact::CredentialRefused, &Fact::AssistantBroke]);
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
fn the_length_limit_holds_whatever_the_agent_does() {
    let mut assistant = agent(Some(FIRST));
    assistant.limits = CallLimits { max_duration: Duration::from_secs(5), ..CallLimits::default() };
    let mut stage = Stage::agent(&assistant, false);
    stage.utter(0, FIRST, 20_000);
    assert_eq!(stage.silence_until_the_end(10_000), (5000, EndedReason::ExceededMaxDuration));
    assert_eq!(stage.transcript(), ["[00:00] Assistant: Hello, this…"]);
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
