//! API keys: made, shown once, and deleted.

use application::keys::digest_of_well_formed;
use domain::access::{ApiKey, KEYS_SHOWN, KeyDigest, Permission, Principal};
use domain::audit::Action;
use domain::ids::NewId;
use domain::scope::Scope;
use domain::testing::{deed, moment};
use domain::user::Role;
use time::macros::datetime;

use crate::support::{Browser, Shown, Site};

/// The whole key that a page shows.
fn shown_key(page: &Shown) -> Option<String> {
    let (_, rest) = page.body.split_once("<input id=\"key\" value=\"")?;
    rest.split_once('"').map(|(key, _)| key.to_owned())
}

fn hidden<'a>(page: &'a Shown, name: &str) -> &'a str {
    let (_, rest) = page.body.split_once(&format!("name=\"{name}\" value=\"")).unwrap();
    rest.split_once('"').unwrap().0
}

/// Fills the form in as it stands, with a name and the boxes ticked.
async fn add(
    browser: &mut Browser,
    base: &str,
    name: &str,
    ticked: &[&str],
) -> (Vec<(String, String)>, Shown) {
    let form = browser.get(&format!("{base}/add")).await;
    assert_eq!(form.status, 200, "{}", form.body);
    let mut fields = vec![
        ("token".to_owned(), form.token().unwrap().to_owned()),
        ("id".to_owned(), hidden(&form, "id").to_owned()),
        ("name".to_owned(), name.to_owned()),
    ];
    fields.extend(ticked.iter().map(|value| ("permission".to_owned(), (*value).to_owned())));
    let shown = send(browser, base, &fields).await;
    (fields, shown)
}

async fn send(browser: &mut Browser, path: &str, fields: &[(String, String)]) -> Shown {
    let fields: Vec<_> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    browser.post(path, &fields).await
}

async fn holder(site: &Site, key: &str) -> Option<Principal> {
    let digest = digest_of_well_formed(key).expect("a well-formed key");
    site.world.access.authenticate(digest, time::OffsetDateTime::UNIX_EPOCH).await.unwrap()
}

#[tokio::test]
async fn a_key_is_shown_once_works_at_once_and_is_refused_once_it_is_deleted() {
    let site = Site::start().await;
    let organization = site.clinic.first();
    let base = format!("/o/{organization}/settings/api-keys");
    let mut browser = site.signed_in(&site.clinic, Some(organization), Role::Admin).await;
    let empty = browser.get(&base).await;
    assert!(empty.body.contains("No keys yet") && empty.body.contains("Add Key"), "{}", empty.body);

    let (_, made) = add(&mut browser, &base, "Booking <b>", &["calls:read", "outbound:create"]).await;
    assert_eq!((made.status, made.header("cache-control")), (200, Some("no-store")));
    let key = shown_key(&made).unwrap();
    assert!(key.starts_with("cw_org_"));
    let principal = holder(&site, &key).await.unwrap();
    assert_eq!(principal.scope, Scope::Organization(site.clinic.tenant, organization));
    let may: Vec<_> = principal.permissions.iter().map(|permission| permission.as_str()).collect();
    assert_eq!(may, ["calls:read", "outbound:create"]);

    let list = browser.get(&base).await;
    assert!(!list.body.contains(&key) && list.body.contains("Booking &#60;b&#62;"), "{}", list.body);
    let id = principal.key;
    let asked = browser.get(&format!("{base}/{id}/delete")).await;
    assert!(asked.body.contains("Delete this key?"), "{}", asked.body);
    let page = format!("{base}/{id}/delete");
    let deleted = browser.submit(&page, &page, &[]).await;
    assert_eq!((deleted.status, deleted.location()), (303, format!("{base}?done=deleted").as_str()));
    assert_eq!(holder(&site, &key).await, None);
    assert!(browser.get(&format!("{base}?done=deleted")).await.body.contains("refused from now on"));
    assert_eq!(browser.get(&page).await.status, 404);

    let noted = site.world.audit.entries(Scope::Tenant(site.clinic.tenant), None, None, 9).await.unwrap();
    let noted: Vec<_> =
        noted.iter().map(|entry| entry.action).filter(|action| action.as_str().starts_with("key.")).collect();
    assert_eq!(noted, [Action::KeyRevoke, Action::KeyCreate]);
}

