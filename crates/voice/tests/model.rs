//! The language model against a double of `chat/completions`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

#[expect(unreachable_pub, reason = "shared with the tests of other engines")]
mod decoy;

use std::sync::Arc;
use std::time::Duration;

use decoy::Decoy;
use domain::assistant::BoundKey;
use domain::network::{AddressPolicy, Network, Origin};
use domain::ports::{LanguageModel, ModelError, Prompt};
use domain::secret::Secret;
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use serde_json::{Value, json};
use test_providers::{Behaviour, Providers, Service, Settings, Written};
use url::Url;
use voice::{ChatModel, ModelSettings};

const LIMIT: Duration = Duration::from_secs(2);

fn settings(providers: &Providers, key: Option<&str>) -> ModelSettings {
    let tls = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth();
    let allowed = vec![Network::parse("127.0.0.0/8").unwrap()];
    ModelSettings {
        endpoint: providers.endpoint(),
        model: "reader".to_owned(),
        key: key.map(|key| BoundKey::new(Secret::new(key.to_owned()), origin(&providers.endpoint()))),
        timeout: LIMIT,
        policy: AddressPolicy { allowed, own: Vec::new() },
        tls: Arc::new(tls),
    }
}

fn origin(endpoint: &Url) -> Origin {
    Origin::of(endpoint).unwrap()
}

#[tokio::test]
async fn key_is_not_sent_to_another_origin() {
    let (providers, decoy) = (Providers::start(Settings::default()).await, Decoy::start().await);
    let mut elsewhere = settings(&providers, Some("sk-model"));
    elsewhere.endpoint = decoy.url("http");
    let refused = ChatModel::new(elsewhere).unwrap_err().to_string();
    assert!(refused.contains("may only be sent to") && !refused.contains("sk-"), "{refused}");
    decoy.saw_nothing().await;
}

#[tokio::test]
async fn key_does_not_follow_a_redirect() {
    let decoy = Decoy::start().await;
    let redirecting = Decoy::redirecting_to(&decoy.url("http")).await;
    let providers = Providers::start(Settings::default()).await;
    let mut settings = settings(&providers, None);
    settings.endpoint = redirecting.url("http");
    settings.key = Some(BoundKey::new(Secret::new("sk-model".to_owned()), origin(&settings.endpoint)));
    assert!(is_unavailable(ChatModel::new(settings).unwrap().complete(&prompt()).await));
    decoy.saw_nothing().await;
}

async fn model(written: Written) -> (Providers, ChatModel) {
    let writes = move |_: &Value| written.clone();
    let settings_of_double =
        Settings { key: Some("sk-model".to_owned()), writes: Arc::new(writes), ..Settings::default() };
    let providers = Providers::start(settings_of_double).await;
    let model = ChatModel::new(settings(&providers, Some("sk-model"))).unwrap();
    (providers, model)
}

fn prompt() -> Prompt {
    let schema = json!({"type": "object", "properties": {"intent": {"type": ["string", "null"]}},
        "required": ["intent"], "additionalProperties": false});
    Prompt {
        system: "Read this.".to_owned(),
        user: "Customer: Hello.".to_owned(),
        schema: ("analysis".to_owned(), schema),
    }
}

fn bodies(providers: &Providers) -> Vec<Value> {
    providers.seen(Service::Chat).into_iter().map(|seen| seen.body).collect()
}

fn is_unavailable(outcome: Result<Value, ModelError>) -> bool {
    match outcome.unwrap_err() {
        ModelError::Unavailable(source) => {
            let cause = source.to_string();
            assert!(!cause.contains("sk-model") && !cause.contains("Hello"), "{cause}");
            true
        }
        ModelError::Unusable(_) => false,
    }
}

#[tokio::test]
async fn a_model_is_asked_for_an_answer_of_a_strict_form() {
    let (providers, model) = model(Written::text("{\"intent\": null}")).await;
    assert_eq!(model.name(), "reader");
    assert_eq!(model.complete(&prompt()).await.unwrap(), json!({"intent": null}));
    let seen = &providers.seen(Service::Chat)[0];
    assert_eq!(seen.authorization.as_deref(), Some("Bearer sk-model"));
    assert_eq!(
        seen.body,
        json!({
            "model": "reader",
            "messages": [
                {"role": "system", "content": "Read this."},
                {"role": "user", "content": "Customer: Hello."}
            ],
            "temperature": 0,
            "max_completion_tokens": 4096,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "analysis", "strict": true, "schema": prompt().schema.1}
            }
        })
    );
}

