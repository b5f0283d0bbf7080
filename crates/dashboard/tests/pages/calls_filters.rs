//! Which calls the list shows, and in which order.

use domain::assistant::Assistant;
use domain::call::{CallType, Ended, EndedReason};
use domain::ids::OrganizationId;
use domain::scope::Reach;
use domain::testing::{LaidCall, LaysCalls, deed};
use domain::user::Role;
use time::macros::datetime;
use time::{Duration, OffsetDateTime};

use crate::calls::company;
use crate::support::{Browser, Site};

const EARLY: OffsetDateTime = datetime!(2026-11-18 15:00 UTC);
/// The last second of 18 November in Halifax, where the organization is, and the first of the next day.
const LATE: OffsetDateTime = datetime!(2026-11-19 03:59:59 UTC);
const MIDNIGHT: OffsetDateTime = datetime!(2026-11-19 04:00 UTC);
const NOON: OffsetDateTime = datetime!(2026-11-20 15:00 UTC);

fn ended(reason: EndedReason, answered: OffsetDateTime, seconds: Option<i64>) -> Ended {
    let length = Duration::seconds(seconds.unwrap_or(20));
    Ended { reason, started_at: seconds.map(|_| answered), ended_at: answered + length }
}

/// Four calls that differ in all that can be asked for. The intent of one is the other's assistant.
async fn four(site: &Site) -> (OrganizationId, Browser) {
    let (ground, _, browser) = company(site, Role::Viewer).await;
    let desk = Assistant { name: "Billing desk".to_owned(), ..ground.cascade().unwrap() };
    site.world.assistants.add_assistant(Reach::Everything, desk.clone(), deed(EARLY)).await.unwrap();
    let (reception, desk) = (Some(ground.assistant.id), Some(desk.id));
    let call = |name: &str| LaidCall {
        user_name: Some(name.to_owned()),
        ..LaidCall::bare(ground.tenant, ground.organization, 0)
    };
    let calls = [
        LaidCall {
            call_type: CallType::Inbound,
            assistant: reception,
            user_primary_intent: Some("book_appointment".to_owned()),
            ended: Some(ended(EndedReason::CustomerEndedCall, EARLY, Some(65))),
            created_at: EARLY,
            ..call("Ada")
        },
        LaidCall {
            call_type: CallType::Outbound,
            assistant: desk,
            user_primary_intent: Some("ask_price".to_owned()),
            ended: Some(ended(EndedReason::NoAnswer, LATE, None)),
            created_at: LATE,
            ..call("Ben")
        },
        LaidCall {
            call_type: CallType::Web,
            assistant: reception,
            user_primary_intent: Some("billing desk".to_owned()),
            ended: Some(ended(EndedReason::AssistantEndedCall, MIDNIGHT, Some(300))),
            created_at: MIDNIGHT,
            ..call("Cleo")
        },
        LaidCall {
            call_type: CallType::Outbound,
            assistant: desk,
            user_primary_intent: Some("reception".to_owned()),
            started_at: Some(NOON),
            created_at: NOON,
            ..call("Dan")
        },
    ];
    site.store.lay(&calls).await.unwrap();
    (ground.organization, browser)
}

/// Whose calls a page lists, from the first row on.
fn names(page: &str) -> Vec<&str> {
    let rows = page.split_once("<tbody id=\"rows\">").unwrap().1.split_once("</tbody>").unwrap().0;
    let rows = rows.split("<tr ").skip(1);
    rows.map(|row| row.split("<bdi>").nth(1).unwrap().split('<').next().unwrap()).collect()
}

