//! The audit log, page by page, and each as far as they reach.

use std::time::Duration;

use domain::user::Role;

use crate::support::Site;

#[tokio::test]
async fn it_tells_who_did_what_in_the_readers_language() {
    let site = Site::start().await;
    let organization = site.clinic.first();
    let mut browser = site.signed_in(&site.clinic, None, Role::Admin).await;
    let show = format!("/o/{organization}/settings/callback-secret");
    browser.submit(&show, &format!("{show}/show"), &[]).await;
    let log = browser.get("/audit-log").await;
    assert!(log.body.contains("looked at the callback secret of “Clinic 0”"), "{}", log.body);
    assert!(log.body.contains("admin.") && log.body.contains("127.0.0.1"), "{}", log.body);
    browser.keep("callwright-language", "fr-CA");
    let log = browser.get("/audit-log").await;
    assert!(log.body.contains("a consulté le secret de rappel HTTP de «"), "{}", log.body);
}

#[tokio::test]
async fn it_goes_back_page_by_page_and_can_be_narrowed_to_one_organization() {
    let site = Site::start().await;
    let mut browser = site.signed_in(&site.clinic, None, Role::Admin).await;
    for (organization, times) in [(site.clinic.organizations[0], 60), (site.clinic.organizations[1], 1)] {
        let show = format!("/o/{organization}/settings/callback-secret");
        for _ in 0..times {
            site.clock.advance(Duration::from_secs(1));
            browser.submit(&show, &format!("{show}/show"), &[]).await;
        }
    }
    let looks = |body: &str| body.matches("looked at the callback secret").count();
    let newest = browser.get("/audit-log").await;
    assert_eq!(looks(&newest.body), 50);
    let older = newest.body.split("href=\"").find(|part| part.starts_with("/audit-log?before=")).unwrap();
    let older = browser.get(older.split_once('"').unwrap().0).await;
    assert_eq!(looks(&older.body), 11);
    let narrow = format!("/audit-log?organization={}", site.clinic.organizations[1]);
    let narrowed = browser.get(&narrow).await;
    assert!(looks(&narrowed.body) == 1 && narrowed.body.contains("Clinic 1"), "{}", narrowed.body);
}

#[tokio::test]
async fn nobody_reads_beyond_their_reach() {
    let site = Site::start().await;
    let [own, other] = [site.clinic.organizations[0], site.clinic.organizations[1]];
    let mut admin = site.signed_in(&site.clinic, None, Role::Admin).await;
    let show = format!("/o/{other}/settings/callback-secret");
    admin.submit(&show, &format!("{show}/show"), &[]).await;
    let mut limited = site.signed_in(&site.clinic, Some(own), Role::Admin).await;
    let log = limited.get("/audit-log").await;
    assert!(log.status == 200 && !log.body.contains("looked at"), "{}", log.body);
    assert_eq!(limited.get(&format!("/audit-log?organization={other}")).await.status, 404);
    let mut rival = site.signed_in(&site.rival, None, Role::Admin).await;
    assert!(!rival.get("/audit-log").await.body.contains("looked at"));
    assert_eq!(rival.get(&format!("/audit-log?organization={own}")).await.status, 404);
    for role in [Role::Member, Role::Viewer] {
        assert_eq!(site.signed_in(&site.clinic, None, role).await.get("/audit-log").await.status, 403);
    }
}
