//! Pages that stay up to date by themselves.

use std::time::Duration;

use domain::audit::{Actor, Deed};
use domain::call::EndedReason;
use domain::ports::Clock;
use domain::testing::moment;
use domain::user::Role;
use serde_json::Value;
use tokio::time::timeout;

use crate::calls::{MARKUP, company, end, placed};
use crate::support::Site;

/// Events as they come.
struct Events {
    answer: reqwest::Response,
    text: String,
}

impl Events {
    fn of(answer: reqwest::Response) -> Self {
        assert_eq!(answer.status().as_u16(), 200);
        assert_eq!(answer.headers()["content-type"], "text/event-stream");
        Self { answer, text: String::new() }
    }

    /// The next event's name and data; none when the stream has ended.
    async fn next(&mut self) -> Option<(String, Value)> {
        loop {
            while let Some((block, rest)) = self.text.split_once("\n\n") {
                let (block, rest) = (block.to_owned(), rest.to_owned());
                self.text = rest;
                if let Some((name, data)) = block.split_once('\n')
                    && let Some(name) = name.strip_prefix("event: ")
                {
                    let data = data.strip_prefix("data: ").unwrap();
                    return Some((name.to_owned(), serde_json::from_str(data).unwrap()));
                }
            }
            let chunk = timeout(Duration::from_secs(30), self.answer.chunk()).await.expect("nothing comes");
            let Ok(Some(chunk)) = chunk else { return None };
            self.text.push_str(std::str::from_utf8(&chunk).unwrap());
        }
    }

    /// The next change that has this in one of its parts.
    async fn change_with(&mut self, text: &str) -> Value {
        loop {
            let (name, data) = self.next().await.expect("the stream has ended");
            assert_eq!(name, "change");
            let parts = data["parts"].as_array().unwrap();
            if parts.iter().any(|part| part[1].as_str().unwrap().contains(text)) {
                return data;
            }
        }
    }
}

fn version(page: &str) -> &str {
    page.split("data-version=\"").nth(1).unwrap().split('"').next().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_list_follows_its_calls() {
    let site = Site::start().await;
    let (ground, _, mut browser) = company(&site, Role::Viewer).await;
    let (first, fence) = placed(&site, &ground, "Ada", 0).await;
    let path = format!("/o/{}/calls", ground.organization);
    let page = browser.get(&path).await.body;
    let mut events = Events::of(browser.open(&format!("{path}/live?since={}", version(&page))).await);
    site.world.calls.ringing(fence, moment(1)).await.unwrap();
    let change = events.change_with("Ringing").await;
    assert_eq!(change["rows"], serde_json::json!([format!("call-{first}")]));
    let (second, _) = placed(&site, &ground, MARKUP, 5).await;
    let change = events.change_with("&#60;script&#62;").await;
    assert_eq!(change["rows"], serde_json::json!([format!("call-{second}"), format!("call-{first}")]));
    let ids: Vec<_> = change["parts"].as_array().unwrap().iter().map(|part| part[0].clone()).collect();
    assert!(!ids.contains(&Value::from(format!("call-{first}"))), "what did not change is not sent: {ids:?}");
    end(&site, fence, EndedReason::NoAnswer, None, 9).await;
    let change = events.change_with("No answer</span>").await;
    // A page that is loaded now shows the same, and needs nothing to begin with.
    let page = browser.get(&path).await.body;
    assert_eq!(version(&page), change["version"].as_str().unwrap());
    // A list that leaves these calls out does not change with them.
    let mut behind = Events::of(browser.open(&format!("{path}/live?since=1")).await);
    let (_, all) = behind.next().await.unwrap();
    assert_eq!(all["version"], change["version"]);
    assert_eq!(all["parts"].as_array().unwrap().len(), 5);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_follows_itself_to_its_end() {
    let site = Site::start().await;
    let (ground, _, mut browser) = company(&site, Role::Viewer).await;
    let (call, fence) = placed(&site, &ground, "Ada", 0).await;
    let path = format!("/o/{}/calls/{call}", ground.organization);
    let page = browser.get(&path).await;
    // The recording that is pushed to this page later may play on it.
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.contains("media-src 'self' https://files.example;"), "{policy}");
    let page = page.body;
    let mut events = Events::of(browser.open(&format!("{path}/live?since={}", version(&page))).await);
    end(&site, fence, EndedReason::CustomerBusy, None, 3).await;
    let change = events.change_with("SIP 486 Busy &#60;Here&#62;").await;
    assert_eq!(change["rows"], Value::Null);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_is_signed_out_looks_no_longer() {
    let site = Site::start().await;
    let (ground, company, _) = company(&site, Role::Viewer).await;
    let user = site.user(&company, Some(ground.organization), Role::Viewer).await;
    let browser = site.browser_of(&user).await;
    let mut events = Events::of(browser.open(&format!("/o/{}/calls/live", ground.organization)).await);
    assert_eq!(events.next().await.unwrap().0, "change");
    let deed = Deed { actor: Actor::Operator, from: None, at: site.clock.now() };
    site.world.sessions.end_all(user.id, deed).await.unwrap();
    assert_eq!(events.next().await.map(|(name, _)| name).as_deref(), Some("over"));
    assert!(events.next().await.is_none());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_stream_too_many_ends_the_oldest_of_its_user_and_all_end_when_the_service_does() {
    let site = Site::start().await;
    let (ground, _, browser) = company(&site, Role::Viewer).await;
    let path = format!("/o/{}/calls/live", ground.organization);
    let mut open = Vec::new();
    for _ in 0..16 {
        open.push(Events::of(browser.open(&path).await));
    }
    let mut oldest = open.remove(0);
    open.push(Events::of(browser.open(&path).await));
    while oldest.next().await.unwrap().0 != "enough" {}
    assert!(oldest.next().await.is_none());
    site.dashboard.end_streams();
    for mut events in open {
        while let Some((name, _)) = events.next().await {
            assert_eq!(name, "change");
        }
    }
    assert_eq!(browser.open(&path).await.status().as_u16(), 503);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_head_of_a_stream_takes_no_place_among_them() {
    let site = Site::start().await;
    let (ground, _, browser) = company(&site, Role::Viewer).await;
    let path = format!("/o/{}/calls/live", ground.organization);
    for _ in 0..17 {
        let head = browser.head(&path).await;
        assert_eq!(head.status().as_u16(), 200);
        assert_eq!(head.headers()["content-type"], "text/event-stream");
    }
    let _open: Vec<_> = [browser.open(&path).await, browser.open(&path).await].map(Events::of).into();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn far_pages_of_the_list_are_not_followed() {
    let site = Site::start().await;
    let (ground, _, mut browser) = company(&site, Role::Viewer).await;
    let path = format!("/o/{}/calls", ground.organization);
    for (page, followed) in [(10, true), (11, false)] {
        let shown = browser.get(&format!("{path}?page={page}")).await;
        assert_eq!((shown.status, shown.body.contains("/live.js")), (200, followed), "{}", shown.body);
        let stream = browser.open(&format!("{path}/live?page={page}")).await;
        assert_eq!(stream.status().as_u16(), if followed { 200 } else { 404 });
    }
}
