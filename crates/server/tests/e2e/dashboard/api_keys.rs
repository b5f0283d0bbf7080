//! The life of an API key, from Settings to its end.

use reqwest::StatusCode;
use test_browser::{Look, Page, button, css, field, link};

use super::sign_in::Office;
use crate::support::installation::client;

/// How the interface answers to this key.
async fn answer(office: &Office, key: &str) -> StatusCode {
    let url = format!("{}/api/calls?organizationId={}", office.installation.base(), office.organization);
    client().get(url).bearer_auth(key).send().await.unwrap().status()
}

/// Adds a key as the interface's documentation tells it, and gives it.
async fn added(page: &Page, name: &str) -> String {
    page.follow(link("Add Key")).await;
    page.fill(field("Name"), name).await;
    page.follow(button("Create API Key")).await;
    let key = page.evaluate("document.querySelector('input[readonly]').value").await;
    key.as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_works_at_once_is_shown_once_and_is_refused_at_once_when_deleted() {
    let office = Office::open().await;
    for look in [Look::default(), Look::phone().without_javascript()] {
        let page = office.signed_in(look).await;
        page.open(&office.within("/settings/api-keys")).await;
        page.says("No keys yet").await;
        let key = added(&page, "Booking system").await;
        assert!(key.starts_with("cw_org_"), "{key}");
        assert_eq!(answer(&office, &key).await, 200);

        page.follow(css("main a.button")).await;
        page.says("Booking system").await;
        assert!(!page.evaluate("document.documentElement.outerHTML").await.to_string().contains(&key));
        page.follow(link("Delete")).await;
        assert_eq!(answer(&office, &key).await, 200, "only asked so far");
        page.follow(button("Delete the key")).await;
        assert_eq!(answer(&office, &key).await, 401, "from the moment its deletion is answered");
        page.says("No keys yet").await;
        page.is_clean().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_are_found_under_settings_and_the_new_one_is_shown_to_everybody() {
    let office = Office::open().await;
    let page = office.signed_in(Look::default()).await;
    page.open(&office.within("/calls")).await;
    let settings = "[...document.querySelectorAll('.side nav h2')].find(one => one.innerText === 'Settings')\
                    .nextElementSibling.id = 'settings'";
    page.evaluate(settings).await;
    page.follow(css("#settings a[href$='/settings/api-keys']")).await;
    added(&page, "Booking system").await;
    page.is_accessible().await;
    page.is_clean().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn there_is_room_for_five_keys_and_each_does_what_it_may() {
    let office = Office::open().await;
    let page = office.signed_in(Look::default()).await;
    page.open(&office.within("/settings/api-keys/add")).await;
    page.fill(field("Name"), "Dialler").await;
    page.click(css("input[value='calls:read']")).await;
    page.follow(button("Create API Key")).await;
    let key = page.evaluate("document.querySelector('input[readonly]').value").await;
    assert_eq!(answer(&office, key.as_str().unwrap()).await, 403, "it may not read calls");
    for number in 2..=5 {
        page.open(&office.within("/settings/api-keys")).await;
        added(&page, &format!("Number {number}")).await;
    }
    page.open(&office.within("/settings/api-keys")).await;
    page.says("This organization has 5 keys already.").await;
    assert!(!page.has(link("Add Key")).await);
    page.is_clean().await;
}
