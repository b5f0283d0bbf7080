//! What is kept beside what the ports show: tries, SIP answers, counts, times, teams, versions.

#![allow(clippy::unwrap_used, reason = "tests fail by panic")]

use std::time::Duration;

use domain::call::{ArtifactKind, CallFacts, Ended, EndedReason, FinalAnswer, Speaker, TranscriptEntry};
use domain::callback::CallbackDraft;
use domain::idempotency::{IdempotencyKey, Once};
use domain::organization::{OrganizationField, OrganizationQuery};
use domain::page::PageRequest;
use domain::ports::{
    Acceptance, Accepted, Assistants, Callbacks, Conclusion, Dispatch, Filing, Organizations, OutboundCalls,
    Settled, TryOutcome, TryRecord,
};
use domain::scope::{Reach, Scope};
use domain::testing::{Ground, World, deed, moment};
use postgres::{Options, SealingKey, Store};
use test_database::TestDatabase;

async fn open() -> (TestDatabase, Store, Ground) {
    let database = TestDatabase::create().await;
    let key = SealingKey::from_bytes([1; 32]);
    let store = Store::connect(database.url(), key, Options::default()).await.unwrap();
    let ground = Ground::lay(&World::new(store.clone(), ()), Some(2)).await.unwrap();
    (database, store, ground)
}

