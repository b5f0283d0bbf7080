//! Every page of the table in the browser: readable by all, small, and quiet.

use std::collections::BTreeMap;

use dashboard::{Level, entries};
use test_browser::{Browser, Finding, Look, Page};

use super::asked::{parameters, target};
use super::people::Standing;
use super::person::{Person, SESSION};
use super::town::{HOSTILE, Town};

/// No page takes more than this over the network, with all that it loads.
const LARGEST: u64 = 100 * 1024;

/// A page of the table, and who looks at it.
struct Seen {
    path: &'static str,
    url: String,
    /// What is for everybody is shown to somebody who is not signed in.
    by_stranger: bool,
}

/// All pages of the table, but files, streams and redirects.
async fn pages(town: &Town, session: &str) -> Vec<Seen> {
    let base = town.installation.base();
    let (admin, stranger) = (Person::with_session(base, session), Person::stranger(base));
    let mut pages = Vec::new();
    for entry in entries().filter(|entry| entry.method == "GET") {
        let by_stranger = entry.level == Level::Anybody;
        let target = target(&entry, &town.owners[0].things);
        let answer = if by_stranger { &stranger } else { &admin }.get(&target).await;
        // This town was not set up by the link, which is told so.
        let expected = if entry.path.starts_with("/set-up/") { [404, 404] } else { [200, 303] };
        assert!(expected.contains(&answer.status), "{}: {answer:?}", entry.path);
        if answer.is_page() {
            pages.push(Seen { path: entry.path, url: format!("{base}{target}"), by_stranger });
        }
    }
    assert!(!pages.is_empty());
    pages
}

/// The pages that somebody sees whose organization has nothing yet, or who may not do much; what needs more than
/// an organization to be named is left out.
async fn granted(town: &Town, session: &str, organization: &str) -> Vec<Seen> {
    let base = town.installation.base();
    let person = Person::with_session(base, session);
    let things = BTreeMap::from([("organization", organization.to_owned())]);
    let mut pages = Vec::new();
    for entry in entries().filter(|entry| entry.method == "GET" && entry.level != Level::Anybody) {
        if parameters(entry.path).all(|name| name == "organization") {
            let target = target(&entry, &things);
            let answer = person.get(&target).await;
            assert!([200, 303, 403, 404].contains(&answer.status), "{}: {answer:?}", entry.path);
            if answer.status == 200 && answer.is_page() {
                pages.push(Seen { path: entry.path, url: format!("{base}{target}"), by_stranger: false });
            }
        }
    }
    assert!(!pages.is_empty());
    pages
}

/// An empty page of somebody who looks so.
async fn page_of(town: &Town, browser: &Browser, session: &str, look: &Look, seen: &Seen) -> Page {
    let page = browser.visitor(look.clone()).await.page().await;
    if !seen.by_stranger {
        page.plant_cookie(town.installation.base(), SESSION, session).await;
    }
    page
}

fn admin(town: &Town) -> Standing<'_> {
    Standing { role: "admin", tenant: &town.owners[0].tenant, organization: None }
}

/// Opens every page so, and judges each; prints what it took over the network, and when it was first seen.
async fn judge(look: Look) {
    let (town, browser) = (Town::of("Clinic").await, Browser::start().await);
    let session = town.session(admin(&town)).await;
    let pages = pages(&town, &session).await;
    judge_all(&town, &browser, &session, &look, &pages).await;
}

async fn judge_all(town: &Town, browser: &Browser, session: &str, look: &Look, pages: &[Seen]) {
    let mut findings = Vec::new();
    for seen in pages {
        // A page of its own for each: whatever it does, it did by itself; and nothing is cached.
        let page = page_of(town, browser, session, look, seen).await;
        page.forget_cache().await;
        page.open(&seen.url).await;
        page.is_clean().await;
        let traffic = page.traffic();
        let painted = page.evaluate(PAINTED).await;
        println!(
            "{:<60} {:>3} requests {:>7} bytes, first seen after {painted} ms",
            seen.path, traffic.requests, traffic.bytes
        );
        assert!(traffic.bytes <= LARGEST && traffic.foreign == 0, "{}: {traffic:?}", seen.path);
        let overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth").await;
        assert!(overflow.as_i64() <= Some(0), "{} is {overflow} pixels too wide", seen.path);
        let serious = page.axe().await.into_iter().filter(Finding::is_serious);
        findings.extend(serious.map(|finding| format!("{}: {finding}", seen.path)));
        page.is_clean().await;
    }
    assert!(findings.is_empty(), "{}", findings.join("\n"));
}

