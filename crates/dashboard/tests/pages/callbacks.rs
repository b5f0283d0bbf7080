//! Callback deliveries, and sending one again by hand.

use std::time::Duration;

use domain::audit::{Actor, Deed};
use domain::call::OutboundCall;
use domain::callback::DeliveryState;
use domain::ports::{ClaimedAgain, Settled, TryOutcome, TryRecord};
use domain::testing::{Ground, moment};
use domain::user::Role;

use crate::support::{Company, Site};

const LEASE: Duration = Duration::from_secs(20);

/// An organization with a callback that was tried once, and then given up or delivered.
async fn tried(site: &Site, outcome: TryOutcome) -> (Ground, Company, OutboundCall) {
    let ground = Ground::lay(&site.world, None).await.unwrap();
    let call = another(site, &ground, outcome).await;
    let company = Company { tenant: ground.tenant, organizations: vec![ground.organization] };
    (ground, company, call)
}

async fn another(site: &Site, ground: &Ground, outcome: TryOutcome) -> OutboundCall {
    let (call, _) = ground.ended(&site.world, moment(0)).await.unwrap();
    let callbacks = &site.world.callbacks;
    callbacks.claim_fresh(ground.boot, call.id, moment(0), LEASE).await.unwrap().unwrap();
    let settled = if outcome.confirmed() { Settled::Delivered } else { Settled::GivenUp };
    let record = TryRecord { began_at: moment(0), took: Duration::from_millis(87), outcome };
    assert!(callbacks.settle(ground.boot, call.id, 0, record, settled).await.unwrap());
    call
}

#[tokio::test]
async fn every_try_is_shown_with_its_answer_and_how_long_it_took() {
    let site = Site::start().await;
    let (ground, company, call) = tried(&site, TryOutcome::Answered(503)).await;
    let mut browser = site.signed_in(&company, None, Role::Member).await;
    let base = format!("/o/{}/callbacks", ground.organization);
    let list = browser.get(&base).await;
    for words in ["HTTP 503", "87\u{a0}ms", "Given up", "receiver.example.com"] {
        assert!(list.body.contains(words), "{words}: {}", list.body);
    }
    let one = browser.get(&format!("{base}/{}", call.id)).await;
    assert!(one.body.contains(&format!("/o/{}/calls/{}", ground.organization, call.id)), "{}", one.body);
    // What stands behind the `?` of an address may be a secret.
    let of_call = browser.get(&format!("/o/{}/calls/{}", ground.organization, call.id)).await;
    for page in [one, of_call] {
        assert!(
            page.body.contains("https://receiver.example.com/hook?…") && !page.body.contains("a=b"),
            "{}",
            page.body
        );
    }
    assert!(
        browser.get(&format!("{base}?state=delivered")).await.body.contains("There are none in this state.")
    );
    assert!(browser.get(&format!("{base}?state=given-up")).await.body.contains("HTTP 503"));
    assert_eq!(browser.get(&format!("{base}?state=lost")).await.status, 404);
}

#[tokio::test]
async fn a_try_by_hand_that_nobody_told_of_is_shown_as_begun() {
    let site = Site::start().await;
    let (ground, company, call) = tried(&site, TryOutcome::TimedOut).await;
    let mut browser = site.signed_in(&company, None, Role::Member).await;
    let base = format!("/o/{}/callbacks", ground.organization);
    let deed = Deed { actor: Actor::Operator, from: None, at: moment(1) };
    let claimed =
        site.world.callbacks.claim_again(ground.scope(), call.id, ground.boot, LEASE, &deed).await.unwrap();
    assert!(matches!(claimed, ClaimedAgain::Claimed(_)));
    for page in [base.clone(), format!("{base}/{}", call.id)] {
        let shown = browser.get(&page).await;
        assert!(shown.body.contains("Not known: the server stopped"), "{}", shown.body);
    }
}

