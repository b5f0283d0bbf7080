//! What providers do wrong: what is got over, and what ends the session.

use std::sync::Arc;
use std::time::Duration;

use domain::ports::{AgentEvent, AgentOrder};
use serde_json::json;
use test_providers::{Behaviour, Piece, Service, Settings, Written, pitch};
use tokio::time::Instant;

use crate::support::{Call, STALL, Told};

const ALL: [Service; 3] = [Service::Transcription, Service::Chat, Service::Speech];

/// A turn and its answer, after a service was told to do these.
async fn after(service: Service, behaviours: &[Behaviour]) -> (Call, Told) {
    let mut call = Call::with(Settings { key: Some("sk-secret".to_owned()), ..Settings::default() }).await;
    for behaviour in behaviours {
        call.providers.next(service, behaviour.clone());
    }
    call.turn(0).await;
    let told = call.answer().await;
    (call, told)
}

#[tokio::test]
async fn a_service_that_fails_once_is_asked_once_more() {
    for service in ALL {
        for behaviour in [
            Behaviour::Status(500),
            Behaviour::Status(503),
            Behaviour::HangUp,
            Behaviour::DropAfter(0),
            Behaviour::StallAfter(10),
            Behaviour::Mute,
        ] {
            let (call, told) = after(service, std::slice::from_ref(&behaviour)).await;
            assert_eq!((told.broken, told.words.as_str()), (None, "I see."), "{service:?} {behaviour:?}");
            assert_eq!(call.providers.seen(service).len(), 2);
        }
    }
}

#[tokio::test]
async fn a_service_that_fails_twice_ends_the_session_and_the_cause_names_it() {
    for (service, name) in
        [(ALL[0], "audio/transcriptions: "), (ALL[1], "chat/completions: "), (ALL[2], "audio/speech: ")]
    {
        for behaviour in [Behaviour::Status(502), Behaviour::HangUp, Behaviour::Mute, Behaviour::DropAfter(9)]
        {
            // A kept connection that closes without a byte is no answer to the request, and not counted.
            let closes = matches!(behaviour, Behaviour::HangUp | Behaviour::DropAfter(_));
            let most = if closes { 4 } else { 2 };
            let (call, told) = after(service, &vec![behaviour.clone(); most]).await;
            let cause = told.broken.unwrap_or_else(|| panic!("{service:?} gets over {behaviour:?}"));
            assert!(cause.starts_with(name), "{cause}");
            for secret in ["sk-secret", "127.0.0.1", "Hello", "I see"] {
                assert!(!cause.contains(secret), "{cause}");
            }
            assert!((2..=most).contains(&call.providers.seen(service).len()), "{behaviour:?}");
        }
    }
}

#[tokio::test]
async fn what_would_not_help_is_not_asked_again() {
    for service in ALL {
        for behaviour in [
            Behaviour::Status(401),
            Behaviour::Status(403),
            Behaviour::Status(400),
            Behaviour::Status(404),
            Behaviour::Status(302),
            Behaviour::RetryAfter(429, 3),
            Behaviour::Raw("text/html", b"<html>".to_vec()),
            Behaviour::Raw("application/json", b"{".to_vec()),
            Behaviour::Raw("", b"".to_vec()),
        ] {
            // A voice without a type and without sound says nothing, which is no fault.
            if service == Service::Speech && matches!(behaviour, Behaviour::Raw("", _)) {
                continue;
            }
            let (call, told) = after(service, std::slice::from_ref(&behaviour)).await;
            assert!(told.broken.is_some(), "{service:?} {behaviour:?}");
            assert_eq!(call.providers.seen(service).len(), 1, "{service:?} {behaviour:?}");
        }
    }
}

#[tokio::test]
async fn a_provider_that_names_a_short_wait_is_given_it() {
    let began = Instant::now();
    let (_, told) = after(Service::Chat, &[Behaviour::RetryAfter(429, 1)]).await;
    assert_eq!(told.words, "I see.");
    assert!(began.elapsed() >= Duration::from_secs(1));
}

