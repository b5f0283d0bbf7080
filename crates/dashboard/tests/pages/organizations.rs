//! Organizations: found, made, changed, ended.

use domain::audit::Action;
use domain::scope::Scope;
use domain::user::Role;

use crate::support::{Site, audited};

pub(crate) const FIELDS: [(&str, &str); 9] = [
    ("name", "Clinique du Parc"),
    ("email", "accueil@clinique.example"),
    ("phoneNumber", "+1 514 555 0123"),
    ("address", "12, rue du Parc"),
    ("city", "Montréal"),
    ("stateProvince", "QC"),
    ("postalCode", "H2W 1S4"),
    ("country", "Canada"),
    ("timezone", "America/Toronto"),
];

#[tokio::test]
async fn an_organization_is_made_changed_found_and_deleted() {
    let site = Site::start().await;
    let mut browser = site.signed_in(&site.clinic, None, Role::Admin).await;
    let made = browser.submit("/organizations/new", "/organizations/new", &FIELDS).await;
    assert_eq!(made.status, 303, "{}", made.body);
    let profile = made.location().trim_end_matches("?saved").to_owned();
    let shown = browser.get(&profile).await.body;
    assert!(
        shown.contains("value=\"Clinique du Parc\"") && shown.contains("America/Toronto\" selected"),
        "{shown}"
    );

    let id = profile.split('/').nth(2).unwrap();
    assert!(shown.contains(&format!("value=\"{id}\"")), "{shown}");

    let mut changed = FIELDS.to_vec();
    changed[0].1 = "Clinique \"Nord\" <b>";
    changed.push(("image", "https://clinique.example/logo.png"));
    assert_eq!(browser.submit(&profile, &profile, &changed).await.status, 303);
    let shown = browser.get(&profile).await.body;
    assert!(shown.contains("https://clinique.example/logo.png"), "{shown}");
    assert!(!shown.contains("<b>") && shown.contains("Clinique &#34;Nord&#34; &#60;b&#62;"), "{shown}");

    // Only a new organization has to have them all.
    let (place, new) = ("name=\"city\"", browser.get("/organizations/new").await.body);
    let required =
        |page: &str| page.split(place).nth(1).unwrap().split('>').next().unwrap().contains("required");
    assert!(required(&new) && !required(&shown), "{shown}");
    for emptied in &mut changed[2..8] {
        emptied.1 = "";
    }
    assert_eq!(browser.submit(&profile, &profile, &changed).await.status, 303);

    let list = browser.get("/organizations?search=NORD&sort=createdAt").await.body;
    assert!(list.contains("Clinique &#34;Nord&#34;") && !list.contains(">Clinic 0<"), "{list}");
    let missing = browser.get("/organizations?search=nobody").await.body;
    assert!(missing.contains("No organization has that in its name"));

    let delete = profile.replace("/profile", "/delete");
    assert_eq!(browser.submit(&delete, &delete, &[]).await.location(), "/organizations");
    assert_eq!(browser.get(&profile).await.status, 404);
    let actions = audited(&site, site.clinic.tenant).await;
    let (delete, update) = (Action::OrganizationDelete, Action::OrganizationUpdate);
    let wanted = [delete, update, update, Action::OrganizationCreate];
    assert_eq!(actions[..4], wanted, "{actions:?}");
}

#[tokio::test]
async fn what_is_wrong_stands_at_its_field_and_nothing_typed_is_lost() {
    let site = Site::start().await;
    let mut browser = site.signed_in(&site.clinic, None, Role::Admin).await;
    browser.headers.insert("accept-language", "fr".parse().unwrap());
    let mut fields = FIELDS.to_vec();
    fields[1].1 = "nobody";
    fields[8].1 = "Mars/Olympus";
    fields.push(("image", "http://clinique.example/logo.png"));
    let shown = browser.submit("/organizations/new", "/organizations/new", &fields).await;
    assert_eq!(shown.status, 422);
    for words in
        ["Adresse courriel non valide", "Valeur non valide. Valeurs permises", "doit commencer par https"]
    {
        assert!(shown.body.contains(words), "{words}: {}", shown.body);
    }
    assert!(shown.body.contains("value=\"12, rue du Parc\"") && shown.body.contains("aria-invalid=\"true\""));
    let scope = Scope::Tenant(site.clinic.tenant);
    let found = site.world.organizations.find(scope, site.clinic.first()).await.unwrap();
    assert_eq!(found.unwrap().profile.name, "Clinic 0");
}

#[tokio::test]
async fn who_is_limited_to_one_organization_sees_that_one_and_changes_it_only_as_an_admin() {
    let site = Site::start().await;
    let own = site.clinic.first();
    let mut browser = site.signed_in(&site.clinic, Some(own), Role::Viewer).await;
    let list = browser.get("/organizations").await.body;
    assert!(list.contains(">Clinic 0<") && !list.contains(">Clinic 1<"), "{list}");
    let profile = browser.get(&format!("/o/{own}/profile")).await;
    assert!(!profile.body.contains("Save</button>"), "{}", profile.body);
    assert_eq!(browser.get("/organizations/new").await.status, 403);
    let other = site.clinic.organizations[1];
    assert_eq!(browser.get(&format!("/o/{other}/profile")).await.status, 404);
    assert_eq!(browser.get(&format!("/o/{}/profile", site.rival.first())).await.status, 404);
}
