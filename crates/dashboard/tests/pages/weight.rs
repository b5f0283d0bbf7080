//! Pages of an organization in which everything is as long and as many as it may be: each weighs little, with
//! all that a browser loads for it.

use domain::access::{ApiKey, KeyDigest, Permission};
use domain::ids::OrganizationId;
use domain::ports::Clock;
use domain::testing::Ground;
use domain::user::Role;

use crate::support::{Browser, Company, Site, fresh, operator};

/// No page takes more than this, with its styles and scripts.
const LARGEST: usize = 100 * 1024;

/// More than a page of any list.
const MANY: usize = 30;

/// Texts of so many signs, each of which takes five bytes in a page.
fn long(number: usize, signs: usize) -> String {
    let number = format!("{number:03} ");
    format!("{number}{}", "\"".repeat(signs - number.len()))
}

/// What a browser loads for a page, without any compression.
async fn weight(browser: &mut Browser, path: &str) -> usize {
    let page = browser.get(path).await;
    assert_eq!(page.status, 200, "{path}: {}", page.body);
    let mut bytes = page.body.len();
    let mut assets: Vec<_> = page.body.split('"').filter(|part| part.starts_with("/assets/")).collect();
    assets.sort_unstable();
    assets.dedup();
    assert!(assets.len() >= 3, "{path}: {assets:?}");
    for asset in assets {
        bytes += browser.get(asset).await.body.len();
    }
    bytes
}

/// So many keys of an organization, or of the whole company.
async fn keys(site: &Site, company: &Company, organization: Option<OrganizationId>, count: usize) {
    for place in 0..count {
        let key = ApiKey {
            id: fresh(site.clock.now(), site.entropy.as_ref()),
            tenant: company.tenant,
            organization,
            name: long(place, 200),
            permissions: Permission::ALL.to_vec(),
            created_at: site.clock.now(),
            last_used_at: Some(site.clock.now()),
            revoked_at: None,
        };
        let mut digest = [u8::from(organization.is_some()); 32];
        digest[0] = u8::try_from(place).unwrap();
        let deed = operator(site.clock.now());
        site.world.access.issue(key, KeyDigest(digest), deed).await.unwrap();
    }
}

/// A site, a company's ground, and somebody who sees all of it.
async fn crowded() -> (Site, Ground, Company, Browser) {
    let site = Site::start().await;
    let ground = Ground::lay(&site.world, None).await.unwrap();
    let company = Company { tenant: ground.tenant, organizations: vec![ground.organization] };
    let browser = site.signed_in(&company, None, Role::Admin).await;
    (site, ground, company, browser)
}

/// Asks for each page in both languages, and tells which weigh too much.
async fn weigh(browser: &mut Browser, pages: &[String]) {
    let mut too_heavy = Vec::new();
    for language in ["en", "fr-CA"] {
        browser.keep("callwright-language", language);
        for page in pages {
            let bytes = weight(browser, page).await;
            if bytes > LARGEST {
                too_heavy.push(format!("{page} in {language}: {bytes} bytes"));
            }
        }
    }
    assert_eq!(too_heavy, Vec::<String>::new());
}

#[tokio::test]
async fn lists_of_keys_weigh_little_however_many_there_are() {
    let (site, ground, company, mut browser) = crowded().await;
    keys(&site, &company, None, MANY).await;
    keys(&site, &company, Some(ground.organization), 5).await;
    let own = format!("/o/{}/settings/api-keys", ground.organization);
    let first = browser.get("/settings/api-keys").await.body;
    let older = first.split("rel=\"next\" href=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    assert_ne!(first.matches("</code></span></td>").count(), MANY);
    weigh(&mut browser, &["/settings/api-keys".to_owned(), older, own.clone(), format!("{own}/add")]).await;
}
