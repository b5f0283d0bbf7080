//! Two people change the same: whoever saves last is told, and nothing of the other is overwritten.

use domain::audit::Action;
use domain::user::Role;

use crate::support::{Browser, Shown, Site, audited};

/// A form that was opened, with what is typed into it.
struct Open<'a> {
    page: &'a str,
    shown: Shown,
    typed: Vec<(&'a str, &'a str)>,
}

impl<'a> Open<'a> {
    async fn by(browser: &mut Browser, page: &'a str, typed: &[(&'a str, &'a str)]) -> Self {
        Self { page, shown: browser.get(page).await, typed: typed.to_vec() }
    }

    async fn send(&self, browser: &mut Browser) -> Shown {
        let hidden = self.shown.hidden(self.page);
        assert!(hidden.iter().any(|(name, _)| name == "seen"), "{}", self.shown.body);
        let mut fields: Vec<_> = hidden.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        fields.extend_from_slice(&self.typed);
        browser.post(self.page, &fields).await
    }
}

/// Both open the page, both save; `mine` and `theirs` are the texts by which each is known.
async fn put_to_the_test(
    site: &Site,
    page: &str,
    (theirs, their_text): (&[(&str, &str)], &str),
    (mine, my_text): (&[(&str, &str)], &str),
) {
    let mut they = site.signed_in(&site.clinic, None, Role::Admin).await;
    let mut me = site.signed_in(&site.clinic, None, Role::Admin).await;
    me.headers.insert("accept-language", "fr".parse().unwrap());
    let (opened, their) = (Open::by(&mut me, page, mine).await, Open::by(&mut they, page, theirs).await);
    assert_eq!(their.send(&mut they).await.status, 303);
    // Sent twice, it is still one change, and overtakes nobody.
    assert_eq!(their.send(&mut they).await.status, 303);

    let told = opened.send(&mut me).await;
    assert_eq!(told.status, 409, "{}", told.body);
    assert!(told.body.contains("Quelqu’un a modifié ceci entre-temps"), "{}", told.body);
    assert!(told.body.contains(&format!("href=\"{page}\" target=\"_blank\"")), "{}", told.body);
    assert!(told.body.contains(my_text), "{}", told.body);
    let stands = they.get(page).await.body;
    assert!(stands.contains(their_text) && !stands.contains(my_text), "{stands}");

    // The same form again is told again; the one that was answered with replaces it.
    assert_eq!(opened.send(&mut me).await.status, 409);
    let again = Open { shown: told, ..opened };
    assert_eq!(again.send(&mut me).await.status, 303);
    let stands = they.get(page).await.body;
    assert!(stands.contains(my_text) && !stands.contains(their_text), "{stands}");

    let nothing_seen = [&[("token", again.shown.token().unwrap())], mine].concat();
    assert_eq!(me.post(page, &nothing_seen).await.status, 400);
}

const TRUNK: [(&str, &str); 3] = [("name", "Carrier"), ("address", "sip.example.com"), ("transport", "udp")];

/// The page of a trunk that is made.
async fn with_trunk(browser: &mut Browser) -> String {
    let opened = browser.get("/trunks/new").await;
    let hidden = opened.hidden("/trunks/new");
    let fields: Vec<_> = hidden.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(browser.post("/trunks/new", &[fields.as_slice(), &TRUNK].concat()).await.status, 303);
    format!("/trunks/{}", hidden.iter().find(|(name, _)| name == "id").unwrap().1)
}

#[tokio::test]
async fn a_trunk_that_somebody_else_changed_is_not_overwritten() {
    let site = Site::start().await;
    let mut browser = site.signed_in(&site.clinic, None, Role::Admin).await;
    let page = with_trunk(&mut browser).await;
    let with = |name: &'static str, address: &'static str| {
        [[("name", name), ("address", address)].as_slice(), &TRUNK[2..]].concat()
    };
    let theirs = with("Carrier", "sip.theirs.example");
    let mut mine = with("Carrier", "sip.mine.example");
    mine.extend([("username", "acme"), ("password", "pässword")]);
    put_to_the_test(&site, &page, (&theirs, "sip.theirs.example"), (&mine, "sip.mine.example")).await;
    let updates = audited(&site, site.clinic.tenant).await;
    assert_eq!(updates.iter().filter(|own| **own == Action::TrunkUpdate).count(), 3);
}

#[tokio::test]
async fn a_password_that_was_typed_is_asked_for_again_and_never_shown() {
    let site = Site::start().await;
    let mut browser = site.signed_in(&site.clinic, None, Role::Admin).await;
    let page = with_trunk(&mut browser).await;
    let login = [("username", "acme"), ("password", "pässword")];
    let opened = Open::by(&mut browser, &page, &[TRUNK.as_slice(), &login].concat()).await;
    let theirs = [[("name", "Other")].as_slice(), &TRUNK[1..]].concat();
    assert_eq!(browser.submit(&page, &page, &theirs).await.status, 303);
    let told = opened.send(&mut browser).await;
    assert_eq!(told.status, 409);
    assert!(told.body.contains("Type it once more") && !told.body.contains("pässword"), "{}", told.body);
}

#[tokio::test]
async fn a_profile_that_somebody_else_changed_is_not_overwritten() {
    let site = Site::start().await;
    let page = format!("/o/{}/profile", site.clinic.first());
    let with = |city: &'static str| {
        [
            ("name", "Clinic"),
            ("email", "desk@clinic.example"),
            ("city", city),
            ("timezone", "America/Toronto"),
        ]
    };
    put_to_the_test(&site, &page, (&with("Ottawa"), "Ottawa"), (&with("Gatineau"), "Gatineau")).await;
}

#[tokio::test]
async fn a_schema_that_somebody_else_put_is_not_overwritten() {
    let site = Site::start().await;
    for page in ["/schema".to_owned(), format!("/o/{}/metadata/schema", site.clinic.first())] {
        let theirs = [("schema", r#"{"title": "wards"}"#)];
        let mine = [("schema", r#"{"title": "beds"}"#)];
        put_to_the_test(&site, &page, (&theirs, "wards"), (&mine, "beds")).await;
    }
}

#[tokio::test]
async fn an_assistant_that_somebody_else_changed_is_not_overwritten() {
    let site = Site::start().await;
    let mut browser = site.signed_in(&site.clinic, None, Role::Admin).await;
    let file = |say: &str| format!("name = 'Ada'\nengine = 'builtin'\nfirst_message = '{say}'\n");
    let new = format!("/o/{}/assistants/new/file", site.clinic.first());
    let made = browser.submit(&new, &new, &[("file", &file("Hello"))]).await;
    let page = made.location().trim_end_matches("?done=created").to_owned();
    let (theirs, mine) = (file("Good wards"), file("Good beds"));
    let (theirs, mine) = ([("file", theirs.as_str())], [("file", mine.as_str())]);
    put_to_the_test(&site, &format!("{page}/file"), (&theirs, "Good wards"), (&mine, "Good beds")).await;
    let with = |say: &'static str| [("name", "Ada"), ("first_message", say)];
    let (theirs, mine) = (with("Good night"), with("Good noon"));
    put_to_the_test(&site, &page, (&theirs, "Good night"), (&mine, "Good noon")).await;
}