#[tokio::test]
async fn every_filter_leaves_just_the_calls_that_fit() {
    let site = Site::start().await;
    let (organization, mut browser) = four(&site).await;
    for (filter, left) in [
        ("", &["Dan", "Cleo", "Ben", "Ada"][..]),
        ("status=calling", &["Dan"]),
        ("status=completed", &["Cleo", "Ada"]),
        ("status=no-answer", &["Ben"]),
        ("status=busy", &[]),
        ("type=Inbound", &["Ada"]),
        ("type=Outbound", &["Dan", "Ben"]),
        ("type=Web", &["Cleo"]),
        ("agent=reception", &["Cleo", "Ada"]),
        ("agent=BILLING", &["Dan", "Ben"]),
        ("agent=ask_price", &[]),
        ("intent=Billing+desk", &["Cleo"]),
        ("intent=reception", &["Dan"]),
        ("intent=ask_price", &["Ben"]),
        // A part of an intent is none.
        ("intent=billing", &[]),
        ("from=2026-11-19", &["Dan", "Cleo"]),
        ("to=2026-11-18", &["Ben", "Ada"]),
        ("from=2026-11-19&to=2026-11-19", &["Cleo"]),
        ("from=2026-11-18&to=2026-11-18", &["Ben", "Ada"]),
        ("status=completed&type=Web&agent=reception&from=2026-11-19", &["Cleo"]),
        ("status=completed&type=Outbound", &[]),
    ] {
        let page = browser.get(&format!("/o/{organization}/calls?{filter}")).await.body;
        assert_eq!(names(&page), left, "{filter}");
        assert_eq!(page.contains("No calls match"), left.is_empty(), "{filter}");
        // The file of the same list has the same rows.
        let file = browser.get(&format!("/o/{organization}/calls.csv?{filter}")).await.body;
        assert_eq!(file.lines().count(), left.len() + 1, "{filter}: {file}");
    }
}

#[tokio::test]
async fn every_order_is_kept_and_calls_without_a_length_come_last() {
    let site = Site::start().await;
    let (organization, mut browser) = four(&site).await;
    for (order, shown) in [
        ("desc", ["Dan", "Cleo", "Ben", "Ada"]),
        ("asc", ["Ada", "Ben", "Cleo", "Dan"]),
        ("duration_desc", ["Cleo", "Ada", "Dan", "Ben"]),
        ("duration_asc", ["Ada", "Cleo", "Ben", "Dan"]),
        ("by-chance", ["Dan", "Cleo", "Ben", "Ada"]),
    ] {
        let page = browser.get(&format!("/o/{organization}/calls?sort={order}")).await.body;
        assert_eq!(names(&page), shown, "{order}");
        let chosen = page.contains(&format!("<option value=\"{order}\" selected>"));
        assert_eq!(chosen, order != "by-chance", "{order}: {page}");
    }
}

#[tokio::test]
async fn what_was_asked_for_stands_in_the_form_and_can_be_taken_away_one_by_one() {
    let site = Site::start().await;
    let (organization, mut browser) = four(&site).await;
    let path = format!("/o/{organization}/calls");
    let asked = "status=completed&type=Web&agent=reception&intent=billing%20desk&from=2026%2D11%2D19&to=2026%2D11%2D20";
    let page = browser.get(&format!("{path}?{asked}&sort=asc")).await.body;
    for (name, value) in
        [("agent", "reception"), ("intent", "billing desk"), ("from", "2026-11-19"), ("to", "2026-11-20")]
    {
        assert!(page.contains(&format!("name=\"{name}\" value=\"{value}\"")), "{name}: {page}");
    }
    for chosen in ["completed", "Web", "asc"] {
        assert!(page.contains(&format!("<option value=\"{chosen}\" selected>")), "{chosen}: {page}");
    }
    assert_eq!(names(&page), ["Cleo"]);
    for (name, _) in asked.split('&').map(|pair| pair.split_once('=').unwrap()) {
        let left: Vec<_> = asked.split('&').filter(|pair| !pair.starts_with(&format!("{name}="))).collect();
        let without = format!("href=\"{path}?{}&#38;sort=asc\"", left.join("&#38;"));
        assert!(page.contains(&without), "{without}: {page}");
    }
}