fn texts(rows: &[Vec<Option<String>>]) -> Vec<Vec<&str>> {
    rows.iter().map(|row| row.iter().map(|value| value.as_deref().unwrap_or("-")).collect()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_try_of_a_callback_is_kept() {
    let (database, store, ground) = open().await;
    let world = World::new(store.clone(), ());
    let (call, _) = ground.ended(&world, moment(0)).await.unwrap();
    let lease = Duration::from_secs(20);
    store.claim_fresh(ground.boot, call.id, moment(0), lease).await.unwrap().unwrap();
    let outcomes = [
        TryOutcome::TimedOut,
        TryOutcome::Broken("no route".to_owned()),
        TryOutcome::Refused("loopback".to_owned()),
        TryOutcome::Answered(204),
    ];
    for (tries, outcome) in (0_u16..).zip(outcomes) {
        let confirmed = outcome.confirmed();
        let record = TryRecord { began_at: moment(1), took: Duration::from_millis(70), outcome };
        let settled = if confirmed { Settled::Delivered } else { Settled::Again(moment(1)) };
        assert!(store.settle(ground.boot, call.id, tries, record, settled).await.unwrap());
        assert_eq!(
            store.claim(ground.boot, moment(1), lease, &[], 1).await.unwrap().len(),
            usize::from(!confirmed)
        );
    }
    let tries = "SELECT try, took_ms, outcome, http_status, detail FROM callback_tries ORDER BY try";
    assert_eq!(
        texts(&database.rows(tries).await),
        [
            ["1", "70", "timed-out", "-", "-"],
            ["2", "70", "broken", "-", "no route"],
            ["3", "70", "refused", "-", "loopback"],
            ["4", "70", "answered", "204", "-"],
        ]
    );
    assert_eq!(database.value("SELECT state FROM callbacks").await.unwrap(), "delivered");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_a_call_is_in_its_record_with_the_sip_answer() {
    let (database, store, ground) = open().await;
    let call = ground.call().unwrap();
    let Accepted::Calling(fence) = store.accept(ground.dial(call.clone(), ground.boot)).await.unwrap() else {
        unreachable!("there are two lines")
    };
    let ended = Ended {
        reason: EndedReason::CustomerEndedCall,
        started_at: Some(moment(2)),
        ended_at: moment(62) + Duration::from_millis(999),
    };
    let callback = CallbackDraft::of(&call, &ended, moment(63));
    let answer = Some(FinalAnswer { code: 487, phrase: "Request Terminated".to_owned() });
    store.conclude(Conclusion { fence, ended, answer, callback: callback.clone() }).await.unwrap();
    let record = "SELECT duration_seconds, ended_reason, status, sip_code, sip_phrase, user_name
        FROM calls JOIN outbound_calls ON call_id = id";
    assert_eq!(
        texts(&database.rows(record).await),
        [[
            "60",
            "customer-ended-call",
            "completed",
            "487",
            "Request Terminated",
            "Ada \"the first\" Lovelace"
        ]]
    );
    let body = database.value("SELECT convert_from(body, 'UTF8') FROM callbacks").await.unwrap();
    assert_eq!(body.into_bytes(), callback.unwrap().body);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_accepted_call_is_counted_in_its_hour() {
    let (database, store, ground) = open().await;
    for (seconds, refused) in [(0, false), (1799, true), (1800, false)] {
        let mut call = ground.call().unwrap();
        call.created_at = moment(seconds);
        let acceptance = if refused {
            Acceptance {
                call,
                dispatch: Dispatch::Refuse { reason: EndedReason::TrunkError },
                once: None,
                by: None,
            }
        } else {
            ground.dial(call, ground.boot)
        };
        store.accept(acceptance).await.unwrap();
    }
    let counts = "SELECT extract(hour FROM hour AT TIME ZONE 'UTC'), sum(calls) FROM call_counts
        GROUP BY hour ORDER BY hour";
    assert_eq!(texts(&database.rows(counts).await), [["9", "2"], ["10", "1"]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn thirty_two_twins_leave_one_row_of_everything() {
    let (database, store, ground) = open().await;
    let key = IdempotencyKey::parse("twins").unwrap();
    let once = Once { scope: ground.scope(), key, fingerprint: [1; 32] };
    let twins: Vec<_> = (0..32)
        .map(|_| {
            let acceptance =
                Acceptance { once: Some(once.clone()), ..ground.dial(ground.call().unwrap(), ground.boot) };
            let store = store.clone();
            tokio::spawn(async move { store.accept(acceptance).await.unwrap() })
        })
        .collect();
    for twin in twins {
        twin.await.unwrap();
    }
    for rows in [
        "outbound_calls",
        "calls",
        "contacts",
        "call_legs",
        "idempotency_keys",
        "trunk_lines WHERE call_id IS NOT NULL",
        "call_counts",
    ] {
        assert_eq!(database.value(&format!("SELECT count(*) FROM {rows}")).await.unwrap(), "1", "{rows}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_team_is_made_once_and_the_metadata_begins_with_version_one() {
    let (database, store, ground) = open().await;
    let mut second = ground.assistant.clone();
    second.id = domain::ids::AssistantId::from_uuid(ground.number.id.uuid());
    store.add_assistant(Reach::Everything, second, deed(moment(0))).await.unwrap();
    let teams = "SELECT t.name, count(*) FROM teams t JOIN assistants a ON a.team_id = t.id GROUP BY t.id";
    assert_eq!(texts(&database.rows(teams).await), [["Front desk", "2"]]);
    let metadata = "SELECT version, metadata, created_by FROM organization_metadata";
    assert_eq!(texts(&database.rows(metadata).await), [["1", "{}", "operator"]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_organization_that_an_earlier_version_made_is_found_by_its_name() {
    let (database, store, ground) = open().await;
    database.rows("UPDATE organizations SET name_folded = NULL").await;
    let query = OrganizationQuery {
        page: PageRequest { number: 1, size: 10 },
        sort: OrganizationField::Name,
        descending: true,
        search: Some("TH CLIN".to_owned()),
    };
    let page = store.page(Scope::Tenant(ground.tenant), &query).await.unwrap();
    assert_eq!((page.total, page.items.first().unwrap().id), (1, ground.organization));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_impossible_mix_of_columns_names_its_table_and_row() {
    let (database, store, ground) = open().await;
    let world = World::new(store.clone(), ());
    let (call, _) = ground.ended(&world, moment(0)).await.unwrap();
    for spoil in [
        "UPDATE outbound_calls SET status = 'completed'",
        "UPDATE outbound_calls SET status = 'calling'",
        "UPDATE outbound_calls SET status = 'failed'; UPDATE calls SET ended_at = NULL, ended_reason = NULL",
    ] {
        database.rows(spoil).await;
        let error = store.status(ground.scope(), call.id).await.unwrap_err();
        let cause = std::error::Error::source(&error).unwrap().to_string();
        assert!(cause.contains("outbound_calls") && cause.contains(&call.id.to_string()), "{cause}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_intent_is_too_long_for_its_index() {
    let (database, _, ground) = open().await;
    let put = |intent: String| {
        format!(
            "INSERT INTO calls (id, tenant_id, organization_id, call_type, user_primary_intent, created_at)
             VALUES (gen_random_uuid(), '{}', '{}', 'Web', '{intent}', now()) RETURNING true",
            ground.tenant, ground.organization
        )
    };
    // Two bytes each, and six in upper case.
    let longest = "ΐΰ".repeat(128);
    assert_eq!(database.value(&put(longest.clone())).await.unwrap(), "t");
    let refused = format!(
        "DO $$ BEGIN {}; EXCEPTION WHEN check_violation THEN CREATE TABLE refused (); END $$",
        put(longest + "a").replace(" RETURNING true", "")
    );
    database.rows(&refused).await;
    assert_eq!(database.value("SELECT count(*) FROM pg_class WHERE relname = 'refused'").await.unwrap(), "1");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_filed_first_stays_and_makes_one_analysis_due() {
    let (database, store, ground) = open().await;
    let world = World::new(store.clone(), ());
    let (call, _) = ground.calling(&world).await.unwrap();
    for (second, text) in [(1, "first\0"), (2, "second")] {
        let entry = TranscriptEntry {
            at: Duration::from_millis(1_500),
            who: Speaker::Customer,
            text: text.to_owned(),
        };
        let facts = CallFacts { machine_answered: second == 1, ..CallFacts::default() };
        store.file_transcript(call.id, &[entry], &facts, moment(second)).await.unwrap().unwrap();
        store.file_artifact(call.id, ArtifactKind::Recording, second, moment(second)).await.unwrap();
    }
    let filed = "SELECT t.entries, t.facts->>'machine_answered', t.created_at = a.due_at, a.state, a.tries
        FROM call_transcripts t JOIN analyses a USING (call_id)";
    let entries = r#"[{"who": "Customer", "text": "first", "at_ms": 1500}]"#;
    assert_eq!(texts(&database.rows(filed).await), [[entries, "true", "t", "due", "0"]]);
    let stored = "SELECT kind, bytes FROM call_artifacts";
    assert_eq!(texts(&database.rows(stored).await), [["recording", "1"]]);
}
