//! Calls placed and hung up by hand, by keyboard and without JavaScript.

use phone::{Action, CallScript};
use test_browser::{Key, Look, button, css, link};

use super::calls::Morning;
use crate::support::{ANNOUNCEMENT, LISTENER};

#[tokio::test(flavor = "multi_thread")]
async fn a_live_call_is_hung_up_by_hand() {
    let mut morning = Morning::with(LISTENER, CallScript::answering().then([Action::LISTEN])).await;
    let (_, placed) = morning.desk.place(&morning.desk.request()).await;
    let call = placed["outboundCallId"].as_str().unwrap();
    morning.installation.saves_an_answer().await;
    let page = morning.page(Look::default().without_javascript()).await;
    page.open(&morning.within("/calls")).await;
    page.follow(link("Hang up: Ada")).await;
    page.follow(button("Hang up")).await;
    assert_eq!(page.path().await, format!("/o/{}/calls/{call}", morning.desk.organization));
    morning.telephone.talked().await;
    let outcome = morning.desk.outcome(call).await;
    assert_eq!(outcome["callDetails"]["endedReason"], "manually-ended", "{outcome}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_is_placed_by_keyboard_alone() {
    let script = CallScript::answering().then([Action::LISTEN, Action::HangUp]);
    let mut morning = Morning::with(ANNOUNCEMENT, script).await;
    let page = morning.page(Look::default()).await;
    page.open(&morning.within("/place-call")).await;
    page.tab_to(css("input[name=phoneNumber]")).await;
    page.type_text("+1 416 555 0123").await;
    page.press_through(Key::Enter).await;
    page.says("+1 416 555 0123").await;
    morning.telephone.talked().await;
    page.is_clean().await;
}
