//! Who may sign in.

use std::sync::atomic::Ordering;

use domain::user::{Role, User};

use crate::support::{Browser, PASSWORD, Shown, Site};

/// The link that is shown, as a path.
fn link(shown: &Shown) -> String {
    let (_, rest) = shown.body.split_once("id=\"link\" value=\"").unwrap_or_else(|| panic!("{}", shown.body));
    let link = rest.split('"').next().unwrap();
    link.split_at(link.find("/invitation/").unwrap()).1.to_owned()
}

async fn invite(browser: &mut Browser, email: &str, role: &str, organization: &str) -> Shown {
    let fields = [("email", email), ("role", role), ("organization", organization)];
    browser.submit("/users/new", "/users/new", &fields).await
}

async fn by_email(site: &Site, email: &str) -> Option<User> {
    site.world.accounts.users_by_email(email).await.unwrap().pop()
}

#[tokio::test]
async fn an_invitation_is_shown_once_and_lets_somebody_in() {
    let site = Site::start().await;
    let mut admin = site.signed_in(&site.clinic, None, Role::Admin).await;
    let organization = site.clinic.first().to_string();
    let shown = invite(&mut admin, "bob@clinic.example", "member", &organization).await;
    assert_eq!(shown.status, 200);
    let path = link(&shown);
    let listed = admin.get("/users").await.body;
    assert!(
        listed.contains("bob@clinic.example") && listed.contains("Invited") && listed.contains("Clinic 0")
    );
    assert!(!listed.contains(&path));
    let mut bob = site.browser();
    assert_eq!(bob.post(&path, &[("password", "a fine password")]).await.status, 303);
    let user = by_email(&site, "bob@clinic.example").await.unwrap();
    assert_eq!((user.role, user.organization, user.active), (Role::Member, Some(site.clinic.first()), true));
    assert_eq!(bob.get("/users").await.status, 403);
    let again =
        admin.submit(&format!("/users/{}", user.id), &format!("/users/{}/invite", user.id), &[]).await;
    assert_eq!(site.browser().get(&link(&again)).await.status, 200);
}

#[tokio::test]
async fn what_is_wrong_with_an_invitation_stands_beside_its_field() {
    let site = Site::start().await;
    let taken = site.user(&site.clinic, None, Role::Viewer).await.email;
    let mut admin = site.signed_in(&site.clinic, None, Role::Admin).await;
    let foreign = site.rival.first().to_string();
    for (email, role, organization, problem) in [
        ("bob", "member", "", "Enter an address such as name@example.com."),
        ("bob@clinic.example", "king", "", "Choose one of the roles."),
        ("bob@clinic.example", "member", "x", "Choose one from the list."),
        ("bob@clinic.example", "member", foreign.as_str(), "Choose one from the list."),
        (taken.as_str(), "member", "", "Somebody signs in by this address already."),
    ] {
        let shown = invite(&mut admin, email, role, organization).await;
        assert_eq!(shown.status, 422, "{email} {role} {organization}");
        assert!(
            shown.body.contains(problem) && shown.body.contains(&format!("value=\"{email}\"")),
            "{}",
            shown.body
        );
    }
    assert_eq!(by_email(&site, "bob@clinic.example").await, None);
}

/// What an admin of the clinic sees when somebody is invited, without what differs each time.
async fn seen_of_invitation(admin: &mut Browser, email: &str) -> (u16, String, String) {
    let shown = invite(admin, email, "viewer", "").await;
    let path = link(&shown);
    (shown.status, shown.body.replace(&path, "…").replace(email, "…"), path)
}

#[tokio::test]
async fn invitation_looks_alike_when_another_tenant_has_the_user() {
    let site = Site::start().await;
    let theirs = site.user(&site.rival, None, Role::Admin).await;
    let mut admin = site.signed_in(&site.clinic, None, Role::Admin).await;
    let asked = || site.passwords.asked.load(Ordering::Relaxed);
    let mut seen = Vec::new();
    for email in [theirs.email.to_uppercase(), "ANYBODY@CLINIC.EXAMPLE".to_owned()] {
        let (status, body, path) = seen_of_invitation(&mut admin, &email).await;
        assert_eq!(status, 200, "{body}");
        // Whoever holds the link: the invited person, or the inviter.
        let mut holder = site.browser();
        let form = holder.get(&path).await;
        let before = asked();
        let accepted = holder.post(&path, &[("password", "a fine password")]).await;
        let hashed = asked() - before;
        let hint = form.body.contains("the password tells which company you enter");
        let form = form.body.replace(&email, "…").replace(&path, "…");
        let again = sign_in(&site, &email, "another password").await;
        let own = sign_in(&site, &email, "a fine password").await;
        let home = holder.get("/account").await.status;
        seen.push((body, form, hint, accepted.status, hashed, again.status, own.status, home));
    }
    assert_eq!(seen[0], seen[1]);
    let (_, _, hint, accepted, hashed, wrong, own, home) = &seen[0];
    assert_eq!((*hint, *accepted, *hashed, *wrong, *own, *home), (true, 303, 1, 422, 303, 200));
    // The listed user of the clinic is the invited one; the rival's is untouched.
    let listed = admin.get("/users").await.body;
    assert!(listed.contains(&theirs.email.to_uppercase()) && !listed.contains(&theirs.email));
    let mut rival = site.browser();
    let form = [("email", theirs.email.as_str()), ("password", PASSWORD)];
    assert_eq!(rival.post("/sign-in", &form).await.status, 303);
    let own = rival.get("/users").await.body;
    assert!(own.contains(&theirs.email) && !own.contains("ANYBODY"), "{own}");
}

