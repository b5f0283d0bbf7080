//! Signing in and out, in the browser and as somebody who guesses.

use serde_json::Value;
use test_browser::{Browser, Key, Look, button, css, field};

use super::person::{Person, SESSION};
use crate::support::Installation;

const EMAIL: &str = "nadia@northside.example";
const PASSWORD: &str = "three quiet herons at dawn";

/// A service with one organization and one administrator.
pub struct Office {
    pub installation: Installation,
    pub browser: Browser,
    pub organization: String,
    tenant: String,
}

impl Office {
    pub async fn open() -> Self {
        Self::with(&[]).await
    }

    pub async fn with(settings: &[(&str, &str)]) -> Self {
        let installation = Installation::serving(settings).await;
        let id = |made: &Value| made["id"].as_str().unwrap().to_owned();
        let tenant = id(&installation.operator(&["tenant", "create", "--name", "Northside Health Group"]));
        let organization =
            ["organization", "create", "--tenant", &tenant, "--name", "Northside Dental Clinic"];
        let organization = [&organization[..], &["--email", "desk@northside.example"]].concat();
        let organization = id(&installation.operator(&organization));
        let user = ["user", "create", "--tenant", &tenant, "--email", EMAIL, "--password-stdin"];
        installation.operator_typing(&user, PASSWORD);
        Self { installation, browser: Browser::start().await, organization, tenant }
    }

    /// An address within the organization.
    pub fn within(&self, path: &str) -> String {
        format!("{}/o/{}{path}", self.installation.base(), self.organization)
    }

    /// A page of somebody who looks so and has signed in as the administrator.
    pub async fn signed_in(&self, look: Look) -> test_browser::Page {
        let page = self.browser.visitor(look).await.page().await;
        page.open(&format!("{}/sign-in", self.installation.base())).await;
        enter(&page, PASSWORD).await;
        assert_ne!(page.path().await, "/sign-in", "{}", page.text().await);
        page
    }
}

