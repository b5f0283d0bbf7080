//! Signing in and out, invitations, the first set-up.

use std::sync::atomic::Ordering;
use std::time::Duration;

use application::people::links;
use domain::ports::{Admission, Clock};
use domain::session::INVITATION_LIFE;
use domain::user::{Role, User};

use crate::support::{Browser, PASSWORD, Shown, Site, operator};

const COOKIE: &str = "__Host-callwright";

async fn sign_in(browser: &mut Browser, email: &str, password: &str) -> Shown {
    browser.post("/sign-in", &[("email", email), ("password", password)]).await
}

/// Whether whoever uses the browser is signed in.
async fn is_in(browser: &mut Browser) -> bool {
    browser.get("/account").await.status == 200
}

#[tokio::test]
async fn the_session_comes_in_a_cookie_for_this_site_alone_and_leads_back_to_where_one_came_from() {
    let site = Site::start().await;
    let user = site.user(&site.clinic, None, Role::Viewer).await;
    let mut browser = site.browser();
    let shown = browser.get("/sign-in?next=%2Fusers%3Fx%3D1").await;
    assert_eq!(shown.status, 200);
    assert!(shown.body.contains("name=\"next\" value=\"/users?x=1\""), "{}", shown.body);
    let fields = [("email", user.email.as_str()), ("password", PASSWORD), ("next", "/users?x=1")];
    let shown = browser.post("/sign-in", &fields).await;
    assert_eq!((shown.status, shown.location()), (303, "/users?x=1"));
    let line = shown.header("set-cookie").unwrap();
    let (pair, flags) = line.split_once("; ").unwrap();
    let mut flags: Vec<_> = flags.split("; ").collect();
    flags.sort_unstable();
    assert_eq!(flags, ["HttpOnly", "Path=/", "SameSite=Lax", "Secure"]);
    assert_eq!(pair.len(), COOKIE.len() + 1 + 43, "{pair}");
    assert!(is_in(&mut browser).await);
    assert_eq!(browser.get("/sign-in").await.location(), "/", "whoever is in goes on");
}

#[tokio::test]
async fn every_sign_in_has_a_session_of_its_own_whatever_cookie_came_with_it() {
    let site = Site::start().await;
    let user = site.user(&site.clinic, None, Role::Viewer).await;
    let mut browser = site.browser();
    let planted = "A".repeat(43);
    browser.keep(COOKIE, &planted);
    assert_eq!(sign_in(&mut browser, &user.email, PASSWORD).await.status, 303);
    let first = browser.cookie(COOKIE).unwrap().to_owned();
    assert_ne!(first, planted);
    let mut other = site.browser();
    other.keep(COOKIE, &planted);
    assert!(!is_in(&mut other).await);
    assert_eq!(sign_in(&mut browser, &user.email, PASSWORD).await.status, 303);
    assert_ne!(browser.cookie(COOKIE).unwrap(), first);
    other.keep(COOKIE, &first);
    assert!(is_in(&mut browser).await && !is_in(&mut other).await, "the session before is over");
}

#[tokio::test]
async fn nobody_learns_who_has_an_account() {
    let site = Site::start().await;
    let known = site.user(&site.clinic, None, Role::Viewer).await;
    let invited = invite(&site).await.0;
    let mut browser = site.browser();
    let mut answers = Vec::new();
    for email in [known.email.as_str(), invited.email.as_str(), "nobody@clinic.example"] {
        let before = site.passwords.asked.load(Ordering::Relaxed);
        let shown = sign_in(&mut browser, email, "not the password").await;
        assert_eq!(site.passwords.asked.load(Ordering::Relaxed) - before, 1, "{email}");
        assert!(shown.body.contains(&format!("value=\"{email}\"")), "what was typed stays");
        answers.push((shown.status, shown.body.replace(email, "…")));
    }
    assert_eq!(answers[0].0, 422);
    assert!(answers[0].1.contains("The e-mail address or the password is wrong."), "{}", answers[0].1);
    assert!(!answers[0].1.contains("not the password"));
    assert!(answers.iter().all(|answer| *answer == answers[0]));
}

