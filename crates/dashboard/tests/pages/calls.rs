//! The list of calls, and one call.

use std::time::Duration;

use domain::call::{
    Analysis, ArtifactKind, CallFacts, CallType, Ended, EndedReason, FinalAnswer, Speaker, TranscriptEntry,
};
use domain::ids::CallId;
use domain::ports::{Accepted, AnalysisSettled, Conclusion, Fence};
use domain::testing::{Ground, LaidCall, LaysCalls, moment};
use domain::user::Role;

use crate::support::{Browser, Company, Site};

/// Markup that would do harm if it were any.
pub(crate) const MARKUP: &str = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'&";

/// A company that can place calls, and a browser of somebody of it.
pub(crate) async fn company(site: &Site, role: Role) -> (Ground, Company, Browser) {
    let ground = Ground::lay(&site.world, None).await.unwrap();
    let company = Company { tenant: ground.tenant, organizations: vec![ground.organization] };
    let browser = site.signed_in(&company, Some(ground.organization), role).await;
    (ground, company, browser)
}

pub(crate) async fn placed(site: &Site, ground: &Ground, name: &str, at: u64) -> (CallId, Fence) {
    let mut call = ground.call().unwrap();
    call.customer_name = Some(name.to_owned());
    call.created_at = moment(at);
    let id = call.id;
    match site.world.calls.accept(ground.dial(call, ground.boot)).await.unwrap() {
        Accepted::Calling(fence) => (id, fence),
        other => panic!("{other:?}"),
    }
}

pub(crate) async fn end(site: &Site, fence: Fence, reason: EndedReason, answered: Option<u64>, at: u64) {
    let ended = Ended { reason, started_at: answered.map(moment), ended_at: moment(at) };
    let answer = (reason == EndedReason::CustomerBusy)
        .then(|| FinalAnswer { code: 486, phrase: "Busy <Here>".to_owned() });
    let conclusion = Conclusion { fence, ended, answer, callback: None };
    site.world.calls.conclude(conclusion).await.unwrap();
}

#[tokio::test]
async fn the_list_shows_how_every_call_stands_and_what_they_add_up_to() {
    let site = Site::start().await;
    let (ground, _, mut browser) = company(&site, Role::Viewer).await;
    placed(&site, &ground, "Grace Hopper", 0).await;
    let (ringing, fence) = placed(&site, &ground, "Alan Turing", 60).await;
    site.world.calls.ringing(fence, moment(61)).await.unwrap();
    let (_, fence) = placed(&site, &ground, MARKUP, 120).await;
    end(&site, fence, EndedReason::CustomerBusy, None, 125).await;
    let (_, fence) = placed(&site, &ground, "Ada Lovelace", 180).await;
    end(&site, fence, EndedReason::AssistantEndedCall, Some(185), 250).await;

    let path = format!("/o/{}/calls", ground.organization);
    let page = browser.get(&path).await;
    assert_eq!(page.status, 200);
    for shown in [
        "Grace Hopper",
        "Dialling</span>",
        "Ringing</span>",
        "Busy</span>",
        "Completed</span>",
        "The line was busy",
        ">1:05<",
        "1–4 of 4",
        "<b>4</b> <span>All calls</span>",
        "<b>2</b> <span>In progress</span>",
        "(415) 555-0123",
    ] {
        assert!(page.body.contains(shown), "{shown}: {}", page.body);
    }
    assert!(!page.body.contains("<script>alert") && !page.body.contains("<img"), "{}", page.body);
    assert!(page.body.contains("&#60;script&#62;alert"), "{}", page.body);
    assert!(page.body.len() < 100 * 1024);
    // Newest first.
    let place = |name: &str| page.body.find(name).unwrap();
    assert!(place("Ada Lovelace") < place("Alan Turing"));

    let live = browser.get(&format!("{path}?status=calling")).await.body;
    assert!(live.contains("Alan Turing") && live.contains("1–2 of 2") && !live.contains("Ada Lovelace"));
    assert!(live.contains("class=\"chip\"") && live.contains(&format!("href=\"{path}\"")));
    let none = browser.get(&format!("{path}?type=Web")).await.body;
    assert!(none.contains("No calls match"), "{none}");
    let wrong = browser.get(&format!("{path}?from=soon")).await;
    assert_eq!(wrong.status, 200);
    assert!(
        wrong.body.contains("This is no date.") && wrong.body.contains("value=\"soon\""),
        "{}",
        wrong.body
    );
    let detail = browser.get(&format!("{path}/{ringing}")).await;
    assert!(detail.body.contains("<h1><bdi>Alan Turing</bdi></h1>"), "{}", detail.body);
}