/// Fills in the form and sends it, in either language.
async fn enter(page: &test_browser::Page, password: &str) {
    page.fill(css("input[name=email]"), EMAIL).await;
    page.fill(css("input[name=password]"), password).await;
    page.follow(css("form[action='/sign-in'] button")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_begins_anew_in_a_cookie_that_nobody_else_sees_and_ends_at_once() {
    let office = Office::open().await;
    let base = office.installation.base();
    let page = office.browser.page().await;
    // What somebody put there before is worth nothing afterwards.
    let planted = format!("{:A>43}", "");
    page.plant_cookie(base, SESSION, &planted).await;
    page.open(&format!("{base}/account")).await;
    assert_eq!(page.path().await, "/sign-in?next=%2Faccount");
    enter(&page, PASSWORD).await;
    assert_eq!(page.path().await, "/account", "one comes back to where one wanted to go");

    let cookies = page.cookies().await;
    let session = cookies.iter().find(|cookie| cookie.name == SESSION).unwrap();
    assert_ne!(session.value, planted);
    assert!(session.secure && session.http_only, "{session:?}");
    assert_eq!((session.path.as_str(), session.domain.as_str()), ("/", "127.0.0.1"));
    assert!(matches!(session.same_site.as_str(), "Lax" | "Strict"), "{session:?}");
    assert_eq!(page.evaluate("document.cookie.includes('__Host')").await, Value::Bool(false));

    let stolen = Person::with_session(base, &session.value);
    assert_eq!(stolen.get("/account").await.status, 200);
    assert!(Person::with_session(base, &planted).get("/account").await.wants_sign_in());
    page.follow(button("Sign out")).await;
    assert_eq!(page.path().await, "/sign-in");
    assert!(stolen.get("/account").await.wants_sign_in(), "the session is over");
    assert!(page.cookies().await.iter().all(|cookie| cookie.name != SESSION));
}

#[tokio::test(flavor = "multi_thread")]
async fn signing_in_again_makes_a_new_session_and_ends_the_old_one() {
    let office = Office::open().await;
    let page = office.signed_in(Look::default()).await;
    let session = |cookies: Vec<test_browser::Cookie>| {
        cookies.into_iter().find(|cookie| cookie.name == SESSION).unwrap().value
    };
    let first = session(page.cookies().await);
    // Signed in elsewhere meanwhile, in the same browser: the form is still open in another window.
    let answer = Person::with_session(office.installation.base(), &first)
        .post_bare(
            "/sign-in",
            &[("email", EMAIL), ("password", PASSWORD)],
            &[("Sec-Fetch-Site", "same-origin")],
        )
        .await;
    assert_eq!(answer.status, 303, "{answer:?}");
    let cookie = answer.cookies().concat();
    assert!(cookie.starts_with(&format!("{SESSION}=")) && !cookie.contains(&first), "{cookie}");
    let first = Person::with_session(office.installation.base(), &first);
    assert!(first.get("/account").await.wants_sign_in(), "the session before it is over");
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_guesses_waits_even_for_the_right_password_and_learns_nothing() {
    let office = Office::open().await;
    let page = office.browser.page().await;
    page.open(&format!("{}/sign-in", office.installation.base())).await;
    for _ in 0..5 {
        enter(&page, "wrong horse battery staple").await;
        page.says("The e-mail address or the password is wrong.").await;
    }
    enter(&page, PASSWORD).await;
    page.says("Too many tries have failed. Please try again in").await;
    assert_eq!((page.document().status, page.path().await.as_str()), (429, "/sign-in"));
    assert!(page.document().header("retry-after").is_some());
    assert!(page.cookies().await.iter().all(|cookie| cookie.name != SESSION));
    page.is_accessible().await;

    let stranger = Person::stranger(office.installation.base());
    let mut told = Vec::new();
    for email in ["somebody.else@northside.example", "nadia@elsewhere.example"] {
        let fields = [("email", email), ("password", "wrong horse battery staple")];
        let answer = stranger.post_bare("/sign-in", &fields, &[("Sec-Fetch-Site", "same-origin")]).await;
        told.push((answer.status, answer.body.replace(email, "…")));
    }
    assert_eq!(told[0], told[1]);
    assert!(told[0].1.contains("The e-mail address or the password is wrong."), "{}", told[0].1);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_signs_in_by_keyboard_alone() {
    let office = Office::open().await;
    let page = office.browser.page().await;
    page.open(&format!("{}/sign-in", office.installation.base())).await;
    // The cursor stands in the first field.
    assert_eq!(page.evaluate("document.activeElement.name").await, "email");
    page.type_text(EMAIL).await;
    page.press(Key::Tab).await;
    page.type_text(PASSWORD).await;
    page.press_through(Key::Enter).await;
    page.says("Northside Dental Clinic").await;
    // Past the navigation in one step.
    page.press(Key::Tab).await;
    page.press(Key::Enter).await;
    page.until("document.activeElement.id === 'content' || location.hash === '#content'").await;
    page.tab_to(button("Sign out")).await;
    page.press_through(Key::Enter).await;
    page.shows(field("Password")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invitation_lets_somebody_in_once_in_french_without_javascript() {
    let office = Office::open().await;
    let invited = office.installation.operator(&[
        "user",
        "create",
        "--tenant",
        &office.tenant,
        "--organization",
        &office.organization,
        "--email",
        "luc@northside.example",
        "--role",
        "member",
    ]);
    let link = invited["invitation"].as_str().unwrap_or_else(|| panic!("{invited}"));
    // It leads to where the outside reaches the service.
    let path = reqwest::Url::parse(link).unwrap().path().to_owned();
    let link = format!("{}{path}", office.installation.base());
    let look = Look::default().reading("fr-CA,fr").without_javascript();
    let page = office.browser.visitor(look).await.page().await;
    page.open(&link).await;
    page.says("Bienvenue").await;
    page.fill(field("Nouveau mot de passe"), "court").await;
    page.evaluate("document.querySelector('input[name=password]').removeAttribute('minlength')").await;
    page.follow(button("Enregistrer et se connecter")).await;
    page.says("Un mot de passe compte au moins 12 caractères.").await;
    page.fill(field("Nouveau mot de passe"), "trois hérons tranquilles").await;
    page.follow(button("Enregistrer et se connecter")).await;
    page.says("Se déconnecter").await;
    assert_eq!(page.evaluate("document.documentElement.lang").await, "fr-CA");

    let other = office.browser.page().await;
    other.open(&link).await;
    other.says("This link works no more").await;
    assert_eq!(other.document().status, 404);
}
