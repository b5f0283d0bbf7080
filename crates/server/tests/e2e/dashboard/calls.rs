//! The calls in the browser: they appear and move on by themselves, are heard, found and hung up.

use phone::{Action, CallScript};
use serde_json::Value;
use test_browser::{Browser, Key, Look, Page, button, css, field, link};

use super::people::{Standing, enter, session_of};
use super::person::SESSION;
use crate::support::{Desk, Installation, LISTENER, Telephone, says, waits};

/// A desk whose trunk is a telephone, and an administrator's page.
pub struct Morning {
    pub installation: Installation,
    pub desk: Desk,
    pub telephone: Telephone,
    browser: Browser,
    session: String,
}

impl Morning {
    pub async fn with(assistant: &str, script: CallScript) -> Self {
        let installation = Installation::serving(&[]).await;
        let telephone = Telephone::with(script).await;
        let desk = Desk::provision(&installation, assistant, &["--address", &telephone.address()]);
        let tenant = installation.rows("SELECT id FROM tenants").await[0][0].clone().unwrap();
        let standing = Standing { role: "admin", tenant: &tenant, organization: None };
        let user = enter(&installation, standing, "nadia@northside.example").await;
        let session = session_of(&installation, &user).await;
        Self { installation, desk, browser: Browser::start().await, session, telephone }
    }

    pub async fn page(&self, look: Look) -> Page {
        let page = self.browser.visitor(look).await.page().await;
        page.plant_cookie(self.installation.base(), SESSION, &self.session).await;
        page
    }

    pub fn within(&self, path: &str) -> String {
        format!("{}/o/{}{path}", self.installation.base(), self.desk.organization)
    }
}

