//! `GET /api/calls`.

use domain::access::Permission;
use domain::call::{CallType, Ended, EndedReason};
use domain::ids::AssistantId;
use domain::ports::Assistants;
use domain::scope::{Reach, Scope};
use domain::testing::{LaidCall, LaysCalls, deed, moment};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::store::{FOREIGN, ORGANIZATION, SISTER};
use crate::support::wire::Answer;
use crate::support::{App, store};

const NOT_FOUND: &str = "Organization not found";

/// A web call of the usual organization, made so many seconds after 09:30.
fn call(second: u64) -> LaidCall {
    LaidCall::bare(store::TENANT, ORGANIZATION, second)
}

/// The same, which lasted so many seconds.
fn lasting(second: u64, seconds: u64) -> LaidCall {
    let ended = Ended {
        reason: EndedReason::CustomerEndedCall,
        started_at: Some(moment(second)),
        ended_at: moment(second + seconds),
    };
    LaidCall { ended: Some(ended), ..call(second) }
}

/// The usual organization's list; calls are known by the second they were made in.
struct Listed {
    app: App,
    calls: Vec<LaidCall>,
}

impl Listed {
    async fn of(calls: Vec<LaidCall>) -> Self {
        let app = App::start().await;
        app.store.inner.lay(&calls).await.unwrap();
        Self { app, calls }
    }

    async fn ask(&self, query: &str) -> Answer {
        let target = format!("/api/calls?organizationId={ORGANIZATION}&{query}");
        self.app.get(&target).key(&self.app.key()).send().await
    }

