//! The list of calls as a file.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use domain::call::{
    Board, BoardCall, BoardQuery, CallCursor, CallListing, CallLog, CallState, CallStory, CallType,
    EndedReason,
};
use domain::ids::CallId;
use domain::ports::{CallBoard, StoreUnavailable, Watched};
use domain::scope::Scope;
use domain::testing::{LaidCall, LaysCalls, moment};
use domain::user::Role;
use tokio::time::timeout;
use uuid::Uuid;

use crate::calls::{company, end, placed};
use crate::support::Site;

#[tokio::test]
async fn the_whole_list_is_in_the_file_once() {
    let site = Site::start().await;
    let (ground, _, mut browser) = company(&site, Role::Viewer).await;
    let laid: Vec<_> =
        (0..1_203).map(|place| LaidCall::bare(ground.tenant, ground.organization, place / 3)).collect();
    site.store.lay(&laid).await.unwrap();
    let path = format!("/o/{}/calls.csv", ground.organization);
    let file = browser.get(&path).await;
    assert_eq!(file.status, 200);
    assert_eq!(file.header("content-type"), Some("text/csv; charset=utf-8"));
    assert_eq!(file.header("content-disposition"), Some("attachment; filename=\"calls-2026-11-20.csv\""));
    let text = file.body.strip_prefix('\u{feff}').unwrap_or(&file.body);
    let lines: Vec<_> = text.strip_suffix("\r\n").unwrap().split("\r\n").collect();
    assert!(lines[0].starts_with("id,createdAt,callType,status,state,endedReason,"), "{}", lines[0]);
    let mut ids: Vec<_> = lines[1..].iter().map(|line| line.split(',').next().unwrap().to_owned()).collect();
    let mut expected: Vec<_> = laid.iter().map(|call| call.id.to_string()).collect();
    let newest_first: Vec<_> = expected.iter().rev().cloned().collect();
    assert_eq!(ids, newest_first);
    ids.sort();
    expected.sort();
    assert_eq!(ids, expected);
    let oldest_first = browser.get(&format!("{path}?sort=asc&page=3")).await.body;
    assert!(oldest_first.lines().nth(1).unwrap().starts_with(&laid[0].id.to_string()));
    assert_eq!(browser.get(&format!("{path}?type=Inbound")).await.body.lines().count(), 1);
}

#[tokio::test]
async fn no_cell_is_a_formula_and_numbers_stay_numbers() {
    let site = Site::start().await;
    let (ground, _, mut browser) = company(&site, Role::Viewer).await;
    let (_, fence) = placed(&site, &ground, "=HYPERLINK(\"https://evil.example\",\"Ada, \n1\")", 0).await;
    end(&site, fence, EndedReason::NoAnswer, None, 3).await;
    let file = browser.get(&format!("/o/{}/calls.csv?status=no-answer", ground.organization)).await.body;
    let quoted = "\"'=HYPERLINK(\"\"https://evil.example\"\",\"\"Ada, \n1\"\")\"";
    assert!(file.contains(quoted), "{file}");
    assert!(file.contains(",no-answer,no-answer,no-answer,"), "{file}");
    assert!(file.contains(",+14155550100,"), "{file}");
}

/// A list without an end.
#[derive(Default)]
struct Endless {
    steps: AtomicUsize,
    largest: AtomicUsize,
}

#[async_trait]
impl CallBoard for Endless {
    async fn board(&self, _: Scope, _: &BoardQuery) -> Result<Option<Board>, StoreUnavailable> {
        Ok(None)
    }

    async fn story(&self, _: Scope, _: CallId) -> Result<Option<CallStory>, StoreUnavailable> {
        Ok(None)
    }

    async fn through(
        &self,
        _: Scope,
        query: &BoardQuery,
        after: Option<CallCursor>,
        limit: u32,
    ) -> Result<Option<Vec<BoardCall>>, StoreUnavailable> {
        self.steps.fetch_add(1, Ordering::SeqCst);
        self.largest.fetch_max(usize::try_from(limit).unwrap(), Ordering::SeqCst);
        let first = after.map_or(0, |after| after.call.uuid().as_u128());
        let call = |place: u32| BoardCall {
            log: CallLog {
                listing: CallListing {
                    id: CallId::from_uuid(Uuid::from_u128(first + 1 + u128::from(place))),
                    organization: query.calls.organization,
                    call_type: CallType::Web,
                    agent: None,
                    team: None,
                    number: None,
                    started_at: None,
                    ended_at: None,
                    duration: None,
                    user_number: None,
                    created_at: moment(0),
                },
                ended_reason: None,
                user_name: Some("Ada".to_owned()),
                user_primary_intent: None,
                user_sentiment: None,
                outcome: None,
                summary: Some("x".repeat(1_000)),
                summary_fr: None,
                artifacts: Vec::new(),
            },
            state: CallState::Ringing,
        };
        Ok(Some((0..limit).map(call).collect()))
    }

    async fn pulse(&self, _: &[Watched]) -> Result<HashMap<Watched, i64>, StoreUnavailable> {
        Ok(HashMap::new())
    }
}

/// However long the list is, only what is on its way is held.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_an_endless_list_no_more_is_read_than_the_browser_takes() {
    let endless = Arc::new(Endless::default());
    let site = Site::start_with(endless.clone()).await;
    let browser = site.signed_in(&site.rival, None, Role::Viewer).await;
    let mut file = browser.open(&format!("/o/{}/calls.csv", site.rival.first())).await;
    assert_eq!(file.status().as_u16(), 200);
    let (mut taken, mut furthest) = (0, 0);
    while taken < 24 << 20 {
        taken += file.chunk().await.unwrap().unwrap().len();
        // A step is a little over half a megabyte.
        furthest = furthest.max((endless.steps.load(Ordering::SeqCst) << 19).saturating_sub(taken));
    }
    assert!(furthest < 12 << 20, "{furthest} bytes were read ahead");
    assert_eq!(endless.largest.load(Ordering::SeqCst), 500);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_file_at_a_time_is_made_for_a_user() {
    let site = Site::start_with(Arc::new(Endless::default())).await;
    let mut browser = site.signed_in(&site.rival, None, Role::Viewer).await;
    let other = site.signed_in(&site.rival, None, Role::Viewer).await;
    let path = format!("/o/{}/calls.csv", site.rival.first());
    let file = browser.open(&path).await;
    assert_eq!(file.status().as_u16(), 200);
    let refused = browser.get(&path).await;
    assert_eq!(refused.status, 429);
    assert!(refused.body.contains("A file is being made for you already"), "{}", refused.body);
    assert_eq!(other.open(&path).await.status().as_u16(), 200);
    // Whoever goes away gives the turn back.
    drop(file);
    let again = async { while browser.open(&path).await.status().as_u16() != 200 {} };
    timeout(Duration::from_secs(30), again).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_head_of_a_file_costs_nothing() {
    let endless = Arc::new(Endless::default());
    let site = Site::start_with(endless.clone()).await;
    let browser = site.signed_in(&site.rival, None, Role::Viewer).await;
    let path = format!("/o/{}/calls.csv", site.rival.first());
    let head = browser.head(&path).await;
    assert_eq!(head.status().as_u16(), 200);
    assert_eq!(head.headers()["content-type"], "text/csv; charset=utf-8");
    assert_eq!(endless.steps.load(Ordering::SeqCst), 0);
    let stranger = site.signed_in(&site.clinic, None, Role::Viewer).await;
    assert_eq!(stranger.head(&path).await.status().as_u16(), 404);
}
