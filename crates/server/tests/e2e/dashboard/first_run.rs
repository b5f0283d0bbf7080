//! From an empty database to the first call, in the browser, as somebody does who has just started the program.

use std::time::Duration;
use tokio::time::Instant;

use test_browser::{Browser, Look, Page, button, css, field, link};

use crate::support::Installation;

/// How long the first call may take to be over.
const LIMIT: Duration = Duration::from_mins(2);

/// The link that `serve` prints, on this machine.
async fn set_up_link(installation: &Installation) -> String {
    installation.logs("/set-up/").await;
    let log = installation.log();
    let (_, rest) = log.split_once("/set-up/").unwrap();
    let secret: String =
        rest.chars().take_while(|letter| letter.is_ascii_alphanumeric() || "-_".contains(*letter)).collect();
    format!("{}/set-up/{secret}", installation.base())
}

/// Sets up, makes an assistant, calls the built-in phone, and waits until the call is over and can be heard.
async fn first_call(page: &Page, installation: &Installation, scripts: bool) {
    let judged = async || {
        if scripts {
            page.is_accessible().await;
        }
    };
    // Nobody finds it open.
    page.open(&format!("{}/", installation.base())).await;
    assert_eq!(page.path().await, "/sign-in");

    page.open(&set_up_link(installation).await).await;
    judged().await;
    page.fill(field("Company"), "Northside Health Group").await;
    page.fill(field("E-mail address"), "nadia@northside.example").await;
    page.fill(field("Password"), "three quiet herons at dawn").await;
    page.fill(field("First organization"), "Northside Dental Clinic").await;
    page.choose(field("Time zone"), "America/Toronto").await;
    page.follow(button("Create and go on")).await;

    page.says("First steps").await;
    judged().await;
    page.follow(css("main a[href$='/place-call']")).await;
    judged().await;
    page.follow(button("Make an example assistant")).await;
    page.fill(field("Customer’s name"), "Margaret Osei").await;
    page.follow(button("Call the built-in phone")).await;
    // To the call itself.
    page.says("Margaret Osei").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_call_is_made_and_heard_within_two_minutes_of_an_empty_database() {
    let begun = Instant::now();
    let (installation, browser) = (Installation::serving(&[]).await, Browser::start().await);
    let page = browser.page().await;
    first_call(&page, &installation, true).await;
    page.says("Completed").await;
    page.shows(css("audio[src]")).await;
    let took = begun.elapsed();
    println!("from an empty database to the first call and its recording: {:.1} s", took.as_secs_f64());
    assert!(took < LIMIT, "{took:?}");
    page.is_clean().await;

    // The link worked once.
    let other = browser.page().await;
    other.open(&set_up_link(&installation).await).await;
    other.says("This link works no more").await;
    assert_eq!(other.document().status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_call_is_made_without_javascript_too() {
    let (installation, browser) = (Installation::serving(&[]).await, Browser::start().await);
    let page = browser.visitor(Look::phone().without_javascript()).await.page().await;
    first_call(&page, &installation, false).await;
    let over = "SELECT 1 FROM calls JOIN call_artifacts ON call_id = id WHERE ended_at IS NOT NULL";
    installation.rows_until(over).await;
    page.reload().await;
    page.says("Completed").await;
    page.shows(css("audio[src]")).await;
    page.follow(link("All calls")).await;
    page.says("Margaret Osei").await;
    page.is_clean().await;
}
