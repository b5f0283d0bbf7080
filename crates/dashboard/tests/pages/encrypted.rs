//! Behind a proxy that ends TLS, under the name by which browsers know the pages.

use domain::user::Role;

use crate::support::{Browser, PASSWORD, Site};

/// A browser that asks for the pages by that name.
fn named(site: &Site) -> Browser {
    let mut browser = site.browser();
    browser.headers.insert("host", "clinic.example".parse().unwrap());
    browser
}

#[tokio::test]
async fn behind_tls_one_signs_in_by_any_name_and_every_answer_says_to_stay_with_it() {
    let site = Site::start_encrypted().await;
    let user = site.user(&site.clinic, Some(site.clinic.first()), Role::Viewer).await;
    let mut browser = named(&site);
    let form = browser.get("/sign-in").await;
    assert_eq!(form.status, 200);
    assert!(form.body.contains("name=\"password\"") && !form.body.contains("TLS"), "{}", form.body);
    let fields = [("email", user.email.as_str()), ("password", PASSWORD)];
    let entered = browser.post("/sign-in", &fields).await;
    assert_eq!((entered.status, entered.location()), (303, "/"));
    let calls = browser.get(&format!("/o/{}/calls", site.clinic.first())).await;
    browser.headers.insert("accept", "text/html".parse().unwrap());
    let lost = browser.get("/nowhere").await;
    assert_eq!(calls.status, 200, "{}", calls.body);
    for answer in [form, entered, calls, lost.clone()] {
        assert_eq!(answer.header("strict-transport-security"), Some("max-age=31536000"));
    }
    assert_eq!(lost.status, 404);
}

#[tokio::test]
async fn without_tls_another_name_is_told_that_it_is_needed_and_no_answer_speaks_of_it() {
    let site = Site::start().await;
    let user = site.user(&site.clinic, None, Role::Viewer).await;
    let mut browser = named(&site);
    let told = browser.get("/sign-in").await;
    assert_eq!(told.status, 403);
    assert!(told.body.contains("TLS") && !told.body.contains("name=\"password\""), "{}", told.body);
    assert_eq!(told.header("strict-transport-security"), None);
    let refused = browser.post("/sign-in", &[("email", user.email.as_str()), ("password", PASSWORD)]).await;
    assert_eq!((refused.status, browser.cookie("__Host-callwright")), (403, None));
}

#[tokio::test]
async fn behind_tls_a_form_comes_from_a_page_under_tls() {
    let site = Site::start_encrypted().await;
    for (origin, status) in [
        ("https://clinic.example", 303),
        ("http://clinic.example", 403),
        ("https://clinic.example:8443", 403),
        ("https://evil.example", 403),
    ] {
        let mut browser = named(&site);
        browser.headers.insert("origin", origin.parse().unwrap());
        let kept = browser.post("/language", &[("language", "fr-CA")]).await;
        assert_eq!(kept.status, status, "{origin}");
        assert_eq!(browser.cookie("callwright-language").is_some(), status == 303, "{origin}");
    }
    // Without it, the same name under TLS is another site.
    let site = Site::start().await;
    for (origin, status) in [("http://clinic.example", 303), ("https://clinic.example", 403)] {
        let mut browser = named(&site);
        browser.headers.insert("origin", origin.parse().unwrap());
        assert_eq!(browser.post("/language", &[("language", "fr-CA")]).await.status, status, "{origin}");
    }
}
