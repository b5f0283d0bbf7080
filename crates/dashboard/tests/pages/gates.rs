//! What stands before every page: how much is taken from whom, and what becomes of a page that breaks.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use dashboard::MISSES_MAX;
use domain::call::{Board, BoardCall, BoardQuery, CallCursor, CallStory};
use domain::ids::CallId;
use domain::ports::{CallBoard, StoreUnavailable, Watched};
use domain::scope::Scope;
use domain::user::Role;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::{Notify, Semaphore};

use crate::support::{PASSWORD, Site};

const COOKIE: &str = "__Host-callwright";

/// A cookie as it could be, of no session.
fn unknown(number: u32) -> String {
    let mut bytes = [7; 32];
    bytes[..4].copy_from_slice(&number.to_be_bytes());
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Sends the head of a form, and nothing of the form; gives the first line of the answer.
async fn answered_unread(site: &Site, path: &str, cookie: &str) -> String {
    let mut stream = TcpStream::connect(site.address).await.unwrap();
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: {}\r\ncookie: {cookie}\r\ncontent-length: 60000\r\n\
         content-type: application/x-www-form-urlencoded\r\n\r\n",
        site.address
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    while !answer.contains(&b'\r') {
        assert_ne!(stream.read_buf(&mut answer).await.unwrap(), 0);
    }
    String::from_utf8(answer).unwrap().split('\r').next().unwrap().to_owned()
}

#[tokio::test]
async fn no_form_is_read_of_people_who_may_not_send_it() {
    let site = Site::start().await;
    let viewer = site.signed_in(&site.clinic, None, Role::Viewer).await;
    let cookie = |value: &str| format!("{COOKIE}={value}");
    for (cookie, status) in [
        (String::new(), "HTTP/1.1 303 See Other"),
        (cookie("nonsense"), "HTTP/1.1 303 See Other"),
        (cookie(&unknown(1)), "HTTP/1.1 303 See Other"),
        (cookie(viewer.cookie(COOKIE).unwrap()), "HTTP/1.1 403 Forbidden"),
    ] {
        assert_eq!(answered_unread(&site, "/users/new", &cookie).await, status, "{cookie}");
    }
}

#[tokio::test]
async fn a_long_form_of_a_session_that_is_over_leads_to_the_sign_in() {
    let site = Site::start().await;
    let mut browser = site.signed_in(&site.clinic, None, Role::Admin).await;
    let long = "x".repeat(900_000);
    let page = format!("/o/{}/metadata", site.clinic.first());
    site.clock.advance(Duration::from_hours(12));
    let shown = browser.post(&page, &[("metadata", &long)]).await;
    assert_eq!((shown.status, shown.location()), (303, "/sign-in"));
}

#[tokio::test]
async fn forms_without_long_texts_are_short() {
    let site = Site::start().await;
    let mut browser = site.signed_in(&site.clinic, None, Role::Admin).await;
    let mut sent = async |page: &str, action: &str, field, length| {
        browser.submit(page, action, &[(field, "x".repeat(length).as_str())]).await.status
    };
    assert_eq!(sent("/account", "/account/password", "new", 60_000).await, 422);
    assert_eq!(sent("/account", "/account/password", "new", 70_000).await, 400);
    assert_eq!(sent("/schema", "/schema", "schema", 1_000_000).await, 422);
    assert_eq!(sent("/schema", "/schema", "schema", 1_100_000).await, 400);
}

#[tokio::test]
async fn looking_for_what_there_is_not_ends_for_an_address_but_not_for_who_is_signed_in_there() {
    let site = Site::start().await;
    let user = site.user(&site.clinic, None, Role::Viewer).await;
    let (mut known, mut late) = (site.browser_of(&user).await, site.browser_of(&user).await);
    assert_eq!(known.get("/account").await.status, 200);
    let mut stranger = site.browser();
    for number in 0..MISSES_MAX {
        stranger.keep(COOKIE, &unknown(number));
        let shown = match number % 3 {
            0 => stranger.get("/account").await.status == 303,
            1 => stranger.get("/sign-in").await.status == 200,
            _ => stranger.get(&format!("/invitation/{number}")).await.status == 404,
        };
        assert!(shown, "{number}");
    }
    for path in ["/account", "/sign-in", "/invitation/x", "/set-up/x"] {
        let shown = stranger.get(path).await;
        assert_eq!((shown.status, shown.header("retry-after")), (429, Some("60")), "{path}");
    }
    assert_eq!(stranger.post("/users/new", &[]).await.status, 429);
    assert_eq!(late.get("/account").await.status, 429);
    // Who was here before goes on, and whoever signs in now.
    assert_eq!(known.get("/account").await.status, 200);
    let mut fresh = site.browser();
    let fields = [("email", user.email.as_str()), ("password", PASSWORD)];
    assert_eq!(fresh.post("/sign-in", &fields).await.status, 303);
    assert_eq!(fresh.get("/account").await.status, 200);
    site.clock.advance(Duration::from_mins(1));
    assert_eq!(stranger.get("/account").await.status, 303);
    assert_eq!(late.get("/account").await.status, 200);
}

/// A board that breaks when it is asked for the agent `broken`, and else answers when it is let.
struct Slow {
    /// Those that are being made, and the most at a time, by the agent's name.
    under_way: parking_lot::Mutex<HashMap<String, (usize, usize)>>,
    asked: Notify,
    count: AtomicUsize,
    may: Semaphore,
}

impl Slow {
    fn new() -> Arc<Self> {
        let (under_way, asked, count) = Default::default();
        Arc::new(Self { under_way, asked, count, may: Semaphore::new(0) })
    }
}

#[async_trait]
impl CallBoard for Slow {
    async fn board(&self, _: Scope, query: &BoardQuery) -> Result<Option<Board>, StoreUnavailable> {
        let name = query.calls.agent_name.clone().unwrap_or_default();
        assert_ne!(name, "broken");
        {
            let mut all = self.under_way.lock();
            let (now, most) = all.entry(name.clone()).or_default();
            *now += 1;
            *most = (*most).max(*now);
        }
        self.count.fetch_add(1, Ordering::SeqCst);
        self.asked.notify_one();
        self.may.acquire().await.unwrap().forget();
        self.under_way.lock().get_mut(&name).unwrap().0 -= 1;
        Ok(None)
    }

    async fn story(&self, _: Scope, _: CallId) -> Result<Option<CallStory>, StoreUnavailable> {
        Ok(None)
    }

    async fn through(
        &self,
        _: Scope,
        _: &BoardQuery,
        _: Option<CallCursor>,
        _: u32,
    ) -> Result<Option<Vec<BoardCall>>, StoreUnavailable> {
        Ok(None)
    }

    async fn pulse(&self, _: &[Watched]) -> Result<HashMap<Watched, i64>, StoreUnavailable> {
        Ok(HashMap::new())
    }
}

#[tokio::test]
async fn lists_are_made_for_a_user_one_after_the_other() {
    let board = Slow::new();
    let site = Site::start_with(board.clone()).await;
    let calls = format!("/o/{}/calls", site.clinic.first());
    let greedy = site.signed_in(&site.clinic, None, Role::Viewer).await;
    let other = site.signed_in(&site.clinic, None, Role::Viewer).await;
    let load = |browser: &crate::support::Browser, name: &str, path: &str| {
        let (mut browser, address) = (browser.clone(), format!("{calls}{path}?agent={name}"));
        tokio::spawn(async move { browser.get(&address).await.status })
    };
    let mut loads: Vec<_> =
        ["", "/live", "", "/live"].iter().map(|path| load(&greedy, "greedy", path)).collect();
    while board.count.load(Ordering::SeqCst) < 1 {
        board.asked.notified().await;
    }
    loads.push(load(&other, "other", ""));
    // The one of somebody else is made beside the first.
    while board.count.load(Ordering::SeqCst) < 2 {
        board.asked.notified().await;
    }
    assert_eq!(board.under_way.lock().get("other"), Some(&(1, 1)));
    board.may.add_permits(loads.len());
    for load in loads {
        assert_eq!(load.await.unwrap(), 404);
    }
    assert_eq!(board.under_way.lock().get("greedy"), Some(&(0, 1)));
}

#[tokio::test]
async fn a_page_that_breaks_is_answered_by_a_page_of_ours() {
    let site = Site::start_with(Slow::new()).await;
    let mut browser = site.signed_in(&site.clinic, None, Role::Viewer).await;
    let shown = browser.get(&format!("/o/{}/calls?agent=broken", site.clinic.first())).await;
    assert_eq!(shown.status, 500);
    assert!(shown.body.contains("Something went wrong on our side"), "{}", shown.body);
    assert!(shown.header("content-security-policy").unwrap().starts_with("default-src 'none'"));
    assert_eq!(browser.get("/account").await.status, 200);
}

#[tokio::test]
async fn days_before_the_first_year_are_none() {
    let site = Site::start().await;
    let mut browser = site.signed_in(&site.clinic, None, Role::Viewer).await;
    let calls = format!("/o/{}/calls", site.clinic.first());
    for days in ["to=-009999-01-05", "from=-005000-01-01", "from=0001-01-01&to=0001-01-02"] {
        assert_eq!(browser.get(&format!("{calls}?{days}")).await.status, 200, "{days}");
    }
}
