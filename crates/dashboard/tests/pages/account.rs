//! One's own account.

use std::time::Duration;

use domain::user::Role;

use crate::support::{PASSWORD, Site};

#[tokio::test]
async fn a_new_password_takes_the_old_one_and_ends_other_sessions() {
    let site = Site::start().await;
    let user = site.user(&site.clinic, Some(site.clinic.first()), Role::Viewer).await;
    let (mut browser, mut other) = (site.browser_of(&user).await, site.browser_of(&user).await);
    let page = browser.get("/account").await.body;
    for part in [user.email.as_str(), "Viewer", "Clinic 0"] {
        assert!(page.contains(part), "{part}");
    }
    for (old, new, problem) in [
        ("not this one", "a fine password", "This is not your present password."),
        (PASSWORD, "short", "A password has at least 12 characters."),
    ] {
        let fields = [("old", old), ("new", new)];
        let shown = browser.submit("/account", "/account/password", &fields).await;
        assert_eq!(shown.status, 422);
        assert!(shown.body.contains(problem) && !shown.body.contains(new), "{}", shown.body);
    }
    assert_eq!(other.get("/account").await.status, 200);
    let fields = [("old", PASSWORD), ("new", "a fine password")];
    let shown = browser.submit("/account", "/account/password", &fields).await;
    assert_eq!((shown.status, shown.location()), (303, "/account?done=password"));
    assert!(browser.get("/account?done=password").await.body.contains("The password is changed."));
    assert_eq!(other.get("/account").await.status, 303);
    for (password, status) in [(PASSWORD, 422), ("a fine password", 303)] {
        let fields = [("email", user.email.as_str()), ("password", password)];
        assert_eq!(other.post("/sign-in", &fields).await.status, status);
    }
}

#[tokio::test]
async fn a_session_that_was_left_open_is_no_place_to_guess_the_password() {
    let site = Site::start().await;
    let mut browser = site.signed_in(&site.clinic, None, Role::Viewer).await;
    let token = browser.get("/account").await.token().unwrap().to_owned();
    let guess = [("token", token.as_str()), ("old", "wrong"), ("new", "a fine password")];
    for _ in 0..5 {
        assert_eq!(browser.post("/account/password", &guess).await.status, 422);
    }
    let shown = browser.post("/account/password", &guess).await;
    assert_eq!((shown.status, shown.header("retry-after")), (429, Some("1")));
}

#[tokio::test]
async fn sessions_are_listed_and_ended_one_by_one() {
    let site = Site::start().await;
    let user = site.user(&site.clinic, None, Role::Viewer).await;
    let mut other = site.browser_of(&user).await;
    site.clock.advance(Duration::from_mins(1));
    let mut browser = site.browser_of(&user).await;
    let page = browser.get("/account").await.body;
    assert_eq!(page.matches("Sign out there</button>").count(), 1, "not for the own one: {page}");
    let handle =
        page.split("name=\"session\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let mut stranger = site.signed_in(&site.clinic, None, Role::Admin).await;
    stranger.submit("/account", "/account/sessions/end", &[("session", &handle)]).await;
    assert_eq!(other.get("/account").await.status, 200, "nobody ends another's session");
    let shown = browser.submit("/account", "/account/sessions/end", &[("session", &handle)]).await;
    assert_eq!((shown.status, shown.location()), (303, "/account?done=session"));
    assert_eq!(other.get("/account").await.status, 303);
    assert_eq!(browser.get("/account").await.status, 200);
    let shown = browser.submit("/account", "/account/sessions/end", &[("session", "nonsense")]).await;
    assert_eq!(shown.status, 404);
}

#[tokio::test]
async fn the_account_speaks_french() {
    let site = Site::start().await;
    let mut browser = site.signed_in(&site.clinic, None, Role::Admin).await;
    let fields = [("language", "fr-CA"), ("back", "/account")];
    assert_eq!(browser.post("/language", &fields).await.location(), "/account");
    let page = browser.get("/account").await.body;
    for part in ["Mon compte", "Administration", "Toute l’entreprise", "Se déconnecter partout"] {
        assert!(page.contains(part), "{part}");
    }
}