#[tokio::test]
async fn a_form_that_is_sent_again_makes_no_second_key_and_shows_none() {
    let site = Site::start().await;
    let base = format!("/o/{}/settings/api-keys", site.clinic.first());
    let mut browser = site.signed_in(&site.clinic, None, Role::Admin).await;
    let (fields, made) = add(&mut browser, &base, "ci", &["calls:read"]).await;
    let key = shown_key(&made).unwrap();
    let again = send(&mut browser, &base, &fields).await;
    assert_eq!((again.status, shown_key(&again)), (409, None));
    assert!(again.body.contains("made already") && !again.body.contains(&key), "{}", again.body);
    let scope = Scope::Organization(site.clinic.tenant, site.clinic.first());
    assert_eq!(site.world.access.live_keys(scope, None).await.unwrap().len(), 1);
    // Nor does the address show it when it is loaded.
    assert!(!browser.get(&base).await.body.contains(&key));
}

#[tokio::test]
async fn what_is_missing_is_told_beside_its_field_and_what_was_typed_stays() {
    let site = Site::start().await;
    let base = format!("/o/{}/settings/api-keys", site.clinic.first());
    let mut browser = site.signed_in(&site.clinic, None, Role::Admin).await;
    let (_, nameless) = add(&mut browser, &base, " ", &["outbound:read"]).await;
    assert_eq!(nameless.status, 422);
    assert!(nameless.body.contains("Give the key a name."), "{}", nameless.body);
    assert!(nameless.body.contains("value=\"outbound:read\" checked"), "{}", nameless.body);
    assert!(!nameless.body.contains("value=\"calls:read\" checked"), "{}", nameless.body);
    let (_, powerless) = add(&mut browser, &base, "no power", &[]).await;
    assert!(powerless.status == 422 && powerless.body.contains("Choose at least one."));
    assert!(powerless.body.contains("value=\"no power\""), "{}", powerless.body);
    let (_, long) = add(&mut browser, &base, &"x".repeat(201), &["calls:read"]).await;
    assert!(long.status == 422 && long.body.contains("At most 200 characters"));
}

#[tokio::test]
async fn the_list_tells_what_each_key_may_do_and_when_it_was_last_used() {
    let site = Site::start().await;
    let base = format!("/o/{}/settings/api-keys", site.clinic.first());
    let mut browser = site.signed_in(&site.clinic, None, Role::Admin).await;
    let (_, reader) = add(&mut browser, &base, "reader", &["calls:read", "outbound:read"]).await;
    add(&mut browser, &base, "dialler", &["outbound:create"]).await;
    let row = |page: &Shown, name: &str| {
        let marked = format!("<strong>{name}</strong>");
        page.body.split("<tr>").find(|row| row.contains(&marked)).unwrap().to_owned()
    };
    let list = browser.get(&base).await;
    let both = "<code>calls:read</code> <code>outbound:read</code></span>";
    let (first, second) = (row(&list, "reader"), row(&list, "dialler"));
    assert!(first.contains(both) && !first.contains("outbound:create"), "{first}");
    assert!(second.contains("<span><code>outbound:create</code></span>"), "{second}");
    let never = "<span class=\"soft\">never</span>";
    assert!(first.contains(never) && second.contains(never), "{}", list.body);

    let digest = digest_of_well_formed(&shown_key(&reader).unwrap()).unwrap();
    // As the organization's clocks in Toronto show it.
    let at = datetime!(2026-11-20 18:30:59 UTC);
    site.world.access.authenticate(digest, at).await.unwrap().unwrap();
    let list = browser.get(&base).await;
    let used = "<time datetime=\"2026-11-20T18:30:59.000Z\">20 Nov 2026, 13:30</time>";
    let (first, second) = (row(&list, "reader"), row(&list, "dialler"));
    assert!(first.contains(used) && !first.contains(never), "{first}");
    assert!(second.contains(never), "{second}");
    browser.keep("callwright-language", "fr-CA");
    let list = browser.get(&base).await;
    assert!(row(&list, "reader").contains(">20 nov. 2026, 13 h 30</time>"), "{}", list.body);
    assert!(row(&list, "dialler").contains("<span class=\"soft\">jamais</span>"), "{}", list.body);
}

