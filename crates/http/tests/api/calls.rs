//! `GET /api/calls/{id}`.

use domain::access::Permission;
use domain::call::{CallType, Ended, EndedReason};
use domain::ids::AssistantId;
use domain::ports::{Assistants, Organizations};
use domain::scope::{Reach, Scope};
use domain::testing::{LaidCall, LaysCalls, deed};
use serde_json::{Value, json};
use time::macros::datetime;
use uuid::Uuid;

use crate::support::store::{ORGANIZATION, SISTER, assistant_of, number_of};
use crate::support::{App, store};

const NOT_FOUND: &str = "Call not found for the provided ID";

fn path(id: impl std::fmt::Display) -> String {
    format!("/api/calls/{id}")
}

async fn detail(app: &App, id: impl std::fmt::Display) -> Value {
    let answer = app.get(&path(id)).key(&app.key()).send().await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.number("x-ratelimit-limit"), 1210);
    answer.json()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_outbound_call_has_its_record_under_the_same_id_from_acceptance_on() {
    let app = App::start().await;
    let created = app.create(&json!({"customerName": "Ada"})).send().await.json();
    let id = created["outboundCallId"].as_str().unwrap();
    assert_eq!(
        detail(&app, id).await,
        json!({
            "id": id,
            "organizationId": ORGANIZATION.to_string(),
            "callType": "Outbound",
            "agentId": store::ASSISTANT.to_string(),
            "agentName": "Ada",
            "teamId": null,
            "teamName": null,
            "phoneNumber": "+14155550100",
            "callStartedAt": null,
            "callEndedAt": null,
            "callDurationSeconds": null,
            "callEndedReason": null,
            "userName": "Ada",
            "userPhoneNumber": "+14155550123",
            "userPrimaryIntent": null,
            "userSentiment": null,
            "callOutcome": null,
            "callSummary": null,
            "callSummaryFr": null,
            "transcriptUrl": null,
            "recordingUrl": null,
            "createdAt": "2026-03-01T09:30:00.000Z",
        })
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_finished_call_shows_when_and_why_it_ended_and_its_seconds_as_a_string() {
    let app = App::start().await;
    let started = datetime!(2026-03-01 09:30:05.250 UTC);
    let ended_at = datetime!(2026-03-01 09:31:07.249 UTC);
    for (reason, started_at, duration) in [
        (EndedReason::CustomerEndedCall, Some(started), json!("61")),
        (EndedReason::AssistantError, Some(ended_at), json!("0")),
        (EndedReason::CustomerBusy, None, Value::Null),
        (EndedReason::NoAnswer, None, Value::Null),
    ] {
        let id = app.placed().await;
        app.store.end(&id, Ended { reason, started_at, ended_at }).await;
        let record = detail(&app, &id).await;
        assert_eq!(record["callDurationSeconds"], duration);
        assert_eq!(record["callEndedReason"], reason.as_str());
        assert_eq!(record["callEndedAt"], "2026-03-01T09:31:07.249Z");
        assert_eq!(record["callStartedAt"].is_null(), started_at.is_none());
        if started_at == Some(started) {
            assert_eq!(record["callStartedAt"], "2026-03-01T09:30:05.250Z");
        }
        assert_eq!(record["userName"], Value::Null);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn inbound_and_web_calls_show_all_that_is_known_of_them() {
    let app = App::start().await;
    let bare = LaidCall::bare(store::TENANT, ORGANIZATION, 60);
    let reason = EndedReason::AssistantForwardedCall;
    let text = |text: &str| Some(text.to_owned());
    let known = LaidCall {
        call_type: CallType::Inbound,
        assistant: Some(assistant_of(ORGANIZATION)),
        number: Some(number_of(ORGANIZATION)),
        user_number: text("+14165550199"),
        user_name: text("Zoë"),
        ended: Some(Ended {
            reason,
            started_at: Some(datetime!(2026-03-01 09:30 UTC)),
            ended_at: datetime!(2026-03-01 11:00:00.999 UTC),
        }),
        user_primary_intent: text("book_appointment"),
        user_sentiment: text("positive"),
        outcome: text("transferred_to_human"),
        summary: text("Zoë asked for an appointment."),
        summary_fr: text("Zoë a demandé un rendez-vous."),
        ..LaidCall::bare(store::TENANT, ORGANIZATION, 0)
    };
    app.store.inner.lay(&[bare.clone(), known.clone()]).await.unwrap();
    assert_eq!(
        detail(&app, known.id).await,
        json!({
            "id": known.id.to_string(),
            "organizationId": ORGANIZATION.to_string(),
            "callType": "Inbound",
            "agentId": store::ASSISTANT.to_string(),
            "agentName": "Ada",
            "teamId": null,
            "teamName": null,
            "phoneNumber": "+14155550100",
            "callStartedAt": "2026-03-01T09:30:00.000Z",
            "callEndedAt": "2026-03-01T11:00:00.999Z",
            "callDurationSeconds": "5400",
            "callEndedReason": "assistant-forwarded-call",
            "userName": "Zoë",
            "userPhoneNumber": "+14165550199",
            "userPrimaryIntent": "book_appointment",
            "userSentiment": "positive",
            "callOutcome": "transferred_to_human",
            "callSummary": "Zoë asked for an appointment.",
            "callSummaryFr": "Zoë a demandé un rendez-vous.",
            "transcriptUrl": null,
            "recordingUrl": null,
            "createdAt": "2026-03-01T09:30:00.000Z",
        })
    );
    let record = detail(&app, bare.id).await;
    assert_eq!(record.as_object().unwrap().len(), 22);
    let told = ["id", "organizationId", "callType", "createdAt"];
    for (field, value) in record.as_object().unwrap() {
        assert_eq!(value.is_null(), !told.contains(&field.as_str()), "{field}");
    }
    assert_eq!(record["callType"], "Web");
    assert_eq!(record["createdAt"], "2026-03-01T09:31:00.000Z");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_team_that_owns_the_assistant_is_told() {
    let app = App::start().await;
    let mut assistant = store::assistant(store::TENANT, ORGANIZATION);
    assistant.id = AssistantId::from_uuid(Uuid::from_u128(0x3333));
    assistant.team = Some("Front desk".into());
    app.store
        .inner
        .add_assistant(Reach::Everything, assistant.clone(), deed(assistant.created_at))
        .await
        .unwrap();
    let mut calls = [0, 1].map(|second| LaidCall::bare(store::TENANT, ORGANIZATION, second));
    for call in &mut calls {
        call.assistant = Some(assistant.id);
    }
    app.store.inner.lay(&calls).await.unwrap();
    let record = detail(&app, calls[0].id).await;
    assert_eq!(record["teamName"], "Front desk");
    Uuid::parse_str(record["teamId"].as_str().unwrap()).unwrap();
    assert_eq!(record["teamId"], detail(&app, calls[1].id).await["teamId"]);
    assert_eq!(record["agentId"], assistant.id.to_string());
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_foreign_and_malformed_ids_get_the_same_404_to_the_byte() {
    let app = App::start().await;
    let id = app.placed().await;
    let sister = app.key_for(Scope::Organization(store::TENANT, SISTER), &Permission::ALL);
    let foreign = app.key_for(Scope::Tenant(store::OTHER_TENANT), &Permission::ALL);
    let own = app.key();
    let mut bodies = Vec::new();
    for (key, id) in [
        (&sister, id.as_str()),
        (&foreign, id.as_str()),
        (&own, Uuid::from_u128(0xDEAD).to_string().as_str()),
        (&own, id.replace('-', "").as_str()),
        (&own, "x"),
        (&own, "%00"),
        (&own, "%FF%FE"),
        (&own, "..%2F.."),
        (&own, &"9".repeat(2_000)),
    ] {
        let answer = app.get(&path(id)).key(key).send().await;
        assert_eq!(answer.error(404), NOT_FOUND, "{id}");
        bodies.push(answer.body);
    }
    bodies.dedup();
    assert_eq!(bodies.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_of_both_levels_read_it_also_after_the_organizations_deletion() {
    let app = App::start().await;
    let id = app.placed().await;
    let tenants = app.key_for(Scope::Tenant(store::TENANT), &[Permission::CallsRead]);
    let own = app.key_for(store::HOME, &[Permission::CallsRead]);
    for deleted in [false, true] {
        if deleted {
            let at = datetime!(2026-03-02 00:00 UTC);
            assert!(app.store.inner.remove(Reach::Everything, ORGANIZATION, deed(at)).await.unwrap());
        }
        for key in [&tenants, &own] {
            assert_eq!(app.get(&path(&id)).key(key).send().await.json()["id"], id);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn call_logs_ask_for_their_permission_before_anything_else() {
    let app = App::start().await;
    let others = [Permission::OutboundRead, Permission::OutboundCreate];
    for scope in [store::HOME, Scope::Tenant(store::TENANT)] {
        let (unfit, fit) = (app.key_for(scope, &others), app.key_for(scope, &[Permission::CallsRead]));
        for target in ["/api/calls/x", "/api/calls", "/api/calls?page=0"] {
            let request = app.get(target);
            assert_eq!(request.send().await.error(401), "Invalid or missing API key");
            let refused = request.clone().key(&unfit).send().await;
            assert_eq!(refused.error(403), "Insufficient permissions");
            let taken = request.key(&fit).send().await;
            assert!([400, 404].contains(&taken.status), "{taken:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_is_away_gives_503() {
    let app = App::start().await;
    let key = app.key();
    app.store.inner.set_away(true);
    for target in [path(Uuid::from_u128(1)), format!("/api/calls?organizationId={ORGANIZATION}")] {
        let answer = app.get(&target).key(&key).send().await;
        assert_eq!(answer.error(503), "The service is temporarily unavailable");
    }
}