#[tokio::test]
async fn whoever_fails_five_times_waits_and_is_told_how_long() {
    let site = Site::start().await;
    let user = site.user(&site.clinic, None, Role::Viewer).await;
    let mut browser = site.browser();
    for email in [user.email.as_str(), "nobody@clinic.example"] {
        for _ in 0..5 {
            assert_eq!(sign_in(&mut browser, email, "wrong").await.status, 422);
        }
        let before = site.passwords.asked.load(Ordering::Relaxed);
        let shown = sign_in(&mut browser, email, PASSWORD).await;
        assert_eq!((shown.status, shown.header("retry-after")), (429, Some("1")));
        assert!(shown.body.contains("Too many tries have failed. Please try again in 1 second."));
        assert_eq!(site.passwords.asked.load(Ordering::Relaxed), before, "no password was looked at");
    }
    site.clock.advance(Duration::from_secs(1));
    assert_eq!(sign_in(&mut browser, &user.email, "wrong").await.status, 422);
    browser.headers.insert("accept-language", "fr".parse().unwrap());
    site.clock.advance(Duration::from_millis(500));
    let shown = sign_in(&mut browser, &user.email, PASSWORD).await;
    assert_eq!((shown.status, shown.header("retry-after")), (429, Some("2")));
    assert!(shown.body.contains("Réessayez dans 2 secondes."), "{}", shown.body);
    site.clock.advance(Duration::from_millis(1500));
    assert_eq!(sign_in(&mut browser, &user.email, PASSWORD).await.status, 303);
    assert_eq!(sign_in(&mut site.browser(), &user.email, "wrong").await.status, 422, "and all is forgotten");
}

#[tokio::test]
async fn an_address_that_fails_twenty_times_waits_whatever_account_it_tries() {
    let site = Site::start().await;
    let user = site.user(&site.clinic, None, Role::Viewer).await;
    let mut browser = site.browser();
    for number in 0..20 {
        let email = format!("{number}@clinic.example");
        assert_eq!(sign_in(&mut browser, &email, "wrong").await.status, 422);
    }
    let shown = sign_in(&mut browser, &user.email, PASSWORD).await;
    assert_eq!((shown.status, shown.header("retry-after")), (429, Some("1")));
}

#[tokio::test]
async fn a_flood_of_forms_from_one_address_ends_before_it_is_read() {
    let site = Site::start().await;
    let user = site.user(&site.clinic, None, Role::Viewer).await;
    let mut inside = site.browser_of(&user).await;
    let mut browser = site.browser();
    for number in 0..60 {
        let status = browser.post("/language", &[("language", "fr-CA"), ("back", "/sign-in")]).await.status;
        assert_eq!(status, 303, "{number}");
    }
    let asked = site.passwords.asked.load(Ordering::Relaxed);
    let shown = sign_in(&mut browser, &user.email, PASSWORD).await;
    assert_eq!((shown.status, shown.header("retry-after")), (429, Some("60")));
    assert!(shown.body.contains("Trop de requêtes sont venues de votre adresse"), "{}", shown.body);
    assert_eq!(site.passwords.asked.load(Ordering::Relaxed), asked);
    // Pages are read, and whoever is signed in goes on.
    assert_eq!(browser.get("/sign-in").await.status, 200);
    assert_eq!(inside.submit("/account", "/sign-out", &[]).await.status, 303);
    site.clock.advance(Duration::from_mins(1));
    assert_eq!(sign_in(&mut browser, &user.email, PASSWORD).await.status, 303);
}

