//! The callee's turns, which the server detects, and the conversation answers.

use std::time::Duration;

use domain::ports::{AgentEvent, AgentOrder};
use test_realtime::{Double, Options, Recogniser};

use crate::support::{Call, TIMEOUTS};

#[tokio::test]
async fn turns_are_detected_and_written_down_but_not_answered_by_the_server() {
    let recogniser = Recogniser::script([Some("Guten Tag. "), None]);
    let double = Double::start(Options { recogniser, ..Options::default() }).await;
    let mut call = Call::ready(&double).await;
    call.say_aloud(&double, "Guten Tag, ich rufe an wegen der Rechnung.").await;
    let words_came = |event: &AgentEvent| matches!(event, AgentEvent::Recognised { .. });
    call.until(words_came).await;
    call.say_aloud(&double, "Und wann kommt der Techniker vorbei.").await;
    call.until(words_came).await;
    let expected = [
        "Ready { detects_speech: true }",
        "turn 0 began",
        "turn 0 ended",
        "turn 0: Guten Tag.",
        "turn 1 began",
        "turn 1 ended",
        "turn 1: ",
    ];
    assert_eq!(call.words(), expected);
    let record = double.record();
    assert_eq!((record.turns.len(), record.of_kind("response.create").len()), (2, 0));
    assert_eq!(record.responses, [""; 0]);

    // The same, while the conversation orders an answer, and the words come long after.
    call.order(AgentOrder::Answer);
    let told = call.answered().await;
    assert!(told.contains(&AgentEvent::Answered));
}

#[tokio::test]
async fn words_that_come_after_the_answer_belong_to_their_turn() {
    let recogniser = Recogniser::script([Some("Late.")]);
    let late = Duration::from_millis(1_500);
    let double =
        Double::start(Options { recogniser, transcript_after: late, speed: 1e6, ..Options::default() }).await;
    let mut call = Call::ready(&double).await;
    call.say_aloud(&double, "Guten Tag, ich rufe an wegen der Rechnung.").await;
    call.until(|event| matches!(event, AgentEvent::SpeechStopped(_))).await;
    call.order(AgentOrder::Answer);
    call.until(|event| matches!(event, AgentEvent::Recognised { .. })).await;
    let words = call.words();
    assert_eq!(words.last().unwrap(), "turn 0: Late.");
    assert!(words.contains(&"Answered".to_owned()), "{words:?}");
}

#[tokio::test]
async fn without_a_transcription_model_no_words_are_told() {
    let recogniser = Recogniser::script([Some("Nobody asked.")]);
    let double = Double::start(Options { recogniser, ..Options::default() }).await;
    let mut call = Call::with(&double, TIMEOUTS, |realtime| realtime.transcription_model = None).await;
    call.say_aloud(&double, "Guten Tag, ich rufe an wegen der Rechnung.").await;
    call.order(AgentOrder::Answer);
    call.answered().await;
    assert!(!call.words().iter().any(|line| line.contains("Nobody")), "{:?}", call.words());
}