    async fn seconds(&self, query: &str) -> Vec<i64> {
        let answer = self.ask(query).await;
        assert_eq!(answer.status, 200, "{query} {answer:?}");
        let body = answer.json();
        let second = |item: &Value| {
            let known = self.calls.iter().find(|call| item["id"] == call.id.to_string()).unwrap();
            (known.created_at - moment(0)).whole_seconds()
        };
        let listed: Vec<_> = body["calls"].as_array().unwrap().iter().map(second).collect();
        if !query.contains("page") && !query.contains("limit") {
            assert_eq!(body["pagination"]["total"], listed.len());
        }
        listed
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_holds_basic_information_newest_first_and_says_where_the_page_stands() {
    let app = App::start().await;
    let id = app.placed().await;
    let older = LaidCall { call_type: CallType::Inbound, ..lasting(0, 61) };
    let older = LaidCall { created_at: older.created_at - time::Duration::SECOND, ..older };
    app.store.inner.lay(std::slice::from_ref(&older)).await.unwrap();
    let target = format!("/api/calls?organizationId={ORGANIZATION}");
    let answer = app.get(&target).key(&app.key()).send().await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.number("x-ratelimit-limit"), 600);
    assert_eq!(
        answer.json(),
        json!({
            "calls": [
                {
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
                    "userPhoneNumber": "+14155550123",
                    "createdAt": "2026-03-01T09:30:00.000Z",
                },
                {
                    "id": older.id.to_string(),
                    "organizationId": ORGANIZATION.to_string(),
                    "callType": "Inbound",
                    "agentId": null,
                    "agentName": null,
                    "teamId": null,
                    "teamName": null,
                    "phoneNumber": null,
                    "callStartedAt": "2026-03-01T09:30:00.000Z",
                    "callEndedAt": "2026-03-01T09:31:01.000Z",
                    "callDurationSeconds": "61",
                    "userPhoneNumber": null,
                    "createdAt": "2026-03-01T09:29:59.000Z",
                },
            ],
            "pagination": {
                "page": 1, "limit": 20, "total": 2, "totalPages": 1, "hasNextPage": false,
                "hasPreviousPage": false,
            },
        })
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn organization_id_is_required_with_either_key_type() {
    let app = App::start().await;
    let tenants = app.key_for(Scope::Tenant(store::TENANT), &Permission::ALL);
    for key in [app.key(), tenants] {
        for target in ["/api/calls", "/api/calls?organizationid=x", "/api/calls?page=1"] {
            let answer = app.get(target).key(&key).send().await;
            assert_eq!(answer.problems(), ["organizationId invalid_type"]);
            assert_eq!(answer.json()["details"][0]["message"], "Required");
        }
        let target = format!("/api/calls?organizationId={ORGANIZATION}");
        assert_eq!(app.get(&target).key(&key).send().await.status, 200);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_foreign_and_malformed_organizations_get_the_same_404_to_the_byte() {
    let app = App::start().await;
    let tenants = app.key_for(Scope::Tenant(store::TENANT), &Permission::ALL);
    let own = app.key();
    let mut bodies = Vec::new();
    for (key, id) in [
        (&own, SISTER.to_string().as_str()),
        (&own, FOREIGN.to_string().as_str()),
        (&tenants, FOREIGN.to_string().as_str()),
        (&own, Uuid::from_u128(0xDEAD).to_string().as_str()),
        (&own, ORGANIZATION.to_string().replace('-', "").as_str()),
        (&own, ""),
        (&own, "x"),
        (&own, "..%2F.."),
        (&own, "'%20OR%201=1--"),
        (&own, &"9".repeat(2_000)),
    ] {
        let answer = app.get(&format!("/api/calls?organizationId={id}")).key(key).send().await;
        assert_eq!(answer.error(404), NOT_FOUND, "{id}");
        bodies.push(answer.body);
        // Whether it is there is not told before the other parameters are right.
        let target = format!("/api/calls?organizationId={id}&limit=51");
        assert_eq!(app.get(&target).key(key).send().await.problems(), ["limit too_big"]);
    }
    bodies.dedup();
    assert_eq!(bodies.len(), 1);
    let sister = format!("/api/calls?organizationId={SISTER}");
    assert_eq!(app.get(&sister).key(&tenants).send().await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn only_calls_of_the_organization_are_listed() {
    let list = Listed::of(vec![call(1), call(2)]).await;
    let others = [LaidCall::bare(store::TENANT, SISTER, 3), LaidCall::bare(store::OTHER_TENANT, FOREIGN, 4)];
    list.app.store.inner.lay(&others).await.unwrap();
    assert_eq!(list.seconds("").await, [2, 1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_have_20_calls_unless_told_otherwise_and_are_empty_beyond_the_end() {
    let list = Listed::of((0..45).map(call).collect()).await;
    let descending = |range: std::ops::Range<i64>| range.rev().collect::<Vec<_>>();
    assert_eq!(list.seconds("page=1").await, descending(25..45));
    assert_eq!(list.seconds("page=3").await, descending(0..5));
    assert_eq!(list.seconds("page=2&limit=1").await, [43]);
    assert_eq!(list.seconds("limit=50").await, descending(0..45));
    assert_eq!(list.seconds("page=4").await, [0; 0]);
    for (query, page, limit, pages, next, previous) in [
        ("", 1, 20, 3, true, false),
        ("page=3", 3, 20, 3, false, true),
        ("page=4", 4, 20, 3, false, true),
        ("page=2147483647&limit=50", 2_147_483_647, 50, 1, false, true),
    ] {
        assert_eq!(
            list.ask(query).await.json()["pagination"],
            json!({
                "page": page, "limit": limit, "total": 45, "totalPages": pages, "hasNextPage": next,
                "hasPreviousPage": previous,
            }),
            "{query}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sort_goes_by_creation_or_by_duration_with_unknown_durations_last() {
    let list = Listed::of(vec![lasting(1, 30), call(2), lasting(3, 90), lasting(4, 0)]).await;
    for (query, expected) in [
        ("", [4, 3, 2, 1]),
        ("sort=desc", [4, 3, 2, 1]),
        ("sort=asc", [1, 2, 3, 4]),
        ("sort=duration_desc", [3, 1, 4, 2]),
        ("sort=duration_asc", [4, 1, 3, 2]),
    ] {
        assert_eq!(list.seconds(query).await, expected, "{query}");
    }
    for query in ["sort=", "sort=DESC", "sort=-desc", "sort=duration", "sort=createdAt"] {
        assert_eq!(list.ask(query).await.problems(), ["sort invalid_enum_value"], "{query}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn call_type_is_one_of_three() {
    let of_type = |second, call_type| LaidCall { call_type, ..call(second) };
    let list = Listed::of(vec![
        of_type(1, CallType::Inbound),
        of_type(2, CallType::Outbound),
        of_type(3, CallType::Web),
        of_type(4, CallType::Web),
    ])
    .await;
    for (query, expected) in
        [("callType=Inbound", &[1][..]), ("callType=Outbound", &[2]), ("callType=Web", &[4, 3])]
    {
        assert_eq!(list.seconds(query).await, expected, "{query}");
    }
    for query in ["callType=", "callType=web", "callType=Phone", "callType=Web,Inbound", "callType=Web%20"] {
        let answer = list.ask(query).await;
        assert_eq!(answer.problems(), ["callType invalid_enum_value"], "{query}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn agents_are_found_by_part_of_their_name_and_intents_by_all_of_theirs() {
    let names = ["Front Desk", "BACK desk", "100% Ada_", "Zoë"];
    let assistant = |index: u64| AssistantId::from_uuid(Uuid::from_u128(0x3_0000 + u128::from(index)));
    let intents = [Some("book"), Some("BOOK"), Some("book_again"), None];
    let list = Listed::of(
        (0..)
            .zip(intents)
            .map(|(index, intent)| LaidCall {
                assistant: Some(assistant(index)),
                user_primary_intent: intent.map(str::to_owned),
                ..call(index)
            })
            .chain([call(4)])
            .collect(),
    )
    .await;
    for (index, name) in (0..).zip(names) {
        let mut own = store::assistant(store::TENANT, ORGANIZATION);
        (own.id, own.name) = (assistant(index), name.into());
        list.app.store.inner.add_assistant(Reach::Everything, own, deed(moment(0))).await.unwrap();
    }
    for (query, expected) in [
        ("agentName=desk", &[1, 0][..]),
        ("agentName=FRONT%20d", &[0]),
        ("agentName=front+d", &[0]),
        ("agentName=%25", &[2]),
        ("agentName=_", &[2]),
        ("agentName=zo%C3%AB", &[3]),
        ("agentName=nobody", &[]),
        ("agentName=", &[4, 3, 2, 1, 0]),
        ("userPrimaryIntent=Book", &[1, 0]),
        ("userPrimaryIntent=boo", &[]),
        ("userPrimaryIntent=book%25", &[]),
        ("userPrimaryIntent=book_again", &[2]),
        ("userPrimaryIntent=", &[4, 3, 2, 1, 0]),
        ("agentName=back&userPrimaryIntent=book", &[1]),
        ("agentName=zo&userPrimaryIntent=book", &[]),
    ] {
        assert_eq!(list.seconds(query).await, expected, "{query}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn from_and_to_are_inclusive_moments_of_creation_or_whole_days() {
    // 09:30:00, 09:30:01, and the same on the next day.
    let day = 24 * 60 * 60;
    let list = Listed::of(vec![call(0), call(1), call(day), call(day + 1)]).await;
    let (first, second, third, fourth) = (0, 1, 86_400, 86_401);
    for (query, expected) in [
        ("from=2026-03-01T09:30:01Z", &[fourth, third, second][..]),
        ("from=2026-03-01T09:30:01.001Z", &[fourth, third]),
        ("to=2026-03-01T09:30:01Z", &[second, first]),
        ("to=2026-03-01T09:30:00.999Z", &[first]),
        ("from=2026-03-01T09:30:01Z&to=2026-03-01T09:30:01Z", &[second]),
        ("from=2026-03-01T11:30:01%2B02:00&to=2026-03-01T04:30:01-05:00", &[second]),
        // A + that was not escaped arrives as a blank.
        ("from=2026-03-01T11:30:01+02:00", &[fourth, third, second]),
        ("from=2026-03-02", &[fourth, third]),
        ("to=2026-03-01", &[second, first]),
        ("from=2026-03-01&to=2026-03-01", &[second, first]),
        ("from=2026-03-01T12:00:00Z&to=2026-03-01", &[]),
        ("from=1970-01-01&to=9999-12-31", &[fourth, third, second, first]),
        ("from=2026-03-03", &[]),
        ("from=2026-03-01T09:30:01Z&sort=asc&limit=1", &[second]),
    ] {
        assert_eq!(list.seconds(query).await, expected, "{query}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn from_has_to_be_before_or_equal_to_to() {
    let list = Listed::of(Vec::new()).await;
    for query in [
        "from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z",
        "from=2026-03-01T00:00:00.001Z&to=2026-03-01T00:00:00Z",
        "from=2026-03-01T09:00:00Z&to=2026-03-01T10:30:00%2B02:00",
        "from=2026-03-02&to=2026-03-01",
    ] {
        assert_eq!(list.ask(query).await.problems(), ["from custom"], "{query}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_parameters_are_refused_and_never_moved_into_range() {
    let list = Listed::of(Vec::new()).await;
    for date in [
        "",
        "yesterday",
        "infinity",
        "-infinity",
        "1772357400000",
        "2026-02-29",
        "2026-3-1",
        "2026-03-01T09:30:00",
        "2026-03-01T09:30Z",
        "2026-03-01T24:00:00Z",
        "2026-03-01T09:30:60Z",
        "2026-03-01%2009:30:00Z",
        "294277-01-01T00:00:00Z",
        "%2B294277-01-01T00:00:00Z",
        "1969-12-31",
        "10000-01-01",
        "9999-12-31T23:59:59-00:01",
        "2026-03-01T09:30:00%2B24:00",
        "%00",
        "%FF",
    ] {
        for name in ["from", "to"] {
            let answer = list.ask(&format!("{name}={date}")).await;
            assert_eq!(answer.problems(), [format!("{name} invalid_string")], "{date}");
        }
    }
    for (query, expected) in [
        ("page=0", "page too_small"),
        ("page=-1", "page too_small"),
        ("page=1.5", "page invalid_type"),
        ("page=2147483648", "page too_big"),
        ("page=99999999999999999999999", "page too_big"),
        ("limit=0", "limit too_small"),
        ("limit=51", "limit too_big"),
        ("limit=1e1", "limit invalid_type"),
        ("limit=10&limit=10", "limit custom"),
        ("from=2026-03-01&from=2026-03-02", "from custom"),
        ("organizationId=x", "organizationId custom"),
        ("agentName=%00", "agentName invalid_string"),
        ("userPrimaryIntent=%FF", "userPrimaryIntent invalid_string"),
    ] {
        assert_eq!(list.ask(query).await.problems(), [expected], "{query}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn all_problems_of_a_request_are_told_at_once() {
    let app = App::start().await;
    let long = "u".repeat(256);
    let target = format!(
        "/api/calls?page=0&limit=51&callType=x&agentName={long}&userPrimaryIntent={long}&from=x&to=y&sort=z"
    );
    assert_eq!(
        app.get(&target).key(&app.key()).send().await.problems(),
        [
            "agentName too_big",
            "callType invalid_enum_value",
            "from invalid_string",
            "limit too_big",
            "organizationId invalid_type",
            "page too_small",
            "sort invalid_enum_value",
            "to invalid_string",
            "userPrimaryIntent too_big",
        ]
    );
}