#[tokio::test]
async fn when_too_many_passwords_are_hashed_people_try_again() {
    let site = Site::start().await;
    let user = site.user(&site.clinic, None, Role::Viewer).await;
    site.passwords.busy.store(true, Ordering::Relaxed);
    let mut browser = site.browser();
    let shown = sign_in(&mut browser, &user.email, PASSWORD).await;
    assert_eq!((shown.status, shown.header("retry-after")), (503, Some("5")));
    assert!(shown.body.contains(&user.email) && browser.cookie(COOKIE).is_none());
    // Nothing was guessed: however often it comes to that, nobody waits for it.
    for _ in 0..25 {
        assert_eq!(sign_in(&mut browser, &user.email, PASSWORD).await.status, 503);
    }
    site.passwords.busy.store(false, Ordering::Relaxed);
    assert_eq!(sign_in(&mut browser, &user.email, PASSWORD).await.status, 303);
}

#[tokio::test]
async fn nobody_is_led_to_another_site() {
    let site = Site::start().await;
    let user = site.user(&site.clinic, None, Role::Viewer).await;
    for next in
        ["//evil.example", "https://evil.example/", "/\\evil.example", "\\\\evil.example", "javascript:1"]
    {
        let mut browser = site.browser();
        let fields = [("email", user.email.as_str()), ("password", PASSWORD), ("next", next)];
        assert_eq!(browser.post("/sign-in", &fields).await.location(), "/", "{next}");
        let asked = format!("/sign-in?next={}", next.replace('\\', "%5C").replace('/', "%2F"));
        assert_eq!(browser.get(&asked).await.location(), "/", "{next}");
        let shown = site.browser().get(&asked).await;
        assert!(shown.body.contains("name=\"next\" value=\"/\""), "{next}");
    }
}

