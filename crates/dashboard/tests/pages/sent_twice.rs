//! Forms that are sent twice make one thing, and the second sending leads to it.

use domain::audit::Action;
use domain::user::Role;

use crate::organizations::FIELDS;
use crate::support::{Browser, Shown, Site, audited};

/// Sends a form twice, at once and then again with something else typed; all three lead to the same place.
async fn send_twice(
    browser: &mut Browser,
    page: &str,
    typed: &[(&str, &str)],
) -> (Shown, Vec<(String, String)>) {
    let opened = browser.get(page).await;
    let hidden = opened.hidden(page);
    let fields: Vec<_> = hidden.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let fields = [fields.as_slice(), typed].concat();
    let mut other = browser.clone();
    let (one, two) = tokio::join!(browser.post(page, &fields), other.post(page, &fields));
    assert_eq!((one.status, two.status), (303, 303), "{} {}", one.body, two.body);
    assert_eq!(one.location(), two.location());
    let mut changed = fields.clone();
    if let Some(name) = changed.iter_mut().find(|(name, _)| *name == "name") {
        name.1 = "Another";
    }
    let again = browser.post(page, &changed).await;
    assert_eq!((again.status, again.location()), (303, one.location()), "{}", again.body);
    (one, hidden)
}

async fn made(site: &Site, action: Action) -> usize {
    audited(site, site.clinic.tenant).await.iter().filter(|own| **own == action).count()
}

const TRUNK: [(&str, &str); 3] = [("name", "Carrier"), ("address", "sip.example.com"), ("transport", "udp")];

#[tokio::test]
async fn an_organization_is_made_once() {
    let site = Site::start().await;
    let mut browser = site.signed_in(&site.clinic, None, Role::Admin).await;
    let before = made(&site, Action::OrganizationCreate).await;
    let (made_it, _) = send_twice(&mut browser, "/organizations/new", &FIELDS).await;
    assert!(browser.get(made_it.location()).await.body.contains("Clinique du Parc"));
    assert_eq!(made(&site, Action::OrganizationCreate).await, before + 1);
    let without = browser.submit("/organizations", "/organizations/new", &FIELDS).await;
    assert_eq!(without.status, 400);
}

#[tokio::test]
async fn a_trunk_is_made_once_and_never_by_another_tenants_id() {
    let site = Site::start().await;
    let mut browser = site.signed_in(&site.clinic, None, Role::Admin).await;
    let (_, hidden) = send_twice(&mut browser, "/trunks/new", &TRUNK).await;
    assert_eq!(made(&site, Action::TrunkCreate).await, 1);
    let list = browser.get("/trunks").await.body;
    assert!(list.contains("Carrier") && !list.contains("Another"), "{list}");
    let id = hidden.iter().find(|(name, _)| name == "id").unwrap().1.as_str();
    let mut rival = site.signed_in(&site.rival, None, Role::Admin).await;
    let theirs = [[("id", id)].as_slice(), &TRUNK].concat();
    assert_eq!(rival.submit("/trunks/new", "/trunks/new", &theirs).await.status, 404);
    assert!(!rival.get("/trunks").await.body.contains("Carrier"));
}

#[tokio::test]
async fn a_number_is_made_once_and_never_by_another_organizations_id() {
    let site = Site::start().await;
    let mut browser = site.signed_in(&site.clinic, None, Role::Admin).await;
    let (_, hidden) = send_twice(&mut browser, "/trunks/new", &TRUNK).await;
    let trunk = hidden.iter().find(|(name, _)| name == "id").unwrap().1.as_str();
    let page = format!("/o/{}/numbers/new", site.clinic.first());
    let typed = [("number", "+14155550123"), ("trunk", trunk)];
    let (_, hidden) = send_twice(&mut browser, &page, &typed).await;
    assert_eq!(made(&site, Action::NumberCreate).await, 1);
    let id = hidden.iter().find(|(name, _)| name == "id").unwrap().1.as_str();
    let sister = format!("/o/{}/numbers/new", site.clinic.organizations[1]);
    let theirs = [[("id", id)].as_slice(), &typed].concat();
    assert_eq!(browser.submit(&sister, &sister, &theirs).await.status, 404);
}

#[tokio::test]
async fn an_assistant_is_made_once_and_never_by_another_organizations_id() {
    let site = Site::start().await;
    let mut browser = site.signed_in(&site.clinic, None, Role::Admin).await;
    let file = "name = 'Ada'\nengine = 'builtin'\nfirst_message = 'Hello'\n";
    let mut count = 0;
    for (end, typed) in
        [("new", [("name", "Ada"), ("first_message", "Hello")].as_slice()), ("new/file", &[("file", file)])]
    {
        let page = format!("/o/{}/assistants/{end}", site.clinic.first());
        let (led, hidden) = send_twice(&mut browser, &page, typed).await;
        count += 1;
        assert_eq!(made(&site, Action::AssistantCreate).await, count, "{end}");
        assert!(browser.get(led.location()).await.body.contains("Hello"));
        let id = hidden.iter().find(|(name, _)| name == "id").unwrap().1.as_str();
        let sister = format!("/o/{}/assistants/{end}", site.clinic.organizations[1]);
        let theirs = [[("id", id)].as_slice(), typed].concat();
        assert_eq!(browser.submit(&sister, &sister, &theirs).await.status, 404, "{end}");
    }
}
