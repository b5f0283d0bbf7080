//! What is heard is written down, answered and spoken, and in which order.

use std::sync::Arc;

use domain::assistant::ProviderKey;
use domain::audio::AudioFormat;
use domain::ports::{AgentEvent, AgentOrder, TurnId, UtteranceId, VoiceAgent};
use serde_json::json;
use test_providers::{Behaviour, Gate, Piece, Providers, Service, Settings, Written, pitch};

use crate::support::{Call, Told, engines, next, spec};

fn writing(text: &'static str) -> Settings {
    Settings { writes: Arc::new(move |_| Written::text(text)), ..Settings::default() }
}

#[tokio::test]
async fn a_turn_is_written_down_with_what_came_before_it_and_the_answer_is_spoken() {
    let mut call =
        Call::with(Settings { key: Some("sk-1".to_owned()), ..writing("I see. Go on, please!") }).await;
    call.hears(0, 40).await;
    call.turn(0).await;
    let told = call.answer().await;
    assert_eq!(told.recognised, [(TurnId(0), "Hello.".to_owned())]);
    assert_eq!(
        (told.words.as_str(), told.ended, told.utterance),
        ("I see. Go on, please!", true, Some(UtteranceId(0)))
    );
    assert_eq!(told.pitches(&["I see. Go on, please!"]), [pitch("I see. Go on, please!")]);

    let heard = &call.providers.heard()[0];
    assert_eq!((heard.rate, heard.language.as_deref()), (8_000, Some("en")));
    // Half a second of silence before 0.2 s of sound.
    assert_eq!(heard.samples.len(), 5_600);
    let sound = heard.samples.iter().position(|sample| *sample > 500).unwrap();
    assert_eq!(sound, 4_000);

    let chat = &call.providers.seen(Service::Chat)[0];
    assert_eq!(chat.body["model"], "thinker");
    assert_eq!(chat.body["stream"], true);
    assert_eq!(
        chat.body["messages"],
        json!([{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hello."}])
    );
    let tools: Vec<_> =
        chat.body["tools"].as_array().unwrap().iter().map(|tool| &tool["function"]["name"]).collect();
    assert_eq!(tools, ["end_call", "send_dtmf"]);
    assert_eq!(
        call.providers.seen(Service::Speech)[0].body,
        json!({"model": "speaker", "input": "I see. Go on, please!", "voice": "nova", "response_format": "pcm"})
    );
    for seen in call.providers.all_seen() {
        assert_eq!(seen.authorization.as_deref(), Some("Bearer sk-1"));
    }
}

#[tokio::test]
async fn the_first_sentence_is_heard_while_the_model_still_writes_the_second() {
    let gate = Gate::default();
    let pieces = vec![
        Piece::Text("Good morning to you. A".to_owned()),
        Piece::Gate(gate.clone()),
        Piece::Text("nd how are you?".to_owned()),
    ];
    let writes = move |_: &_| Written::of(pieces.clone());
    let mut call = Call::with(Settings { writes: Arc::new(writes), ..Settings::default() }).await;
    call.order(AgentOrder::Answer);
    let mut told = Told::default();
    // All of the first sentence's sound but what the filter holds back, with the model's stream open.
    call.listen(&mut told, |told| told.audio.len() >= 20 * 80 - 320).await;
    assert_eq!((told.words.as_str(), told.ended), ("Good morning to you.", false));
    gate.open();
    call.listen(&mut told, |_| false).await;
    assert_eq!((told.words.as_str(), told.ended), ("Good morning to you. And how are you?", true));
}

#[tokio::test]
async fn sentences_are_spoken_in_their_order_two_at_a_time_wherever_the_bytes_are_cut() {
    let sentences =
        ["This is number one.", "Here comes number two.", "That would be three!", "Is this the last of all?"];
    let text = sentences.join(" ");
    for seed in [3, 77, 4_000_001] {
        let written = text.clone();
        let settings =
            Settings { writes: Arc::new(move |_| Written::text(&written)), seed, ..Settings::default() };
        let mut call = Call::with(settings).await;
        let first = Gate::default();
        call.providers.next(Service::Speech, Behaviour::Held(first.clone()));
        call.order(AgentOrder::Answer);
        call.asked(Service::Speech, 2).await;
        assert_eq!(call.providers.seen(Service::Speech).len(), 2);
        first.open();
        let told = call.answer().await;
        assert_eq!(told.words, text);
        let length = sentences.iter().map(|sentence| sentence.len() * 80).sum::<usize>();
        assert!((length..=length + 80).contains(&told.audio.len()), "the filter adds 10 ms at most");
        assert_eq!(told.pitches(&sentences), sentences.map(pitch));
    }
}

#[tokio::test]
async fn letters_of_many_bytes_and_markup_come_through_as_words() {
    let text = "Voilà, **l’été** est là ! 🎉 <break time=\"1s\"/>Ça te va, Zoë? ✅";
    for seed in 1..20 {
        let mut call = Call::with(Settings { seed, ..writing(text) }).await;
        call.order(AgentOrder::Answer);
        assert_eq!(call.answer().await.words, "Voilà, l’été est là ! Ça te va, Zoë?");
    }
}

#[tokio::test]
async fn tools_are_used_after_the_words_and_their_outcome_is_told_to_the_model() {
    let writes = |request: &serde_json::Value| {
        if request["messages"].as_array().unwrap().len() > 1 {
            return Written::text("It is done now.");
        }
        Written::of(vec![
            Piece::Text("One moment, please.".to_owned()),
            Piece::Tool("call_a", "send_dtmf", vec!["{\"dig", "its\":", "\"1#\"}"]),
            Piece::Tool("call_b", "end_call", vec!["{}"]),
        ])
    };
    let mut call = Call::with(Settings { writes: Arc::new(writes), ..Settings::default() }).await;
    call.order(AgentOrder::Answer);
    let told = call.answer().await;
    assert_eq!(told.words, "One moment, please.");
    let tool = |id: &str, name: &str, arguments: &str| (id.to_owned(), name.to_owned(), arguments.to_owned());
    assert_eq!(
        told.tools,
        [tool("call_a", "send_dtmf", "{\"digits\":\"1#\"}"), tool("call_b", "end_call", "{}")]
    );
    for id in ["call_a", "call_b"] {
        call.order(AgentOrder::ToolResult { id: id.to_owned(), output: format!("{id} done") });
    }
    call.order(AgentOrder::Answer);
    assert_eq!(call.answer().await.words, "It is done now.");
    let messages = call.messages(1);
    assert_eq!(messages[0]["content"], "One moment, please.");
    assert_eq!(messages[0]["tool_calls"][0]["function"]["arguments"], "{\"digits\":\"1#\"}");
    assert_eq!(messages[1], json!({"role": "tool", "tool_call_id": "call_a", "content": "call_a done"}));
    assert_eq!(messages[2], json!({"role": "tool", "tool_call_id": "call_b", "content": "call_b done"}));
}

#[tokio::test]
async fn an_answer_of_tools_alone_or_of_nothing_has_no_utterance() {
    let writes = |request: &serde_json::Value| {
        if request["messages"].as_array().unwrap().len() > 1 {
            return Written::text("🎉");
        }
        Written::of(vec![Piece::Tool("call_a", "end_call", vec![])])
    };
    let mut call = Call::with(Settings { writes: Arc::new(writes), ..Settings::default() }).await;
    call.order(AgentOrder::Answer);
    let told = call.answer().await;
    assert_eq!((told.utterance, told.tools.len()), (None, 1));
    call.order(AgentOrder::Answer);
    assert_eq!(call.answer().await, Told::default());
    assert!(call.providers.seen(Service::Speech).is_empty());
}

#[tokio::test]
async fn a_server_that_does_not_stream_is_understood() {
    let whole = json!({"choices": [{"message": {"role": "assistant", "content": "All at once, then."}, "finish_reason": "stop"}]});
    let mut call = Call::with(Settings::default()).await;
    call.providers
        .next(Service::Chat, Behaviour::Raw("application/json; charset=utf-8", whole.to_string().into()));
    call.order(AgentOrder::Answer);
    assert_eq!(call.answer().await.words, "All at once, then.");
}

#[tokio::test]
async fn connections_are_made_ahead_and_serve_again() {
    let mut call = Call::with(writing("This is one sentence. Here is another one.")).await;
    for turn in 0..4 {
        call.turn(turn).await;
        assert!(call.answer().await.ended);
    }
    let all = call.providers.all_seen();
    assert_eq!(all.len(), 16);
    let mut connections: Vec<u64> = all.iter().map(|seen| seen.connection).collect();
    connections.sort_unstable();
    connections.dedup();
    assert!(connections.len() <= 4, "one for the model, two for the voice: {connections:?}");
}

#[tokio::test]
async fn a_law_calls_hear_a_law() {
    let providers = Providers::start(Settings::default()).await;
    let mut session = engines(true).open(spec(&providers.endpoint(), &ProviderKey::None));
    session.begin(AudioFormat::Pcma);
    session.order(AgentOrder::Say { text: "Good morning to you.".to_owned() });
    let mut audio = Vec::new();
    loop {
        match next(&mut *session).await {
            AgentEvent::Audio { audio: more, .. } => audio.extend(more),
            AgentEvent::Answered => break,
            _ => {}
        }
    }
    let loudest = audio.iter().map(|byte| audio_codec_algorithms::decode_alaw(*byte)).max().unwrap();
    assert!((7_000..9_000).contains(&loudest), "{loudest}");
}