#[tokio::test]
async fn a_server_that_knows_no_schemas_is_told_in_words_and_not_asked_that_again() {
    let (providers, model) = model(Written::text("```json\n{\"intent\": \"sale\"}\n```")).await;
    providers
        .next(Service::Chat, Behaviour::Object("'response_format.type' must be 'json_object' or 'text'"));
    for _ in 0..2 {
        assert_eq!(model.complete(&prompt()).await.unwrap(), json!({"intent": "sale"}));
    }
    let bodies = bodies(&providers);
    let forms: Vec<&Value> = bodies.iter().map(|body| &body["response_format"]["type"]).collect();
    assert_eq!(forms, ["json_schema", "json_object", "json_object"]);
    let system = bodies[1]["messages"][0]["content"].as_str().unwrap();
    assert!(system.starts_with("Read this.\n") && system.contains("\"additionalProperties\":false"));
}

#[tokio::test]
async fn what_a_server_does_not_take_is_left_out_one_after_the_other() {
    let (providers, model) = model(Written::text("{\"intent\": null}")).await;
    for objection in [
        "Unsupported value: 'temperature' does not support 0 with this model.",
        "Unrecognized request argument supplied: max_completion_tokens",
        "json_schema is not supported",
        "unknown field response_format",
    ] {
        providers.next(Service::Chat, Behaviour::Object(objection));
    }
    model.complete(&prompt()).await.unwrap();
    model.complete(&prompt()).await.unwrap();
    let bodies = bodies(&providers);
    assert_eq!(bodies.len(), 6);
    for body in &bodies[4..] {
        let keys: Vec<&String> = body.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["messages", "model"]);
    }
}

#[tokio::test]
async fn a_refusal_of_the_prompt_itself_is_no_reason_to_ask_in_another_manner() {
    let (providers, model) = model(Written::text("{\"intent\": null}")).await;
    providers.next(Service::Chat, Behaviour::Object("This model's maximum context length is 8192 tokens."));
    assert!(!is_unavailable(model.complete(&prompt()).await));
    assert_eq!(bodies(&providers).len(), 1);
    model.complete(&prompt()).await.unwrap();
    assert_eq!(bodies(&providers)[1]["response_format"]["type"], "json_schema");
}

#[tokio::test]
async fn an_answer_that_is_none_cannot_be_used() {
    let refused = Written { refusal: Some("I cannot help with that."), ..Written::default() };
    let cut = Written { finish_reason: Some("length"), ..Written::text("{\"intent\": \"sa") };
    let filtered = Written { finish_reason: Some("content_filter"), ..Written::default() };
    for written in [refused, cut, filtered, Written::text("I would say it was a sale.")] {
        let (_providers, model) = model(written.clone()).await;
        assert!(!is_unavailable(model.complete(&prompt()).await), "{written:?}");
    }
    let (providers, model) = model(Written::default()).await;
    for body in [vec![b' '; 2 * 1024 * 1024], b"<html>".to_vec()] {
        providers.next(Service::Chat, Behaviour::Raw("application/json", body));
        assert!(!is_unavailable(model.complete(&prompt()).await));
    }
}

#[tokio::test]
async fn a_provider_that_is_away_busy_or_slow_is_unavailable() {
    for behaviour in [
        Behaviour::Status(401),
        Behaviour::Status(404),
        Behaviour::Status(429),
        Behaviour::Status(503),
        Behaviour::HangUp,
        Behaviour::DropAfter(20),
        Behaviour::StallAfter(20),
        Behaviour::Mute,
    ] {
        let (providers, model) = model(Written::text("{\"intent\": null}")).await;
        providers.next(Service::Chat, behaviour.clone());
        assert!(is_unavailable(model.complete(&prompt()).await), "{behaviour:?}");
        assert_eq!(bodies(&providers).len(), 1, "{behaviour:?}");
        model.complete(&prompt()).await.unwrap();
    }
    let (providers, _) = model(Written::default()).await;
    let stranger = ChatModel::new(settings(&providers, Some("sk-other"))).unwrap();
    assert!(is_unavailable(stranger.complete(&prompt()).await));
    assert!(ChatModel::new(settings(&providers, Some("a\nb"))).is_err());
}

#[tokio::test]
async fn an_address_inside_is_refused_unless_it_is_allowed() {
    let (providers, _) = model(Written::text("{}")).await;
    let strict = ModelSettings { policy: AddressPolicy::default(), ..settings(&providers, None) };
    assert!(is_unavailable(ChatModel::new(strict).unwrap().complete(&prompt()).await));
    assert!(providers.all_seen().is_empty());
}
