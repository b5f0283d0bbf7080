//! Metadata records, and the schemas that judge them.

use domain::user::Role;

use crate::support::Site;

#[tokio::test]
async fn a_record_is_replaced_when_the_schema_in_force_lets_it() {
    let site = Site::start().await;
    let page = format!("/o/{}/metadata", site.clinic.first());
    let mut browser = site.signed_in(&site.clinic, None, Role::Admin).await;
    let first = browser.get(&page).await.body;
    assert!(first.contains("Version <span class=\"number\">1</span>"), "{first}");
    let saved = browser.submit(&page, &page, &[("metadata", "{\"beds\": \"<script>\"}")]).await;
    assert_eq!(saved.location(), format!("{page}?saved"));
    let second = browser.get(&page).await.body;
    assert!(second.contains("Version <span class=\"number\">2</span>"), "{second}");
    assert!(second.contains("&#60;script&#62;") && !second.contains("\"<script>"), "{second}");

    let schema = r#"{"type":"object","properties":{"beds":{"type":"integer"}}}"#;
    assert_eq!(browser.submit("/schema", "/schema", &[("schema", schema)]).await.status, 303);
    let refused = browser.submit(&page, &page, &[("metadata", "{\"beds\": \"many\"}")]).await;
    assert_eq!(refused.status, 422);
    assert!(
        refused.body.contains("Schema validation failed") && refused.body.contains("many"),
        "{}",
        refused.body
    );
    assert_eq!(browser.submit(&page, &page, &[("metadata", "{\"beds\": 12}")]).await.status, 303);

    let own = format!("{page}/schema");
    assert_eq!(browser.submit(&own, &own, &[("schema", "{\"required\":[\"wards\"]}")]).await.status, 303);
    assert_eq!(browser.submit(&page, &page, &[("metadata", "{\"beds\": 12}")]).await.status, 422);
}

#[tokio::test]
async fn what_is_no_json_object_or_no_safe_schema_is_refused_with_its_place() {
    let site = Site::start().await;
    let page = format!("/o/{}/metadata", site.clinic.first());
    let mut browser = site.signed_in(&site.clinic, None, Role::Admin).await;
    for (text, words) in [
        ("{\n  oops", "not valid JSON (line 2"),
        ("[1]", "has to be a JSON object"),
        ("", "not valid JSON"),
        ("{\"a\":\"\\u0000\"}", "NUL"),
    ] {
        let shown = browser.submit(&page, &page, &[("metadata", text)]).await;
        assert!(shown.status == 422 && shown.body.contains(words), "{text}: {}", shown.body);
    }
    let remote = r#"{"$ref":"https://evil.example/schema"}"#;
    let shown = browser.submit("/schema", "/schema", &[("schema", remote)]).await;
    assert!(shown.status == 422 && shown.body.contains("evil.example"), "{}", shown.body);
}

#[tokio::test]
async fn members_write_records_and_admins_schemas() {
    let site = Site::start().await;
    let own = site.clinic.first();
    let page = format!("/o/{own}/metadata");
    let mut member = site.signed_in(&site.clinic, Some(own), Role::Member).await;
    assert_eq!(member.submit(&page, &page, &[("metadata", "{}")]).await.status, 303);
    let schema = format!("{page}/schema");
    assert_eq!(member.submit(&page, &schema, &[("schema", "{}")]).await.status, 403);
    let mut viewer = site.signed_in(&site.clinic, Some(own), Role::Viewer).await;
    let shown = viewer.get(&page).await;
    assert!(!shown.body.contains("<textarea"), "{}", shown.body);
    assert_eq!(viewer.submit(&page, &page, &[("metadata", "{}")]).await.status, 403);
}
