//! The secret that signs callbacks: shown on request, and replaced with overlap.

use domain::audit::Action;
use domain::scope::Scope;
use domain::user::Role;

use crate::support::{Shown, Site};

fn copyable<'a>(page: &'a Shown, id: &str) -> Option<&'a str> {
    let (_, rest) = page.body.split_once(&format!("<input id=\"{id}\" value=\""))?;
    rest.split_once('"').map(|(value, _)| value)
}

#[tokio::test]
async fn it_is_shown_on_request_alone_and_noted() {
    let site = Site::start().await;
    let base = format!("/o/{}/settings/callback-secret", site.clinic.first());
    let mut browser = site.signed_in(&site.clinic, None, Role::Admin).await;
    let page = browser.get(&base).await;
    assert!(!page.body.contains("value=\"whsec_") && page.body.contains("Show the secret"), "{}", page.body);
    // Not by an address that could be followed by mistake.
    assert_eq!(browser.get(&format!("{base}/show")).await.status, 405);
    let shown = browser.submit(&base, &format!("{base}/show"), &[]).await;
    assert_eq!((shown.status, shown.header("cache-control")), (200, Some("no-store")));
    assert!(copyable(&shown, "secret").unwrap().starts_with("whsec_"), "{}", shown.body);
    assert_eq!(copyable(&shown, "previous"), None);
    let scope = Scope::Organization(site.clinic.tenant, site.clinic.first());
    let noted = site.world.audit.entries(scope, None, None, 1).await.unwrap();
    assert_eq!(noted[0].action, Action::SecretShow);
}

#[tokio::test]
async fn a_new_one_comes_into_force_once_however_often_the_form_is_sent() {
    let site = Site::start().await;
    let base = format!("/o/{}/settings/callback-secret", site.clinic.first());
    let mut browser = site.signed_in(&site.clinic, None, Role::Admin).await;
    let show = format!("{base}/show");
    let first = browser.submit(&base, &show, &[]).await;
    let form = browser.get(&format!("{base}/rotate")).await;
    let (_, replacing) = form.body.split_once("name=\"replacing\" value=\"").unwrap();
    let fields = [
        ("token", form.token().unwrap()),
        ("replacing", replacing.split_once('"').unwrap().0),
        ("overlap", "72"),
    ];
    let rotate = format!("{base}/rotate");
    assert_eq!(browser.post(&rotate, &fields).await.location(), format!("{base}?done=rotated"));
    assert_eq!(browser.post(&rotate, &fields).await.location(), format!("{base}?done=repeated"));
    let page = browser.get(&format!("{base}?done=rotated")).await;
    // 72 hours after 20 November, 11:05 in Toronto.
    assert!(page.body.contains("23 Nov 2026, 11:05:00"), "{}", page.body);
    let second = browser.submit(&base, &show, &[]).await;
    assert_ne!(copyable(&second, "secret"), copyable(&first, "secret"));
    assert_eq!(copyable(&second, "previous"), copyable(&first, "secret"));
    let ends = browser.get(&rotate).await;
    assert!(ends.body.contains("stops signing at once"), "{}", ends.body);
    let bad = browser.submit(&rotate, &rotate, &[("replacing", fields[1].1), ("overlap", "5000")]).await;
    assert!(bad.status == 422 && bad.body.contains("Choose one of these."), "{}", bad.body);
}