#[tokio::test]
async fn an_organization_without_calls_is_told_what_to_do_next() {
    let site = Site::start().await;
    let (ground, _, mut browser) = company(&site, Role::Member).await;
    let page = browser.get(&format!("/o/{}/calls", ground.organization)).await.body;
    assert!(page.contains("No calls yet") && page.contains("Place a first call"), "{page}");
    assert!(!page.contains("calls.csv") && !page.contains("<figure"));
    let (ground, _, mut browser) = company(&site, Role::Viewer).await;
    let page = browser.get(&format!("/o/{}/calls", ground.organization)).await.body;
    assert!(page.contains("No calls yet") && !page.contains("place-call"), "{page}");
}

#[tokio::test]
async fn pages_follow_one_another_with_their_filters() {
    let site = Site::start().await;
    let (ground, _, mut browser) = company(&site, Role::Viewer).await;
    let laid: Vec<_> = (0..60)
        .map(|second| LaidCall {
            call_type: CallType::Inbound,
            ..LaidCall::bare(ground.tenant, ground.organization, second)
        })
        .collect();
    site.store.lay(&laid).await.unwrap();
    let path = format!("/o/{}/calls", ground.organization);
    let first = browser.get(&format!("{path}?type=Inbound")).await.body;
    assert!(
        first.contains("1–25 of 60") && first.contains(&format!("{path}?type=Inbound&#38;page=2")),
        "{first}"
    );
    let last = browser.get(&format!("{path}?type=Inbound&page=3")).await.body;
    assert!(last.contains("51–60 of 60") && last.contains("rel=\"prev\"") && !last.contains("rel=\"next\""));
    let beyond = browser.get(&format!("{path}?page=4000000000")).await;
    assert_eq!(beyond.status, 200);
    assert!(beyond.body.contains("60 calls") && beyond.body.contains("page=3"), "{}", beyond.body);
}