#[tokio::test]
async fn no_other_site_signs_anybody_in_or_out() {
    let site = Site::start().await;
    let user = site.user(&site.clinic, None, Role::Viewer).await;
    let mut signed_in = site.browser_of(&user).await;
    let token = signed_in.get("/account").await.token().unwrap().to_owned();
    for (name, value) in [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("origin", "https://evil.example"),
        ("origin", "null"),
    ] {
        let mut browser = site.browser();
        browser.headers.insert(name, value.parse().unwrap());
        for path in ["/sign-in", "/invitation/x", "/set-up/x"] {
            let shown = browser.post(path, &[("email", &user.email), ("password", PASSWORD)]).await;
            assert_eq!((shown.status, shown.header("set-cookie")), (403, None), "{path} {name}: {value}");
        }
        signed_in.headers.insert(name, value.parse().unwrap());
        for path in ["/sign-out", "/sign-out-everywhere", "/account/password", "/users/new"] {
            let shown = signed_in.post(path, &[("token", &token)]).await;
            assert_eq!(shown.status, 403, "{path} {name}: {value}");
        }
        signed_in.headers.clear();
        for path in ["/sign-out", "/sign-out-everywhere", "/account/sessions/end"] {
            assert_eq!(signed_in.post(path, &[("token", "made up")]).await.status, 403, "{path}");
            assert_eq!(signed_in.post(path, &[]).await.status, 403, "{path}");
        }
        assert!(is_in(&mut signed_in).await);
    }
    assert_eq!(site.passwords.asked.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn over_plain_http_passwords_are_taken_on_the_machine_itself_alone() {
    let site = Site::start().await;
    let user = site.user(&site.clinic, None, Role::Viewer).await;
    let (_, invitation) = invite(&site).await;
    for (host, private) in [
        ("127.0.0.1:8080", true),
        ("localhost", true),
        ("[::1]:8080", true),
        ("clinic.example", false),
        ("192.0.2.1:8080", false),
        ("localhost.evil.example", false),
    ] {
        let mut browser = site.browser();
        browser.headers.insert("host", host.parse().unwrap());
        for path in ["/sign-in", &invitation] {
            let shown = browser.get(path).await;
            assert_eq!(shown.status, if private { 200 } else { 403 }, "{host} {path}");
            assert_eq!(shown.body.contains("type=\"password\""), private, "{host} {path}");
            assert_eq!(shown.body.contains("A secure connection is needed"), !private, "{host} {path}");
        }
        let before = site.passwords.asked.load(Ordering::Relaxed);
        let shown = sign_in(&mut browser, &user.email, PASSWORD).await;
        assert_eq!(shown.status, if private { 303 } else { 403 }, "{host}");
        assert_eq!(site.passwords.asked.load(Ordering::Relaxed) > before, private, "{host}");
    }
}

#[tokio::test]
async fn signing_out_ends_the_session_here_or_everywhere() {
    let site = Site::start().await;
    let user = site.user(&site.clinic, None, Role::Viewer).await;
    let (mut one, mut two, mut three) =
        (site.browser_of(&user).await, site.browser_of(&user).await, site.browser_of(&user).await);
    let cookie = one.cookie(COOKIE).unwrap().to_owned();
    let shown = one.submit("/account", "/sign-out", &[]).await;
    assert_eq!((shown.status, shown.location()), (303, "/sign-in"));
    assert_eq!(one.cookie(COOKIE), None);
    one.keep(COOKIE, &cookie);
    assert!(!is_in(&mut one).await && is_in(&mut two).await);
    assert_eq!(two.submit("/account", "/sign-out-everywhere", &[]).await.location(), "/sign-in");
    assert!(!is_in(&mut two).await && !is_in(&mut three).await);
}

/// Somebody who is invited, and where.
pub(crate) async fn invite(site: &Site) -> (User, String) {
    let now = site.clock.now();
    let minted = links::mint(site.entropy.as_ref(), now, INVITATION_LIFE);
    let user = User { active: false, ..site.nobody(&site.clinic, None, Role::Member) };
    let admission = Admission::Invitation(minted.link);
    site.world.accounts.add(user.clone(), admission, operator(now)).await.unwrap();
    (user, format!("/invitation/{}", minted.secret.reveal()))
}

#[tokio::test]
async fn an_invitation_is_accepted_once_with_a_good_password() {
    let site = Site::start().await;
    let (user, path) = invite(&site).await;
    let mut browser = site.browser();
    assert!(browser.get(&path).await.body.contains(&user.email));
    for (password, problem) in [
        ("too short", "A password has at least 12 characters."),
        ("password1234", "This password is one of the first that are tried."),
        (user.email.as_str(), "The password must not be the e-mail address."),
    ] {
        let shown = browser.post(&path, &[("password", password)]).await;
        assert_eq!(shown.status, 422, "{password}");
        assert!(
            shown.body.contains(problem) && !shown.body.contains("value=\"too short\""),
            "{}",
            shown.body
        );
        assert!(shown.body.contains("aria-invalid=\"true\""));
    }
    let shown = browser.post(&path, &[("password", "a fine password")]).await;
    assert_eq!((shown.status, shown.location()), (303, "/"));
    assert!(is_in(&mut browser).await);
    let mut second = site.browser();
    for shown in [second.get(&path).await, second.post(&path, &[("password", "another password")]).await] {
        assert_eq!(shown.status, 404);
        assert!(shown.body.contains("This link works no more") && !shown.body.contains(&user.email));
    }
    assert_eq!(second.cookie(COOKIE), None);
    assert_eq!(sign_in(&mut second, &user.email, "a fine password").await.status, 303);
}

#[tokio::test]
async fn an_invitation_is_over_after_a_week() {
    let site = Site::start().await;
    let (_, path) = invite(&site).await;
    site.clock.advance(INVITATION_LIFE);
    let mut browser = site.browser();
    assert_eq!(browser.get(&path).await.status, 404);
    assert_eq!(browser.post(&path, &[("password", "a fine password")]).await.status, 404);
}

/// Where the first set-up is.
pub(crate) async fn offer(site: &Site) -> String {
    let (clock, entropy) = (site.clock.as_ref(), site.entropy.as_ref());
    let path = application::people::offer_set_up::offer(site.world.set_up.as_ref(), clock, entropy).await;
    path.unwrap().unwrap().reveal().clone()
}

const GOOD: [(&str, &str); 5] = [
    ("company", "Acme <b>"),
    ("email", "ada@acme.example"),
    ("password", "a fine password"),
    ("organization", "North Clinic"),
    ("timezone", "America/Halifax"),
];

#[tokio::test]
async fn the_first_set_up_leads_to_the_first_steps_and_is_gone_after_it() {
    let site = Site::start().await;
    let path = offer(&site).await;
    let mut browser = site.browser();
    let shown = browser.get(&path).await;
    assert!(
        shown.status == 200 && shown.body.contains("value=\"America/Toronto\" selected"),
        "{}",
        shown.body
    );
    let shown = browser.post(&path, &GOOD).await;
    assert_eq!(shown.status, 303, "{}", shown.body);
    let steps = shown.location().to_owned();
    assert!(steps.starts_with("/o/") && steps.ends_with("/first-steps"), "{steps}");
    let shown = browser.get(&steps).await;
    assert_eq!(shown.status, 200);
    for link in [steps.replace("first-steps", "assistants"), steps.replace("first-steps", "place-call")] {
        assert!(shown.body.contains(&format!("href=\"{link}\"")), "{link}");
    }
    let mut second = site.browser();
    for shown in [second.get(&path).await, second.post(&path, &GOOD).await] {
        assert_eq!(shown.status, 404);
        assert!(shown.body.contains("This link works no more"));
    }
    assert_eq!(sign_in(&mut second, "ADA@acme.example", "a fine password").await.status, 303);
    let user = site.world.accounts.users_by_email("ada@acme.example").await.unwrap().pop().unwrap();
    assert_eq!((user.role, user.organization), (Role::Admin, None));
}

#[tokio::test]
async fn what_is_wrong_with_a_set_up_stands_beside_its_field_and_what_was_typed_stays() {
    let site = Site::start().await;
    let path = offer(&site).await;
    let mut browser = site.browser();
    for (field, value, problem) in [
        ("company", "", "Enter 1 to 200 characters."),
        ("email", "ada", "Enter an address such as name@example.com."),
        ("password", "short", "A password has at least 12 characters."),
        ("organization", "  ", "Enter 1 to 200 characters."),
        ("timezone", "Mars/Olympus", "Choose one from the list."),
    ] {
        let fields = GOOD.map(|(name, good)| (name, if name == field { value } else { good }));
        let shown = browser.post(&path, &fields).await;
        assert_eq!(shown.status, 422, "{field}");
        let about = shown.body.split(&format!("id=\"{field}-about\"")).nth(1).unwrap();
        assert!(about.split("</p>").next().unwrap().contains(problem), "{field}: {about}");
        assert_eq!(shown.body.matches("aria-invalid").count(), 1, "{field}");
        assert!(!shown.body.contains("a fine password") && !shown.body.contains("value=\"short\""));
        if field != "company" {
            assert!(shown.body.contains("value=\"Acme &#60;b&#62;\""), "{}", shown.body);
        }
    }
    assert_eq!(browser.post(&path, &GOOD).await.status, 303);
}

#[tokio::test]
async fn no_set_up_once_somebody_can_sign_in_and_none_by_a_guess() {
    let site = Site::start().await;
    let path = offer(&site).await;
    let mut browser = site.browser();
    assert_eq!(browser.get("/set-up/guess").await.status, 404);
    assert_eq!(browser.post("/set-up/guess", &GOOD).await.status, 404);
    let newer = offer(&site).await;
    assert_eq!(browser.get(&path).await.status, 404, "a newer link took its place");
    site.user(&site.clinic, None, Role::Viewer).await;
    assert_eq!(browser.get(&newer).await.status, 404);
    assert_eq!(browser.post(&newer, &GOOD).await.status, 404);
}