/// The state that the list shows of its only call, when it shows one.
async fn state(page: &Page) -> Option<String> {
    page.words(css("#rows tr .badge")).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_appears_in_the_list_and_moves_on_without_a_reload() {
    let script = CallScript::answering().then([Action::LISTEN, waits(6_000), Action::HangUp]);
    let mut morning = Morning::with(LISTENER, script).await;
    let page = morning.page(Look::default()).await;
    page.open(&morning.within("/calls")).await;
    page.says("No calls yet").await;
    page.evaluate("document.body.dataset.same = 'yes'").await;
    morning.desk.place(&morning.desk.request()).await;
    page.until("document.querySelectorAll('#rows tr').length === 1").await;
    let mut states = Vec::from_iter(state(&page).await);
    while states.last().map(String::as_str) != Some("Completed") {
        let known = states.last().cloned().unwrap_or_default();
        let other =
            format!("document.querySelector('#rows tr .badge')?.innerText !== {}", Value::from(known));
        page.until(&other).await;
        states.extend(state(&page).await);
    }
    println!("seen without a reload: {states:?}");
    assert!(states.len() > 1, "it was seen while it went on");
    assert_eq!(page.evaluate("document.body.dataset.same").await, "yes", "the page was loaded again");
    morning.telephone.talked().await;
    page.is_clean().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_page_comes_back_to_a_service_that_went_away() {
    let script = CallScript::answering().then([Action::LISTEN, Action::HangUp]);
    let mut morning = Morning::with(crate::support::ANNOUNCEMENT, script).await;
    let page = morning.page(Look::default()).await;
    page.open(&morning.within("/calls")).await;
    page.until("!document.getElementById('live-mark').hidden").await;
    page.evaluate("document.body.dataset.same = 'yes'").await;
    let address = morning.installation.base().trim_start_matches("http://").to_owned();
    morning.installation.kill();
    page.until("document.getElementById('live-mark').hidden").await;
    morning.installation.start(&[("CALLWRIGHT__HTTP__LISTEN", &address)]);
    morning.installation.ready().await;
    let (_, placed) = morning.desk.place(&morning.desk.request()).await;
    morning.telephone.talked().await;
    morning.desk.outcome(placed["outboundCallId"].as_str().unwrap()).await;
    page.until("document.querySelector('#rows tr .badge')?.innerText === 'Completed'").await;
    page.until("!document.getElementById('live-mark').hidden").await;
    assert_eq!(page.evaluate("document.body.dataset.same").await, "yes", "the page was loaded again");
    let problems = page.problems().await;
    assert!(problems.iter().all(|problem| problem.starts_with("network: ")), "{problems:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recording_plays_seeks_and_follows_a_click_in_the_transcript() {
    let script = CallScript::answering().then([
        Action::LISTEN,
        says("Good morning to you. I am calling back about my appointment."),
        Action::LISTEN,
        Action::HangUp,
    ]);
    let assistant = "name = \"Desk\"\nengine = \"builtin\"\nfirst_message = \"Hello Ada. How are you today?\"\n\
                     [[steps]]\nwait_for = \"speech\"\nsay = \"Thank you very much. We will see you on Monday morning.\"\n";
    let mut morning = Morning::with(assistant, script).await;
    let (_, placed) = morning.desk.place(&morning.desk.request()).await;
    let call = placed["outboundCallId"].as_str().unwrap();
    let page = morning.page(Look::default()).await;
    // Open from the first ring on: recording and transcript come by themselves.
    page.open(&morning.within(&format!("/calls/{call}"))).await;
    morning.telephone.talked().await;
    page.shows(css("#transcript li")).await;
    page.until("document.querySelector('audio')?.duration > 2").await;

    let playing = "(() => { const audio = document.querySelector('audio'); return !audio.paused && audio.currentTime })()";
    page.evaluate("document.querySelector('audio').focus()").await;
    page.press(Key::Space).await;
    page.until(&format!("{playing} > 0.3")).await;
    page.evaluate("document.querySelector('audio').pause()").await;

    let last = page
        .evaluate("Number([...document.querySelectorAll('#transcript [data-at]')].at(-1).dataset.at)")
        .await;
    assert!(last.as_f64() > Some(1.0), "{last}");
    page.click(css("#transcript li:last-child a")).await;
    page.until(&format!("{playing} >= {last}")).await;
    page.until("!!document.querySelector('#transcript li:last-child[aria-current]')").await;
    page.is_clean().await;
    page.is_accessible().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_are_filtered_and_opened_by_keyboard_alone() {
    let script = CallScript::answering().then([Action::LISTEN, Action::HangUp]);
    let mut morning = Morning::with(crate::support::ANNOUNCEMENT, script).await;
    morning.desk.place(&morning.desk.request()).await;
    morning.telephone.talked().await;
    let page = morning.page(Look::default()).await;
    page.open(&morning.within("/calls")).await;
    page.tab_to(css("details.filters > summary")).await;
    page.press(Key::Enter).await;
    page.tab_to(field("Assistant")).await;
    page.type_text("nobody of this name").await;
    page.press_through(Key::Enter).await;
    page.says("No calls match").await;
    page.tab_to(link("Clear all")).await;
    page.press_through(Key::Enter).await;
    page.says("Ada").await;
    page.tab_to(css("#rows a")).await;
    page.press_through(Key::Enter).await;
    page.says("Timeline").await;
    page.is_clean().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_list_is_read_in_french() {
    let script = CallScript::answering().then([Action::LISTEN, Action::HangUp]);
    let mut morning = Morning::with(crate::support::ANNOUNCEMENT, script).await;
    let (_, placed) = morning.desk.place(&morning.desk.request()).await;
    morning.telephone.talked().await;
    morning.desk.outcome(placed["outboundCallId"].as_str().unwrap()).await;
    let page = morning.page(Look::default().reading("fr-CA,fr;q=0.9,en;q=0.5")).await;
    page.open(&morning.within("/calls")).await;
    assert_eq!(page.evaluate("document.documentElement.lang").await, "fr-CA");
    page.shows(link("Passer un appel")).await;
    page.says("Appels").await;
    // The choice counts more than what the browser asks for, and stays on the page.
    let here = page.path().await;
    page.follow(button("English")).await;
    assert_eq!(
        (page.path().await, page.evaluate("document.documentElement.lang").await),
        (here, "en".into())
    );
    page.shows(link("Place a call")).await;
    page.is_clean().await;
}
