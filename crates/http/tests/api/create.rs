//! `POST /api/outbound`.

use std::sync::atomic::Ordering;

use domain::access::Permission;
use domain::assistant::{Assistant, Engine};
use domain::call::EndedReason;
use domain::ids::AssistantId;
use domain::ports::{Assistants, Clock, Organizations};
use domain::scope::{Reach, Scope};
use domain::testing::deed;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::store::{self, assistant_of, number_of};
use crate::support::telephone::Mood;
use crate::support::{App, valid_create};

#[tokio::test(flavor = "multi_thread")]
async fn a_valid_request_is_answered_201_with_calling_two_ids_and_a_message() {
    let app = App::start().await;
    let answer = app.create(&json!({})).send().await;
    assert_eq!(answer.status, 201);
    assert_eq!(answer.header("content-type"), Some("application/json"));
    let body = answer.json();
    assert_eq!(body.as_object().unwrap().len(), 4);
    assert_eq!(body["status"], "calling");
    assert!(!body["message"].as_str().unwrap().is_empty());
    for id in ["outboundCallId", "contactId"] {
        Uuid::parse_str(body[id].as_str().unwrap()).unwrap();
    }
    assert_ne!(body["outboundCallId"], body["contactId"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_field_reaches_the_recorded_call() {
    let app = App::start().await;
    let answer = app
        .create(&json!({
            "phoneNumber": "+1 (415) 555-0123",
            "customerName": "Zoë 🙂",
            "dynamicVariables": {"first": "1", "empty": "", "ключ": "значение"},
            "callbackUrl": "https://example.com/hook?a=b",
            "somethingElse": {"ignored": [1, null]},
        }))
        .send()
        .await;
    assert_eq!(answer.status, 201, "{answer:?}");
    let call = &app.store.inner.calls()[0];
    assert_eq!(call.id.to_string(), answer.json()["outboundCallId"]);
    assert_eq!(call.contact.to_string(), answer.json()["contactId"]);
    assert_eq!(call.destination.as_str(), "+1 (415) 555-0123");
    assert_eq!(call.customer_name.as_deref(), Some("Zoë 🙂"));
    let variables: Vec<_> = call.variables.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    assert_eq!(variables, [("empty", ""), ("first", "1"), ("ключ", "значение")]);
    assert_eq!(call.callback_url.as_ref().unwrap().url().as_str(), "https://example.com/hook?a=b");
    assert_eq!((call.assistant, call.number), (store::ASSISTANT, store::NUMBER));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_was_not_placed_is_answered_failed_with_the_reason_in_words() {
    let app = App::start().await;
    for (mood, number, reason, word) in [
        (Mood::Unreachable, "+14155550123", EndedReason::TrunkUnreachable, "unreachable"),
        (Mood::Full, "+14155550123", EndedReason::CapacityExceeded, "no line"),
        (Mood::Takes, "+0000000000", EndedReason::InvalidNumber, "number"),
    ] {
        *app.telephony.mood.lock() = mood;
        let answer = app.create(&json!({"phoneNumber": number})).send().await;
        assert_eq!(answer.status, 201);
        let body = answer.json();
        assert_eq!(body["status"], "failed");
        assert!(body["message"].as_str().unwrap().contains(word), "{body}");
        let id = body["outboundCallId"].as_str().unwrap();
        let status = app.get(&format!("/api/outbound/{id}/status")).key(&app.key()).send().await.json();
        assert_eq!(status["status"], "failed");
        assert_eq!(status["callDetails"]["endedReason"], reason.as_str());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_wrong_field_has_its_detail_with_a_code() {
    let app = App::start().await;
    let long = |length: usize| Value::String("x".repeat(length));
    let url = |length: usize| Value::String(format!("https://example.com/{}", "x".repeat(length - 20)));
    for (field, value, expected) in [
        ("phoneNumber", json!(4_155_550_123_u64), "phoneNumber invalid_type"),
        ("phoneNumber", json!(null), "phoneNumber invalid_type"),
        ("phoneNumber", json!(""), "phoneNumber too_small"),
        ("phoneNumber", json!("+14155550"), "phoneNumber too_small"),
        ("phoneNumber", json!("+14155550123456789012"), "phoneNumber too_big"),
        ("phoneNumber", json!("+1415555O123"), "phoneNumber invalid_string"),
        ("phoneNumber", json!("١٢٣٤٥٦٧٨٩٠"), "phoneNumber invalid_string"),
        ("phoneNumber", json!("+1415555\r\n0123"), "phoneNumber invalid_string"),
        ("assistantId", json!("abc"), "assistantId invalid_string"),
        ("assistantId", json!(7), "assistantId invalid_type"),
        ("assistantId", json!("00000000000000000000000000032000"), "assistantId invalid_string"),
        ("phoneNumberId", json!("{00000000-0000-0000-0000-000000042000}"), "phoneNumberId invalid_string"),
        ("phoneNumberId", json!([]), "phoneNumberId invalid_type"),
        ("customerName", json!(1), "customerName invalid_type"),
        ("customerName", json!(null), "customerName invalid_type"),
        ("customerName", long(256), "customerName too_big"),
        ("dynamicVariables", json!(null), "dynamicVariables invalid_type"),
        ("dynamicVariables", json!("a=b"), "dynamicVariables invalid_type"),
        ("dynamicVariables", json!(["a"]), "dynamicVariables invalid_type"),
        ("dynamicVariables", json!({"a": 1}), "dynamicVariables.a invalid_type"),
        ("dynamicVariables", json!({"a": {"b": "c"}}), "dynamicVariables.a invalid_type"),
        ("dynamicVariables", json!({"a": null, "b": "fine"}), "dynamicVariables.a invalid_type"),
        ("dynamicVariables", json!({"a": long(32_769)}), "dynamicVariables.a too_big"),
        ("callbackUrl", json!(true), "callbackUrl invalid_type"),
        ("callbackUrl", json!(null), "callbackUrl invalid_type"),
        ("callbackUrl", json!("/hook"), "callbackUrl invalid_string"),
        ("callbackUrl", json!("https://"), "callbackUrl invalid_string"),
        ("callbackUrl", url(2_049), "callbackUrl too_big"),
        ("callbackUrl", json!("http://example.com/"), "callbackUrl custom"),
        ("callbackUrl", json!("ftp://example.com/"), "callbackUrl custom"),
        ("callbackUrl", json!("https://127.0.0.1/"), "callbackUrl custom"),
        ("callbackUrl", json!("https://[::1]/"), "callbackUrl custom"),
        ("callbackUrl", json!("https://0x7f.1/"), "callbackUrl custom"),
        ("callbackUrl", json!("https://169.254.169.254/latest"), "callbackUrl custom"),
        ("callbackUrl", json!("https://localhost/"), "callbackUrl custom"),
    ] {
        let answer = app.create(&json!({ field: value })).send().await;
        assert_eq!(answer.problems(), [expected], "{field} {value}");
    }
    assert!(app.store.inner.calls().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn values_at_the_edge_of_their_limits_are_taken() {
    let app = App::start().await;
    let variables: Value =
        (0..1_000).map(|n| (n.to_string(), json!("v"))).collect::<serde_json::Map<_, _>>().into();
    for body in [
        json!({"phoneNumber": "4155550123"}),
        json!({"phoneNumber": "+1 (415) 555-0123 00"}),
        json!({"customerName": "ü".repeat(255)}),
        json!({"customerName": ""}),
        json!({"dynamicVariables": {}}),
        json!({"dynamicVariables": variables}),
        json!({"dynamicVariables": {"long": "x".repeat(32_768)}}),
        json!({"callbackUrl": format!("https://example.com/{}", "x".repeat(2_028))}),
        json!({"callbackUrl": "http://127.0.0.9:8080/hook"}),
        json!({"assistantId": store::ASSISTANT.to_string().to_uppercase()}),
    ] {
        let answer = app.create(&body).send().await;
        assert_eq!(answer.status, 201, "{body} {answer:?}");
    }
}

const LONG_WINDED: AssistantId = AssistantId::from_uuid(Uuid::from_u128(0x3_9999));

/// An assistant of the usual organization that says this.
fn saying(first_message: &str) -> Assistant {
    let usual = store::assistant(store::TENANT, store::ORGANIZATION);
    let mut assistant = Assistant { id: LONG_WINDED, ..usual };
    let Engine::Builtin(script) = &mut assistant.engine else { unreachable!() };
    first_message.clone_into(&mut script.first_message);
    assistant
}

async fn add_assistant(app: &App, first_message: &str) {
    let assistant = saying(first_message);
    let deed = deed(assistant.created_at);
    app.store.inner.add_assistant(Reach::Everything, assistant, deed).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn variables_of_64_kib_are_taken_and_one_byte_more_is_not() {
    let app = App::start().await;
    // The names have one byte each, and "é" two.
    let variables = |rest: usize| json!({"a": "é".repeat(16_384), "b": "x".repeat(32_766 - rest), "c": ""});
    let answer = app.create(&json!({"dynamicVariables": variables(1)})).send().await;
    assert_eq!(answer.status, 201, "{answer:?}");
    let answer = app.create(&json!({"dynamicVariables": variables(0)})).send().await;
    assert_eq!(answer.problems(), ["dynamicVariables too_big"], "{answer:?}");
    let message = "Names and values must contain at most 65536 byte(s) in total";
    assert_eq!(answer.json()["details"][0]["message"], message);
    assert_eq!(app.store.inner.calls().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn values_that_fill_a_line_beyond_10000_characters_are_refused() {
    let app = App::start().await;
    add_assistant(&app, &"{{v}}{{customerName}}".repeat(80)).await;
    let call = |body: Value| {
        let mut whole = json!({"assistantId": LONG_WINDED.to_string(), "customerName": ""});
        whole.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
        app.create(&whole)
    };
    for (body, field) in [
        (json!({"dynamicVariables": {"v": "x".repeat(32_768)}}), "dynamicVariables"),
        (json!({"dynamicVariables": {"v": "x".repeat(126)}}), "dynamicVariables"),
        (json!({"customerName": "x".repeat(126)}), "customerName"),
        (
            json!({"customerName": "x".repeat(100), "dynamicVariables": {"v": "x".repeat(26)}}),
            "dynamicVariables",
        ),
    ] {
        let answer = call(body).send().await;
        assert_eq!((answer.status, answer.problems()), (400, vec![format!("{field} too_big")]), "{answer:?}");
        assert_eq!(answer.json()["error"], "Invalid request data");
        let message = "Each line of the assistant must contain at most 10000 character(s) when filled";
        assert_eq!(answer.json()["details"][0]["message"], message);
    }
    assert!(app.store.inner.calls().is_empty());
    assert_eq!(app.telephony.prepared.load(Ordering::SeqCst), 0);
    let answer = call(json!({"dynamicVariables": {"v": "x".repeat(125)}})).send().await;
    assert_eq!(answer.status, 201, "{answer:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn assistant_whose_own_values_are_too_long_is_named() {
    let app = App::start().await;
    add_assistant(&app, &"x".repeat(10_001)).await;
    let answer = app.create(&json!({"assistantId": LONG_WINDED.to_string()})).send().await;
    assert_eq!((answer.status, answer.problems()), (400, vec!["assistantId too_big".to_owned()]));
}

#[tokio::test(flavor = "multi_thread")]
async fn replay_is_answered_though_the_assistant_grew() {
    let app = App::start().await;
    add_assistant(&app, "{{v}}").await;
    let body = json!({"assistantId": LONG_WINDED.to_string(), "dynamicVariables": {"v": "x".repeat(1_000)}});
    let keyed = || app.create(&body).header("Idempotency-Key", "order-1");
    let first = keyed().send().await;
    assert_eq!(first.status, 201, "{first:?}");
    let longer = saying(&"{{v}}".repeat(800));
    let deed = deed(longer.created_at);
    app.store.inner.revise_assistant(Reach::Everything, longer, None, deed).await.unwrap();
    assert_eq!(app.create(&body).send().await.problems(), ["dynamicVariables too_big"]);
    let again = keyed().send().await;
    assert_eq!((again.status, again.header("idempotency-replayed")), (201, Some("true")));
    assert_eq!(again.body, first.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn all_problems_of_a_request_are_told_at_once() {
    let app = App::start().await;
    let request = app.post("/api/outbound").key(&app.key());
    let missing = request.clone().json(&json!({})).send().await;
    assert_eq!(
        missing.problems(),
        ["assistantId invalid_type", "phoneNumber invalid_type", "phoneNumberId invalid_type"]
    );
    assert_eq!(missing.json()["details"][0]["message"], "Required");
    let wrong = json!({
        "phoneNumber": "123", "assistantId": "x", "phoneNumberId": 1, "customerName": [],
        "dynamicVariables": {"a": 1, "b": true, "c": "fine"}, "callbackUrl": "http://example.com",
    });
    let answer = request.clone().json(&wrong).send().await;
    assert_eq!(
        answer.problems(),
        [
            "assistantId invalid_string",
            "callbackUrl custom",
            "customerName invalid_type",
            "dynamicVariables.a invalid_type",
            "dynamicVariables.b invalid_type",
            "phoneNumber too_small",
            "phoneNumberId invalid_type",
        ]
    );
    // Field names are case-sensitive.
    let shouted = json!({"PhoneNumber": "+14155550123", "assistantid": "x", "phone_number_id": "x"});
    assert_eq!(request.json(&shouted).send().await.problems().len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn too_many_variables_are_one_problem() {
    let app = App::start().await;
    let many: serde_json::Map<_, _> = (0..1_001).map(|n| (n.to_string(), json!(n))).collect();
    let answer = app.create(&json!({"dynamicVariables": many})).send().await;
    assert_eq!(answer.problems(), ["dynamicVariables too_big"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn assistant_and_number_have_to_be_of_the_keys_organization() {
    let app = App::start().await;
    let elsewhere = [store::SISTER, store::FOREIGN];
    let unknown = Uuid::from_u128(0xDEAD).to_string();
    let mut bodies = vec![json!({"assistantId": unknown}), json!({"phoneNumberId": unknown})];
    for organization in elsewhere {
        let (assistant, number) =
            (assistant_of(organization).to_string(), number_of(organization).to_string());
        bodies.push(json!({"assistantId": assistant}));
        bodies.push(json!({"phoneNumberId": number}));
        bodies.push(json!({"assistantId": assistant, "phoneNumberId": number}));
    }
    for body in bodies {
        let answer = app.create(&body).send().await;
        assert_eq!(answer.error(404), "Assistant or phone number not found", "{body}");
    }
    assert_eq!(app.telephony.prepared.load(Ordering::SeqCst), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tenant_key_reaches_each_organization_of_its_tenant_but_never_two_at_once() {
    let app = App::start().await;
    let key = app.key_for(Scope::Tenant(store::TENANT), &Permission::ALL);
    let body = |assistant, number| {
        json!({
            "phoneNumber": "+14155550123",
            "assistantId": assistant_of(assistant).to_string(),
            "phoneNumberId": number_of(number).to_string(),
        })
    };
    for (assistant, number, status) in [
        (store::ORGANIZATION, store::ORGANIZATION, 201),
        (store::SISTER, store::SISTER, 201),
        (store::SISTER, store::ORGANIZATION, 404),
        (store::FOREIGN, store::FOREIGN, 404),
    ] {
        let request = app.post("/api/outbound").key(&key).json(&body(assistant, number));
        assert_eq!(request.send().await.status, status);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_inactive_organization_cannot_start_outbound_calls() {
    let app = App::start().await;
    let own = app.key_for(Scope::Organization(store::TENANT, store::CLOSING), &Permission::ALL);
    let tenants = app.key_for(Scope::Tenant(store::TENANT), &Permission::ALL);
    let mut body = valid_create();
    body["assistantId"] = assistant_of(store::CLOSING).to_string().into();
    body["phoneNumberId"] = number_of(store::CLOSING).to_string().into();
    let request = app.post("/api/outbound").json(&body);
    assert_eq!(request.clone().key(&own).send().await.status, 201);
    app.store.inner.remove(Reach::Everything, store::CLOSING, deed(app.clock.now())).await.unwrap();
    for key in [own, tenants] {
        assert_eq!(request.clone().key(&key).send().await.error(422), "Organization is inactive");
    }
    assert_eq!(app.store.inner.calls().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draining_node_takes_no_calls() {
    let app = App::start().await;
    app.supervisor.close();
    let answer = app.create(&json!({})).send().await;
    answer.error(503);
    assert!(answer.number("retry-after") > 0);
    assert!(app.store.inner.calls().is_empty());
}