#[tokio::test]
async fn a_callback_that_was_given_up_is_sent_again_and_marked_as_sent_by_hand() {
    let site = Site::start().await;
    let (ground, company, call) = tried(&site, TryOutcome::TimedOut).await;
    let mut browser = site.signed_in(&company, None, Role::Member).await;
    let page = format!("/o/{}/callbacks/{}", ground.organization, call.id);
    site.receivers.answer(TryOutcome::Answered(500));
    let sent = browser.submit(&page, &page, &[]).await;
    assert_eq!((sent.status, sent.location()), (303, format!("{page}?sent=failed").as_str()));
    let shown = browser.get(sent.location()).await;
    assert!(
        shown.body.contains("did not confirm") && shown.body.contains("by hand, <bdi>member."),
        "{}",
        shown.body
    );
    site.receivers.answer(TryOutcome::Answered(200));
    let sent = browser.submit(&page, &page, &[]).await;
    assert_eq!(sent.location(), format!("{page}?sent=confirmed"));
    let shown = browser.get(sent.location()).await;
    assert!(shown.body.contains("Delivered") && shown.body.contains("HTTP 200"), "{}", shown.body);
    let came = site.receivers.came();
    assert_eq!(came.len(), 2);
    assert!(came.iter().all(|one| one.call == call.id && one.draft.body == came[0].draft.body));
    let told = site.world.deliveries.of_call(ground.scope(), call.id).await.unwrap().unwrap();
    assert_eq!((told.state, told.tries.len(), told.manual_tries), (DeliveryState::Delivered, 3, 2));
}

#[tokio::test]
async fn the_list_has_the_latest_tries_and_the_callbacks_own_page_all() {
    let site = Site::start().await;
    let (ground, company, call) = tried(&site, TryOutcome::Answered(500)).await;
    let mut browser = site.signed_in(&company, None, Role::Member).await;
    let base = format!("/o/{}/callbacks", ground.organization);
    let page = format!("{base}/{}", call.id);
    site.receivers.answer(TryOutcome::Answered(503));
    for _ in 0..5 {
        browser.submit(&page, &page, &[]).await;
    }
    let list = browser.get(&base).await.body;
    let told = |body: &str, status: &str| body.matches(&format!("HTTP {status}")).count();
    assert_eq!((told(&list, "500"), told(&list, "503")), (0, 5), "{list}");
    assert!(list.contains("<li value=\"2\">") && list.contains("<li value=\"6\">"), "{list}");
    let one = browser.get(&page).await.body;
    assert_eq!((told(&one, "500"), told(&one, "503")), (1, 5), "{one}");
}

#[tokio::test]
async fn one_that_is_still_tried_by_itself_is_not_sent_by_hand() {
    let site = Site::start().await;
    let ground = Ground::lay(&site.world, None).await.unwrap();
    let (call, _) = ground.ended(&site.world, moment(0)).await.unwrap();
    let company = Company { tenant: ground.tenant, organizations: vec![ground.organization] };
    let mut browser = site.signed_in(&company, None, Role::Admin).await;
    let page = format!("/o/{}/callbacks/{}", ground.organization, call.id);
    let shown = browser.get(&page).await;
    assert!(
        shown.body.contains("still being tried by itself")
            && !shown.body.contains(&format!("action=\"{page}\""))
    );
    let sent = browser.submit(&page, &page, &[]).await;
    assert_eq!(sent.location(), format!("{page}?sent=pending"));
    assert!(site.receivers.came().is_empty());
}

#[tokio::test]
async fn callbacks_are_paged_from_the_newest_on() {
    let site = Site::start().await;
    let (ground, company, first) = tried(&site, TryOutcome::TimedOut).await;
    for _ in 0..30 {
        another(&site, &ground, TryOutcome::Answered(204)).await;
    }
    let mut browser = site.signed_in(&company, None, Role::Member).await;
    let base = format!("/o/{}/callbacks", ground.organization);
    let page = browser.get(&base).await;
    let rows = |body: &str| body.matches("class=\"button quiet small\"").count();
    assert_eq!(rows(&page.body), 25);
    assert!(!page.body.contains(&first.id.to_string()));
    let older = page.body.split("href=\"").find(|part| part.contains("before=")).unwrap();
    let older = older.split_once('"').unwrap().0.replace("&#38;", "&");
    let page = browser.get(&older).await;
    assert!(rows(&page.body) == 6 && page.body.contains(&first.id.to_string()), "{}", page.body);
    assert!(page.body.contains("Newest") && !page.body.contains("Older"));
}

#[tokio::test]
async fn foreign_callbacks_are_neither_shown_nor_sent() {
    let site = Site::start().await;
    let (ground, _, call) = tried(&site, TryOutcome::TimedOut).await;
    let mut stranger = site.signed_in(&site.clinic, None, Role::Admin).await;
    let (own, foreign) = (site.clinic.first(), ground.organization);
    for organization in [own, foreign] {
        let page = format!("/o/{organization}/callbacks/{}", call.id);
        assert_eq!(stranger.get(&page).await.status, 404);
        let sent = stranger.submit(&format!("/o/{own}/callbacks"), &page, &[]).await;
        assert_eq!(sent.status, 404);
    }
    assert!(site.receivers.came().is_empty());
}