#[tokio::test]
async fn a_call_tells_its_story_and_whatever_was_said_stays_inert() {
    let site = Site::start().await;
    let (ground, _, mut browser) = company(&site, Role::Viewer).await;
    let (call, fence) = placed(&site, &ground, MARKUP, 0).await;
    site.world.calls.ringing(fence, moment(2)).await.unwrap();
    end(&site, fence, EndedReason::CustomerEndedCall, Some(5), 95).await;
    let said =
        |at, who, text: &str| TranscriptEntry { at: Duration::from_millis(at), who, text: text.to_owned() };
    let transcript = [
        said(0, Speaker::Assistant, "Hello, this is the clinic."),
        said(2_400, Speaker::Customer, MARKUP),
        said(62_000, Speaker::Customer, "[pressed 1]"),
    ];
    let facts = CallFacts { forwarded_to: Some("reception".to_owned()), ..CallFacts::default() };
    site.world.filing.file_transcript(call, &transcript, &facts, moment(99)).await.unwrap();
    site.world.filing.file_artifact(call, ArtifactKind::Recording, 9, moment(99)).await.unwrap();
    let due = site.world.analyses.claim_analyses(ground.boot, moment(100), 1).await.unwrap();
    let analysis = Analysis {
        summary: Some(format!("Summary {MARKUP}")),
        summary_fr: Some("Elle a réservé.".to_owned()),
        outcome: Some("appointment_booked".to_owned()),
        model: Some("model-1".to_owned()),
        ..Analysis::default()
    };
    let done = AnalysisSettled::Done(Box::new(analysis));
    assert!(site.world.analyses.settle_analysis(due[0].call, ground.boot, 0, done).await.unwrap());

    let path = format!("/o/{}/calls/{call}", ground.organization);
    let page = browser.get(&path).await;
    assert_eq!(page.status, 200);
    for shown in [
        "Completed</span>",
        "The customer hung up",
        "data-at=\"2.400\"",
        "1:02</a>",
        "[pressed 1]",
        "Ringing",
        "Answered",
        "Handed to",
        "reception",
        "appointment booked",
        "Elle a réservé.",
        "Written by model-1",
        "<audio id=\"audio\" controls",
        "/recording\"",
    ] {
        assert!(page.body.contains(shown), "{shown}: {}", page.body);
    }
    assert!(!page.body.contains("<script>alert") && !page.body.contains("<img"), "{}", page.body);
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.contains("media-src 'self' https://files.example;"), "{policy}");
    assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"), "{policy}");
    // Each look leads to an address that is fresh, however long the page has been open.
    let [first, again] =
        [browser.get(&format!("{path}/recording")).await, browser.get(&format!("{path}/recording")).await];
    for look in [&first, &again] {
        assert_eq!((look.status, look.header("cache-control")), (303, Some("no-store")), "{look:?}");
        assert!(look.location().starts_with("https://files.example/"), "{look:?}");
    }
    assert_ne!(first.location(), again.location());
    let elsewhere = format!("/o/{}/calls/{call}/recording", site.clinic.first());
    assert_eq!(browser.get(&elsewhere).await.status, 404);

    browser.post("/language", &[("language", "fr-CA")]).await;
    let page = browser.get(&path).await.body;
    for shown in ["Le client a raccroché", "Transféré à", "Rédigé par model-1", "Chronologie"] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
}

#[tokio::test]
async fn a_busy_call_shows_what_the_telephone_network_said() {
    let site = Site::start().await;
    let (ground, _, mut browser) = company(&site, Role::Viewer).await;
    let (call, fence) = placed(&site, &ground, "Ada", 0).await;
    end(&site, fence, EndedReason::CustomerBusy, None, 3).await;
    let page = browser.get(&format!("/o/{}/calls/{call}", ground.organization)).await.body;
    assert!(
        page.contains("SIP 486 Busy &#60;Here&#62;") && page.contains("There is no recording."),
        "{page}"
    );
}

#[tokio::test]
async fn calls_of_others_do_not_exist() {
    let site = Site::start().await;
    let (ground, _, _) = company(&site, Role::Viewer).await;
    let (call, _) = placed(&site, &ground, "Ada", 0).await;
    let mut rival = site.signed_in(&site.rival, None, Role::Admin).await;
    let theirs = site.rival.first();
    for path in [
        format!("/o/{}/calls", ground.organization),
        format!("/o/{}/calls/{call}", ground.organization),
        format!("/o/{}/calls.csv", ground.organization),
        format!("/o/{}/calls/live", ground.organization),
        format!("/o/{}/calls/{call}/live", ground.organization),
        format!("/o/{theirs}/calls/{call}"),
        format!("/o/{theirs}/calls/{call}/live"),
        format!("/o/{theirs}/calls/nonsense"),
    ] {
        let shown = rival.get(&path).await;
        assert_eq!(shown.status, 404, "{path}");
        assert!(!shown.body.contains("Ada"));
    }
    // Not even in another organization of the same reader.
    let company = Company { tenant: ground.tenant, organizations: vec![] };
    let mut whole = site.signed_in(&company, None, Role::Viewer).await;
    let own = format!("/o/{}/calls/{call}", ground.organization);
    assert_eq!(whole.get(&own).await.status, 200);
}