#[tokio::test]
async fn an_answer_that_breaks_off_after_its_first_sentence_goes_on_from_there() {
    let first = "data: {\"choices\":[{\"delta\":{\"content\":\"Good morning to you. \"}}]}\n\n";
    for (behaviour, writes) in [
        (Behaviour::StallAfter(400), "And how are you"),
        (Behaviour::DropAfter(400), "And how are you"),
        (Behaviour::Raw("text/event-stream", format!("{first}data: {{\"choices\":[{{\"delta\":{{\"content\":\"And\"}}}}]}}\n\ndata: {{\"error\":{{\"message\":\"overloaded\"}}}}\n\n").into()), "And how are you"),
        (Behaviour::Raw("text/event-stream", format!("{first}data: {{\"choices\":[{{\"delta\":{{\"content\":\"And\"}}}}]}}\n\n").into()), "And how are you"),
    ] {
        let writes = move |request: &serde_json::Value| {
            if request["messages"].as_array().unwrap().len() > 1 {
                return Written::text(writes);
            }
            let event = |text: &str| Piece::Raw(format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n").into());
            Written::of(vec![event("Good morning to you. "), event("And this"), event(&"x".repeat(2_000))])
        };
        let mut call = Call::with(Settings { writes: Arc::new(writes), ..Settings::default() }).await;
        call.providers.next(Service::Chat, behaviour.clone());
        call.order(AgentOrder::Answer);
        let told = call.answer().await;
        assert_eq!((told.words.as_str(), told.broken), ("Good morning to you. And how are you", None), "{behaviour:?}");
        let messages = call.messages(1);
        assert_eq!(messages[0], json!({"role": "assistant", "content": "Good morning to you. "}));
        assert_eq!(messages[1]["role"], "system");
    }
}

#[tokio::test]
async fn a_voice_that_breaks_off_goes_on_where_it_was() {
    let text = "This is a rather long sentence, to be heard whole.";
    for behaviour in [Behaviour::DropAfter(12_345), Behaviour::StallAfter(7_777)] {
        let mut call = Call::with(Settings::default()).await;
        call.providers.next(Service::Speech, behaviour);
        call.order(AgentOrder::Say { text: text.to_owned() });
        let told = call.answer().await;
        assert_eq!(told.words, text);
        let length = text.len() * 80;
        assert!((length..=length + 80).contains(&told.audio.len()), "{} for {length}", told.audio.len());
        assert_eq!(told.pitches(&[text]), [pitch(text)]);
    }
}

#[tokio::test]
async fn sound_in_another_format_is_not_played() {
    for (kind, body) in
        [("audio/mpeg", &b"xxxx"[..]), ("audio/wav", b"xxxx"), ("audio/pcm", b"RIFFxxxx"), ("", b"ID3xx")]
    {
        let (call, told) = after(Service::Speech, &[Behaviour::Raw(kind, body.to_vec())]).await;
        assert_eq!(
            told.broken.as_deref(),
            Some("audio/speech: the voice answers in another format than pcm")
        );
        assert_eq!((told.audio.len(), call.providers.seen(Service::Speech).len()), (0, 1));
    }
}

#[tokio::test]
async fn lines_and_answers_without_end_end_the_session() {
    let long = vec![b'x'; 300 * 1024];
    let line = [b"data: ", long.as_slice()].concat();
    let text = json!({"text": "x".repeat(100_000)}).to_string();
    for (service, behaviour) in [
        (Service::Chat, Behaviour::Raw("text/event-stream", line)),
        (Service::Chat, Behaviour::Raw("application/json", vec![b' '; 2 * 1024 * 1024])),
        (Service::Transcription, Behaviour::Raw("application/json", text.into_bytes())),
    ] {
        let (call, told) = after(service, &[behaviour]).await;
        assert!(told.broken.is_some_and(|cause| cause.ends_with("too long")));
        assert_eq!(call.providers.seen(service).len(), 1);
    }
}

#[tokio::test]
async fn of_a_model_that_never_stops_some_minutes_are_heard() {
    let writes = |_: &serde_json::Value| Written::text(&"And so it goes on, as ever. ".repeat(1_000));
    let mut call = Call::with(Settings { writes: Arc::new(writes), ..Settings::default() }).await;
    call.order(AgentOrder::Answer);
    let told = call.answer().await;
    assert!((3_900..4_200).contains(&told.words.len()), "{}", told.words.len());
    assert!(told.ended && told.broken.is_none());
}

#[tokio::test]
async fn a_connection_that_was_closed_meanwhile_is_no_fault() {
    let (mut call, told) = after(Service::Chat, &[Behaviour::HangUp]).await;
    assert_eq!(told.words, "I see.");
    // The server closes every kept connection: the next request finds a new one, without a wait.
    let before = call.providers.seen(Service::Chat).len();
    call.providers.close_idle();
    let began = Instant::now();
    call.order(AgentOrder::Answer);
    assert_eq!(call.answer().await.words, "I see.");
    assert!(began.elapsed() < STALL);
    assert_eq!(call.providers.seen(Service::Chat).len(), before + 1);
}

#[tokio::test]
async fn a_session_that_is_dropped_closes_its_connections() {
    let mut call = Call::with(Settings::default()).await;
    call.providers.next(Service::Chat, Behaviour::Mute);
    call.order(AgentOrder::Answer);
    call.asked(Service::Chat, 1).await;
    call.hang_up().all_closed().await;
}

#[tokio::test]
async fn a_broken_session_tells_nothing_more() {
    let (mut call, told) = after(Service::Chat, &[Behaviour::Status(401)]).await;
    assert!(told.broken.is_some());
    call.order(AgentOrder::Answer);
    let more = tokio::time::timeout(Duration::from_millis(50), call.event()).await;
    assert!(more.is_err(), "{more:?}");
    assert!(!matches!(more, Ok(AgentEvent::Answered)));
}
