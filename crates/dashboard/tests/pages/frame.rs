//! What holds for every page.

use std::time::Duration;

use domain::user::Role;

use crate::support::Site;

#[tokio::test]
async fn whoever_is_signed_out_signs_in_and_comes_back() {
    let site = Site::start().await;
    let mut browser = site.browser();
    let shown = browser.get("/").await;
    assert_eq!((shown.status, shown.location()), (303, "/sign-in"));
    assert_eq!(browser.get("/?from=2026").await.location(), "/sign-in?next=%2F%3Ffrom%3D2026");
    browser.keep("__Host-callwright", "not a session");
    assert_eq!(browser.get("/").await.location(), "/sign-in");
}

#[tokio::test]
async fn a_session_that_was_idle_for_twelve_hours_is_over() {
    let site = Site::start().await;
    let mut browser = site.signed_in(&site.clinic, None, Role::Admin).await;
    assert_eq!(browser.get("/").await.location(), "/organizations");
    site.clock.advance(Duration::from_hours(12));
    assert_eq!(browser.get("/").await.location(), "/sign-in");
}

#[tokio::test]
async fn the_start_leads_to_the_calls_of_the_only_organization() {
    let site = Site::start().await;
    let calls = |organization| format!("/o/{organization}/calls");
    let mut browser = site.signed_in(&site.rival, None, Role::Viewer).await;
    assert_eq!(browser.get("/").await.location(), calls(site.rival.first()));
    let second = site.clinic.organizations[1];
    let mut browser = site.signed_in(&site.clinic, Some(second), Role::Viewer).await;
    assert_eq!(browser.get("/").await.location(), calls(second));
}

#[tokio::test]
async fn a_path_that_leads_nowhere_is_a_page_for_browsers_and_json_for_programs() {
    let site = Site::start().await;
    let mut browser = site.browser();
    browser.headers.insert("accept", "text/html,*/*".parse().unwrap());
    browser.headers.insert("accept-language", "fr-CA,fr;q=0.9".parse().unwrap());
    let shown = browser.get("/nowhere").await;
    assert_eq!(shown.status, 404);
    assert!(shown.body.contains("Cette page n’existe pas"), "{}", shown.body);
    assert!(shown.body.contains("<html lang=\"fr-CA\">"));
    let policy = shown.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"), "{policy}");
    assert_eq!(shown.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(shown.header("cache-control"), Some("no-store"));
    let shown = browser.get("/api/nowhere").await;
    assert_eq!((shown.status, shown.body.as_str()), (404, r#"{"error":"Route not found"}"#));
    browser.headers.clear();
    assert_eq!(browser.get("/nowhere").await.body, r#"{"error":"Route not found"}"#);
}

#[tokio::test]
async fn the_chosen_language_is_kept_and_leads_back() {
    let site = Site::start().await;
    let mut browser = site.browser();
    let shown = browser.post("/language", &[("language", "fr-CA"), ("back", "/sign-in?next=%2F")]).await;
    assert_eq!((shown.status, shown.location()), (303, "/sign-in?next=%2F"));
    browser.headers.insert("accept", "text/html".parse().unwrap());
    assert!(browser.get("/nowhere").await.body.contains("Cette page n’existe pas"));
    let shown = browser.post("/language", &[("language", "en"), ("back", "https://evil.example/")]).await;
    assert_eq!(shown.location(), "/");
    assert_eq!(browser.post("/language", &[("language", "xx")]).await.status, 400);
}

#[tokio::test]
async fn a_form_of_another_site_is_refused() {
    let site = Site::start().await;
    for (name, value) in [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("origin", "https://evil.example"),
        ("origin", "null"),
    ] {
        let mut browser = site.browser();
        browser.headers.insert(name, value.parse().unwrap());
        let shown = browser.post("/language", &[("language", "fr-CA")]).await;
        assert_eq!((shown.status, browser.cookie("callwright-language")), (403, None), "{name}: {value}");
    }
    for (name, value) in
        [("sec-fetch-site", "same-origin".to_owned()), ("origin", format!("http://{}", site.address))]
    {
        let mut browser = site.browser();
        browser.headers.insert(name, value.parse().unwrap());
        assert_eq!(browser.post("/language", &[("language", "fr-CA")]).await.status, 303, "{name}: {value}");
    }
}

#[tokio::test]
async fn files_of_pages_are_kept_for_good_under_a_name_that_changes_with_them() {
    let site = Site::start().await;
    let mut browser = site.browser();
    browser.headers.insert("accept", "text/html".parse().unwrap());
    let page = browser.get("/nowhere").await.body;
    let addresses: Vec<_> = page.split('"').filter(|part| part.starts_with("/assets/")).collect();
    assert_eq!(addresses.len(), 3, "{addresses:?}");
    for address in addresses {
        let file = browser.get(address).await;
        assert_eq!(file.status, 200, "{address}");
        assert_eq!(file.header("cache-control"), Some("public, max-age=31536000, immutable"));
    }
    // A page of another version asks for its own: it gets what there is, and does not keep it.
    let file = browser.get("/assets/000000000000/style.css").await;
    assert_eq!((file.status, file.header("cache-control")), (200, Some("no-cache")));
    assert_eq!(file.header("content-type"), Some("text/css; charset=utf-8"));
    assert_eq!(browser.get("/assets/000000000000/other.css").await.status, 404);
}
