//! Orders are followed one after the other, and each comes to one answer.

use std::sync::Arc;
use std::time::Duration;

use domain::ports::{AgentEvent, AgentOrder, TurnId, UtteranceId};
use serde_json::json;
use test_providers::{Behaviour, Gate, Piece, Service, Settings, Written};

use crate::support::Call;

fn interrupt(utterance: u64, text: &str) -> AgentOrder {
    let heard = Duration::from_millis(300);
    AgentOrder::Interrupt { utterance: UtteranceId(utterance), heard, text: text.to_owned() }
}

#[tokio::test]
async fn what_is_said_prompted_and_noted_is_known_to_the_model() {
    let mut call = Call::with(Settings::default()).await;
    call.order(AgentOrder::Say { text: "Hello, **Ben**. This is <b>Ann</b>, of the desk.".to_owned() });
    let told = call.answer().await;
    assert_eq!(told.words, "Hello, Ben. This is Ann, of the desk.");
    call.order(AgentOrder::Note { text: "[pressed 1]".to_owned() });
    call.order(AgentOrder::Prompt { instruction: "Ask whether he is there.".to_owned() });
    assert_eq!(call.answer().await.utterance, Some(UtteranceId(1)));
    call.order(AgentOrder::Answer);
    call.answer().await;
    let said = json!({"role": "assistant", "content": "Hello, Ben. This is Ann, of the desk."});
    let pressed = json!({"role": "user", "content": "[pressed 1]"});
    let prompt = json!({"role": "system", "content": "Ask whether he is there."});
    assert_eq!(call.messages(0), [said.clone(), pressed.clone(), prompt]);
    let answer = json!({"role": "assistant", "content": "I see."});
    assert_eq!(call.messages(1), [said, pressed, answer], "an instruction holds once");
}

#[tokio::test]
async fn an_interruption_stops_the_answer_and_only_what_was_heard_is_remembered() {
    let gate = Gate::default();
    let (held, asked) = (gate.clone(), Arc::new(parking_lot::Mutex::new(0)));
    let writes = move |_: &serde_json::Value| {
        let mut asked = asked.lock();
        *asked += 1;
        if *asked > 1 {
            return Written::text("As you like it.");
        }
        let text = |text: &str| Piece::Text(text.to_owned());
        Written::of(vec![
            text("We have three offers. The f"),
            Piece::Gate(held.clone()),
            text("irst is this."),
        ])
    };
    let mut call = Call::with(Settings { writes: Arc::new(writes), ..Settings::default() }).await;
    call.order(AgentOrder::Answer);
    while !matches!(call.event().await, AgentEvent::Audio { .. }) {}
    call.order(AgentOrder::Say { text: "Please go ahead.".to_owned() });
    call.order(interrupt(0, "We have three"));
    let told = call.answer().await;
    assert!(told.ended);
    gate.open();
    let next = call.answer().await;
    assert_eq!((next.utterance, next.words.as_str()), (Some(UtteranceId(1)), "Please go ahead."));
    call.turn(0).await;
    let told = call.answer().await;
    assert_eq!((told.words.as_str(), told.utterance), ("As you like it.", Some(UtteranceId(2))));
    let said = |text| json!({"role": "assistant", "content": text});
    let heard = json!({"role": "user", "content": "Hello."});
    assert_eq!(call.messages(1), [said("We have three"), said("Please go ahead."), heard]);
}

#[tokio::test]
async fn an_utterance_that_was_still_playing_is_cut_too_and_one_that_was_not_heard_is_forgotten() {
    let mut call = Call::with(Settings::default()).await;
    for text in ["This is the first line.", "This is the second line."] {
        call.order(AgentOrder::Say { text: text.to_owned() });
        assert!(call.answer().await.ended);
    }
    call.order(interrupt(0, "This is"));
    call.order(interrupt(1, ""));
    call.order(AgentOrder::Answer);
    call.answer().await;
    assert_eq!(call.messages(0), [json!({"role": "assistant", "content": "This is"})]);
}

#[tokio::test]
async fn an_answer_waits_for_the_words_that_it_answers_and_late_words_keep_their_place() {
    let mut call = Call::with(Settings::default()).await;
    let gate = Gate::default();
    call.providers.next(Service::Transcription, Behaviour::Held(gate.clone()));
    call.turn(0).await;
    call.order(AgentOrder::TurnBegan(TurnId(1)));
    call.order(AgentOrder::TurnEnded(TurnId(1)));
    assert_eq!(call.event().await, AgentEvent::Recognised { turn: TurnId(1), text: "Hello.".to_owned() });
    assert!(call.providers.seen(Service::Chat).is_empty(), "the first turn's words are not known yet");
    gate.open();
    let told = call.answer().await;
    assert_eq!(told.recognised, [(TurnId(0), "Hello.".to_owned())]);
    assert_eq!(call.messages(0).len(), 2);
}

#[tokio::test]
async fn a_turn_without_sound_has_no_words() {
    let mut call = Call::with(Settings::default()).await;
    call.order(AgentOrder::TurnBegan(TurnId(0)));
    call.order(AgentOrder::TurnEnded(TurnId(0)));
    assert_eq!(call.event().await, AgentEvent::Recognised { turn: TurnId(0), text: String::new() });
    assert!(call.providers.all_seen().is_empty());
}

#[tokio::test]
async fn what_was_not_heard_yet_gives_way_to_a_later_answer_but_each_order_is_answered() {
    let mut call = Call::with(Settings::default()).await;
    call.providers.next(Service::Chat, Behaviour::Mute);
    call.order(AgentOrder::Prompt { instruction: "Say hello.".to_owned() });
    call.asked(Service::Chat, 1).await;
    call.order(AgentOrder::Answer);
    call.order(AgentOrder::Answer);
    for _ in 0..2 {
        assert_eq!(call.answer().await.utterance, None);
    }
    assert_eq!(call.answer().await.words, "I see.");
    assert_eq!(call.providers.seen(Service::Chat).len(), 2);
}