#[tokio::test]
async fn there_are_at_most_five_keys_and_a_deleted_one_makes_room() {
    let site = Site::start().await;
    let base = format!("/o/{}/settings/api-keys", site.clinic.first());
    let mut browser = site.signed_in(&site.clinic, None, Role::Admin).await;
    let early = browser.get(&format!("{base}/add")).await;
    let mut keys = Vec::new();
    for number in 0..5 {
        let (_, made) = add(&mut browser, &base, &format!("key {number}"), &["calls:read"]).await;
        keys.push(shown_key(&made).unwrap());
    }
    let list = browser.get(&base).await;
    assert!(list.body.contains("has 5 keys already") && !list.body.contains("Add Key"), "{}", list.body);
    assert!(!browser.get(&format!("{base}/add")).await.body.contains("Create API Key"));
    // A form that was opened before.
    let fields = [
        ("token", early.token().unwrap()),
        ("id", hidden(&early, "id")),
        ("name", "sixth"),
        ("permission", "calls:read"),
    ];
    let sixth = browser.post(&base, &fields).await;
    assert!(sixth.status == 422 && sixth.body.contains("has 5 keys already"), "{}", sixth.body);
    let page = format!("{base}/{}/delete", holder(&site, &keys[0]).await.unwrap().key);
    browser.submit(&page, &page, &[]).await;
    let made = browser.post(&base, &fields).await;
    assert!(shown_key(&made).is_some(), "{}", made.body);
}

#[tokio::test]
async fn keys_of_the_company_are_for_its_own_admins_and_open_all_of_it() {
    let site = Site::start().await;
    let mut admin = site.signed_in(&site.clinic, None, Role::Admin).await;
    let (_, made) = add(&mut admin, "/settings/api-keys", "backend", &["calls:read"]).await;
    let key = shown_key(&made).unwrap();
    assert!(key.starts_with("cw_ten_"));
    let principal = holder(&site, &key).await.unwrap();
    assert_eq!(principal.scope, Scope::Tenant(site.clinic.tenant));
    // Neither listed nor deleted as if it were an organization's.
    let base = format!("/o/{}/settings/api-keys", site.clinic.first());
    assert!(!admin.get(&base).await.body.contains("backend"));
    assert_eq!(admin.get(&format!("{base}/{}/delete", principal.key)).await.status, 404);
    let mut limited = site.signed_in(&site.clinic, Some(site.clinic.first()), Role::Admin).await;
    assert_eq!(limited.get("/settings/api-keys").await.status, 403);
    let mut rival = site.signed_in(&site.rival, None, Role::Admin).await;
    assert!(!rival.get("/settings/api-keys").await.body.contains("backend"));
    let page = format!("/settings/api-keys/{}/delete", principal.key);
    assert_eq!(rival.get(&page).await.status, 404);
    let own = format!("/o/{}/settings/api-keys/add", site.rival.first());
    let refused = rival.submit(&own, &page, &[]).await;
    assert_eq!(refused.status, 404);
    assert!(holder(&site, &key).await.is_some());
}

#[tokio::test]
async fn keys_beyond_a_page_are_shown_on_the_next_and_can_be_deleted() {
    let site = Site::start().await;
    let tenant = site.clinic.tenant;
    for number in 0..=u8::try_from(KEYS_SHOWN).unwrap() {
        let created_at = moment(number.into());
        let record = ApiKey {
            id: NewId::at(created_at, [number; 10]).into(),
            tenant,
            organization: None,
            name: format!("key {number}."),
            permissions: Permission::ALL.to_vec(),
            created_at,
            last_used_at: None,
            revoked_at: None,
        };
        site.world.access.issue(record, KeyDigest([number; 32]), deed(moment(0))).await.unwrap();
    }
    let mut browser = site.signed_in(&site.clinic, None, Role::Admin).await;
    let base = "/settings/api-keys";
    let first = browser.get(base).await;
    assert!(first.body.contains("key 1.") && !first.body.contains("key 0."), "{}", first.body);
    let (_, rest) = first.body.split_once(&format!("href=\"{base}?before=")).unwrap();
    let older = format!("{base}?before={}", rest.split_once('"').unwrap().0);
    let second = browser.get(&older).await;
    assert!(second.body.contains("key 0.") && !second.body.contains("key 1."), "{}", second.body);
    assert!(!second.body.contains("rel=\"next\"") && second.body.contains(&format!("href=\"{base}\"")));
    let scope = Scope::Tenant(tenant);
    let newest = site.world.access.live_keys(scope, None).await.unwrap();
    let oldest = site.world.access.live_keys(scope, Some(newest.last().unwrap().id)).await.unwrap();
    let page = format!("{base}/{}/delete", oldest[0].id);
    let deleted = browser.submit(&page, &page, &[]).await;
    assert_eq!((deleted.status, deleted.location()), (303, format!("{base}?done=deleted").as_str()));
    assert_eq!(site.world.access.live_key(scope, oldest[0].id).await.unwrap(), None);
    // Whoever sends the form once more finds it done.
    assert_eq!(browser.get(&page).await.status, 404);
    assert_eq!(browser.get(&format!("{base}?before=x")).await.status, 404);
}
