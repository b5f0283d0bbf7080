//! Metadata records, and the schemas that judge them.

use domain::user::Role;

use crate::support::{Browser, Shown, Site};

/// The version that the form was made from.
fn version(shown: &Shown) -> &str {
    let (_, rest) =
        shown.body.split_once("name=\"version\" value=\"").unwrap_or_else(|| panic!("{}", shown.body));
    rest.split('"').next().unwrap()
}

/// Opens the form and sends it.
async fn save(browser: &mut Browser, page: &str, text: &str) -> Shown {
    let shown = browser.get(page).await;
    let fields = [("token", shown.token().unwrap()), ("version", version(&shown)), ("metadata", text)];
    browser.post(page, &fields).await
}

#[tokio::test]
async fn a_record_is_replaced_when_the_schema_in_force_lets_it() {
    let site = Site::start().await;
    let page = format!("/o/{}/metadata", site.clinic.first());
    let mut browser = site.signed_in(&site.clinic, None, Role::Admin).await;
    let first = browser.get(&page).await.body;
    assert!(first.contains("Version <span class=\"number\">1</span>"), "{first}");
    let saved = save(&mut browser, &page, "{\"beds\": \"<script>\"}").await;
    assert_eq!(saved.location(), format!("{page}?saved"));
    let second = browser.get(&page).await.body;
    assert!(second.contains("Version <span class=\"number\">2</span>"), "{second}");
    assert!(second.contains("&#60;script&#62;") && !second.contains("\"<script>"), "{second}");

    let schema = r#"{"type":"object","properties":{"beds":{"type":"integer"}}}"#;
    assert_eq!(browser.submit("/schema", "/schema", &[("schema", schema)]).await.status, 303);
    let refused = save(&mut browser, &page, "{\"beds\": \"many\"}").await;
    assert_eq!(refused.status, 422);
    assert!(
        refused.body.contains("Schema validation failed") && refused.body.contains("many"),
        "{}",
        refused.body
    );
    assert_eq!(save(&mut browser, &page, "{\"beds\": 12}").await.status, 303);

    let own = format!("{page}/schema");
    assert_eq!(browser.submit(&own, &own, &[("schema", "{\"required\":[\"wards\"]}")]).await.status, 303);
    assert_eq!(save(&mut browser, &page, "{\"beds\": 12}").await.status, 422);
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
        let shown = save(&mut browser, &page, text).await;
        assert!(shown.status == 422 && shown.body.contains(words), "{text}: {}", shown.body);
    }
    let remote = r#"{"$ref":"https://evil.example/schema"}"#;
    let shown = browser.submit("/schema", "/schema", &[("schema", remote)]).await;
    assert!(shown.status == 422 && shown.body.contains("evil.example"), "{}", shown.body);
}

#[tokio::test]
async fn what_somebody_else_wrote_meanwhile_is_shown_and_not_overwritten() {
    let site = Site::start().await;
    let page = format!("/o/{}/metadata", site.clinic.first());
    let (mut one, mut other) = (
        site.signed_in(&site.clinic, None, Role::Admin).await,
        site.signed_in(&site.clinic, None, Role::Admin).await,
    );
    let opened = one.get(&page).await;
    let token = opened.token().unwrap().to_owned();
    assert_eq!(save(&mut other, &page, "{\"beds\": 12}").await.status, 303);
    let old = [("token", token.as_str()), ("version", version(&opened)), ("metadata", "{\"wards\": 3}")];
    let told = one.post(&page, &old).await;
    assert_eq!((told.status, version(&told)), (409, "2"));
    assert!(told.body.contains("Somebody wrote the version above meanwhile"), "{}", told.body);
    assert!(told.body.contains("beds") && told.body.contains("wards"), "{}", told.body);
    assert!(one.get(&page).await.body.contains("beds"));
    // Broken text keeps the version that it was made from.
    let broken = [("token", token.as_str()), ("version", "1"), ("metadata", "{")];
    assert_eq!(version(&one.post(&page, &broken).await), "1");
    let again = [("token", token.as_str()), ("version", version(&told)), ("metadata", "{\"wards\": 3}")];
    // The same form twice writes one version, and overtakes nobody.
    for _ in 0..2 {
        assert_eq!(one.post(&page, &again).await.status, 303);
    }
    let stands = one.get(&page).await;
    assert!(stands.body.contains("wards") && version(&stands) == "3", "{}", stands.body);
}

#[tokio::test]
async fn members_write_records_and_admins_schemas() {
    let site = Site::start().await;
    let own = site.clinic.first();
    let page = format!("/o/{own}/metadata");
    let mut member = site.signed_in(&site.clinic, Some(own), Role::Member).await;
    assert_eq!(save(&mut member, &page, "{}").await.status, 303);
    let schema = format!("{page}/schema");
    assert_eq!(member.submit(&page, &schema, &[("schema", "{}")]).await.status, 403);
    let mut viewer = site.signed_in(&site.clinic, Some(own), Role::Viewer).await;
    let shown = viewer.get(&page).await;
    assert!(!shown.body.contains("<textarea"), "{}", shown.body);
    assert_eq!(viewer.submit(&page, &page, &[("metadata", "{}")]).await.status, 403);
}

/// The text in the page's form.
fn text(shown: &Shown) -> String {
    let (_, rest) = shown.body.split_once("<textarea").unwrap();
    let text = rest.split_once('>').unwrap().1.split("</textarea>").next().unwrap();
    let text = text.strip_prefix('\n').unwrap_or(text);
    text.replace("&#34;", "\"").replace("&#60;", "<").replace("&#38;", "&")
}

#[tokio::test]
async fn whatever_the_interface_takes_can_be_saved_and_saved_again() {
    let site = Site::start().await;
    let page = format!("/o/{}/metadata", site.clinic.first());
    let mut browser = site.signed_in(&site.clinic, None, Role::Admin).await;
    // Each of 250 KiB; forms write letters that are no ASCII three times as long, and a list takes a line
    // for each of its members.
    let letters = format!("{{\"note\":\"{}\"}}", "é".repeat(125_000));
    let list = format!("{{\"list\":[{}1]}}", "1,".repeat(125_000));
    for record in [letters, list] {
        assert_eq!(save(&mut browser, &page, &record).await.status, 303);
        let shown = text(&browser.get(&page).await);
        let (shown_value, value): (serde_json::Value, serde_json::Value) =
            (serde_json::from_str(&shown).unwrap(), serde_json::from_str(&record).unwrap());
        assert_eq!(shown_value, value);
        assert_eq!(save(&mut browser, &page, &shown).await.status, 303);
    }
}