async fn sign_in(site: &Site, email: &str, password: &str) -> Shown {
    site.browser().post("/sign-in", &[("email", email), ("password", password)]).await
}

#[tokio::test]
async fn beyond_a_hundred_organizations_one_is_named_by_its_id() {
    let site = Site::start().await;
    let mut admin = site.signed_in(&site.clinic, None, Role::Admin).await;
    assert!(!admin.get("/users/new").await.body.contains("organizationId"));
    for number in 0..99 {
        site.organization(site.clinic.tenant, &format!("A {number}")).await;
    }
    let last = site.organization(site.clinic.tenant, "Z").await;
    let form = admin.get("/users/new").await.body;
    assert!(form.contains("name=\"organizationId\"") && !form.contains(&last.to_string()), "{form}");
    let mut by_id = async |id: &str| {
        let fields = [
            ("email", "bob@clinic.example"),
            ("role", "viewer"),
            ("organization", ""),
            ("organizationId", id),
        ];
        admin.submit("/users/new", "/users/new", &fields).await
    };
    for wrong in ["x", &site.rival.first().to_string()] {
        let shown = by_id(wrong).await;
        assert!(
            shown.status == 422 && shown.body.contains("There is no such organization."),
            "{}",
            shown.body
        );
    }
    assert_eq!(by_id(&last.to_string()).await.status, 200);
    let user = by_email(&site, "bob@clinic.example").await.unwrap();
    assert_eq!(user.organization, Some(last));
    assert!(admin.get(&format!("/users/{}", user.id)).await.body.contains(">Z<"));
}

#[tokio::test]
async fn an_admin_of_one_organization_lets_people_into_that_one_alone() {
    let site = Site::start().await;
    let (own, other) = (site.clinic.organizations[0], site.clinic.organizations[1]);
    let whole = site.user(&site.clinic, None, Role::Member).await;
    let neighbour = site.user(&site.clinic, Some(other), Role::Viewer).await;
    let mut admin = site.signed_in(&site.clinic, Some(own), Role::Admin).await;
    for organization in ["", &other.to_string(), "x"] {
        let email = format!("bob.{}@clinic.example", organization.len());
        assert_eq!(invite(&mut admin, &email, "admin", organization).await.status, 200);
        assert_eq!(by_email(&site, &email).await.unwrap().organization, Some(own));
    }
    let listed = admin.get("/users").await.body;
    for user in [whole, neighbour] {
        assert!(!listed.contains(&user.email));
        assert_eq!(admin.get(&format!("/users/{}", user.id)).await.status, 404);
        for (action, fields) in [("role", &[("role", "admin")][..]), ("invite", &[]), ("remove", &[])] {
            let shown = admin.submit("/users", &format!("/users/{}/{action}", user.id), fields).await;
            assert_eq!(shown.status, 404, "{action}");
        }
        assert_eq!(by_email(&site, &user.email).await, Some(user));
    }
}

#[tokio::test]
async fn a_role_counts_at_once_and_a_removed_user_is_out_at_once() {
    let site = Site::start().await;
    let user = site.user(&site.clinic, None, Role::Viewer).await;
    let (mut theirs, mut admin) =
        (site.browser_of(&user).await, site.signed_in(&site.clinic, None, Role::Admin).await);
    assert_eq!(theirs.get("/users").await.status, 403);
    let page = format!("/users/{}", user.id);
    let shown = admin.submit(&page, &format!("{page}/role"), &[("role", "admin")]).await;
    assert_eq!((shown.status, shown.location()), (303, format!("{page}?done=role").as_str()));
    assert_eq!(theirs.get("/users").await.status, 200);
    let asked = admin.get(&format!("{page}/remove")).await;
    assert!(asked.body.contains("Remove this user") && by_email(&site, &user.email).await.is_some());
    let shown = admin.submit(&format!("{page}/remove"), &format!("{page}/remove"), &[]).await;
    assert_eq!((shown.status, shown.location()), (303, "/users?done=removed"));
    assert_eq!(theirs.get("/users").await.location(), "/sign-in?next=%2Fusers");
    let fields = [("email", user.email.as_str()), ("password", PASSWORD)];
    assert_eq!(theirs.post("/sign-in", &fields).await.status, 422);
}

#[tokio::test]
async fn nobody_gives_themselves_a_new_password_by_way_of_an_invitation() {
    let site = Site::start().await;
    let user = site.user(&site.clinic, None, Role::Admin).await;
    let mut admin = site.browser_of(&user).await;
    let page = format!("/users/{}", user.id);
    assert_eq!(admin.submit(&page, &format!("{page}/invite"), &[]).await.status, 404);
}

#[tokio::test]
async fn the_last_admin_neither_goes_nor_gives_the_role_away() {
    let site = Site::start().await;
    let user = site.user(&site.clinic, None, Role::Admin).await;
    let mut admin = site.browser_of(&user).await;
    let page = format!("/users/{}", user.id);
    for (action, fields) in [("role", &[("role", "viewer")][..]), ("remove", &[])] {
        let shown = admin.submit(&page, &format!("{page}/{action}"), fields).await;
        assert_eq!(shown.status, 422);
        assert!(shown.body.contains("Nobody else runs this company."), "{}", shown.body);
    }
    assert_eq!(by_email(&site, &user.email).await.unwrap().role, Role::Admin);
    site.user(&site.clinic, None, Role::Admin).await;
    let shown = admin.submit(&page, &format!("{page}/role"), &[("role", "viewer")]).await;
    assert_eq!((shown.status, shown.location()), (303, "/account"));
    assert_eq!(admin.get("/users").await.status, 403);
}