/// When something was first to be read, in milliseconds since the page was asked for.
const PAINTED: &str =
    "Math.round(performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? performance.now())";

#[tokio::test(flavor = "multi_thread")]
async fn where_there_is_nothing_yet_and_who_may_only_look_is_served_as_well() {
    let (town, browser) = (Town::of("Clinic").await, Browser::start().await);
    let owner = &town.owners[0];
    let empty = town.make("organization", owner, "Empty").await;
    let session = town.session(admin(&town)).await;
    let pages = granted(&town, &session, &empty).await;
    judge_all(&town, &browser, &session, &Look::default(), &pages).await;
    let viewer = Standing { role: "viewer", organization: Some(&owner.organization), ..admin(&town) };
    let session = town.session(viewer).await;
    let pages = granted(&town, &session, &owner.organization).await;
    judge_all(&town, &browser, &session, &Look::phone(), &pages).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_page_is_for_everybody_by_day() {
    judge(Look::default()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_page_is_for_everybody_by_night() {
    judge(Look::default().dark()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_page_is_for_everybody_on_a_telephone() {
    judge(Look::phone()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_page_is_for_everybody_on_a_telephone_by_night_in_french() {
    judge(Look::phone().dark().reading("fr-CA,fr")).await;
}

/// What a page has that only markup in somebody's text could have made, and texts that reach beyond
/// themselves: a right-to-left override turns all that follows it in the same isolate.
const INTRUDERS: &str = r"(() => {
    const intruders = [...document.querySelectorAll('script:not([src]), img[src=x], [onerror]')];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const reaching = [];
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
        // Each choice of a list stands by itself, and so does what is in a field.
        if (!text.data.includes('\u202e') || text.parentElement.closest('option, textarea')) continue;
        let around = text.parentElement;
        while (!/isolate|plaintext/.test(getComputedStyle(around).unicodeBidi)) around = around.parentElement;
        if (!around.textContent.trim().endsWith(text.data.trim())) reaching.push(around.outerHTML);
    }
    return [...intruders.map(one => one.outerHTML), ...reaching];
})()";

#[tokio::test(flavor = "multi_thread")]
async fn markup_in_what_people_wrote_is_shown_and_does_nothing() {
    let (town, browser) = (Town::of(HOSTILE).await, Browser::start().await);
    let session = town.session(admin(&town)).await;
    let mut shown = Vec::new();
    for seen in pages(&town, &session).await {
        let page = page_of(&town, &browser, &session, &Look::default(), &seen).await;
        page.open(&seen.url).await;
        let intruders = page.evaluate(INTRUDERS).await;
        assert_eq!(intruders, serde_json::json!([]), "{}", seen.path);
        page.is_clean().await;
        let texts = "[document.body.innerText, ...[...document.querySelectorAll('textarea, input')].map(one => one.value)].join()";
        if page.evaluate(texts).await.as_str().is_some_and(|text| text.contains("<script>alert('ran')")) {
            shown.push(seen.path);
        }
    }
    let unseen: Vec<_> = SHOWING.into_iter().filter(|path| !shown.contains(path)).collect();
    assert!(unseen.is_empty(), "what people wrote is not to be seen on {unseen:#?}, but on {shown:#?}");
}

/// Pages that show what somebody wrote.
const SHOWING: [&str; 17] = [
    "/account",
    "/audit-log",
    "/organizations",
    "/settings/api-keys",
    "/trunks",
    "/trunks/{trunk}",
    "/users/{user}",
    "/o/{organization}/assistants",
    "/o/{organization}/assistants/{assistant}",
    "/o/{organization}/callbacks",
    "/o/{organization}/calls",
    "/o/{organization}/calls/{call}",
    "/o/{organization}/metadata",
    "/o/{organization}/metadata/schema",
    "/o/{organization}/numbers",
    "/o/{organization}/place-call",
    "/o/{organization}/settings/api-keys",
];
