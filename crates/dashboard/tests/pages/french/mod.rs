//! The pages in French, and what they say to bad values: no word of it is English.

mod bad_values;

use std::collections::BTreeMap;

use dashboard::{Entry, entries};
use domain::call::EndedReason;
use domain::callback::DeliveryState;
use domain::user::Role;

use crate::calls::{company, end, placed};
use crate::entrance::{invite, offer};
use crate::support::{Browser, Shown, Site, english_word, read_of};
use bad_values::bad;

type Fields = Vec<(&'static str, String)>;

/// Every thing that a path names, of a company with somebody who may do anything.
struct Place {
    /// Its server runs as long as it is kept.
    _site: Site,
    browser: Browser,
    things: BTreeMap<&'static str, String>,
    email: String,
}

impl Place {
    async fn lay() -> Self {
        let site = Site::start().await;
        let (ground, company, _) = company(&site, Role::Viewer).await;
        let (call, fence) = placed(&site, &ground, "Ada", 0).await;
        end(&site, fence, EndedReason::CustomerBusy, None, 60).await;
        let user = site.user(&company, None, Role::Admin).await;
        let mut browser = site.browser_of(&user).await;
        browser.keep("callwright-language", "fr-CA");
        let organization = ground.organization.to_string();
        let home = format!("/o/{organization}");
        let new = format!("{home}/assistants/new/file");
        let made = browser.submit(&new, &new, &[("file", REALTIME)]).await;
        let assistant = made.location().rsplit('/').next().unwrap().trim_end_matches("?done=created");
        let things = BTreeMap::from([
            ("organization", organization),
            ("trunk", ground.trunk.id.to_string()),
            ("number", ground.number.id.to_string()),
            ("assistant", assistant.to_owned()),
            ("call", call.to_string()),
            ("user", user.id.to_string()),
            ("key", key(&mut browser, &format!("{home}/settings/api-keys")).await),
            ("tenant key", key(&mut browser, "/settings/api-keys").await),
        ]);
        Self { _site: site, browser, things, email: user.email }
    }

    /// The path of an entry; none when it names what this place does not have.
    fn path(&self, path: &str) -> Option<String> {
        let parts = path.split('/').map(|part| {
            let Some(name) = part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) else {
                return Some(part.to_owned());
            };
            let name = if name == "key" && !path.starts_with("/o/") { "tenant key" } else { name };
            self.things.get(name).cloned()
        });
        Some(parts.collect::<Option<Vec<_>>>()?.join("/"))
    }
}

/// Makes a key, and tells its id.
async fn key(browser: &mut Browser, base: &str) -> String {
    let form = browser.get(&format!("{base}/add")).await;
    let id = field(&form, "id");
    let fields = [("id", id.as_str()), ("name", "A"), ("permission", "calls:read")];
    let made = browser.submit("/account", base, &fields).await;
    assert_eq!(made.status, 200, "{}", made.body);
    id
}

/// The value of the first field of this name in a page.
fn field(shown: &Shown, name: &str) -> String {
    let (_, rest) = shown.body.split_once(&format!("name=\"{name}\" value=\"")).unwrap();
    rest.split('"').next().unwrap().to_owned()
}

#[track_caller]
fn assert_french(path: &str, shown: &Shown) {
    assert!(shown.body.contains("lang=\"fr-CA\""), "{path}: {}", shown.body);
    let read = read_of(&shown.body);
    for line in read.lines() {
        assert_eq!(english_word(line), None, "{path}: {line}");
    }
}

#[tokio::test]
async fn no_page_has_an_english_word_in_french() {
    let mut place = Place::lay().await;
    let mut seen = 0;
    for Entry { path, .. } in entries().filter(|entry| entry.method == "GET") {
        let streams = ["/live", "calls.csv"].iter().any(|end| path.ends_with(end));
        let Some(path) = place.path(path).filter(|_| !streams) else { continue };
        let shown = place.browser.get(&path).await;
        if shown.status == 200 {
            assert_french(&path, &shown);
            seen += 1;
        }
    }
    assert!(seen > 30, "{seen} pages");
    let home = place.path("/o/{organization}").unwrap();
    for state in DeliveryState::ALL {
        let path = format!("{home}/callbacks?state={}", state.as_str());
        assert_french(&path, &place.browser.get(&path).await);
    }
    assert_french("nowhere", &place.browser.get("/o/nowhere/calls").await);
}

/// Forms that ask for nothing which could be wrong: they carry out what their button says.
const ONLY_BUTTONS: [&str; 18] = [
    "/account/sessions/end",
    "/language",
    "/o/{organization}/assistants/{assistant}/retire",
    "/o/{organization}/callbacks/{call}",
    "/o/{organization}/calls/{call}/hang-up",
    "/o/{organization}/delete",
    "/o/{organization}/numbers/{number}/retire",
    "/o/{organization}/place-call/example",
    "/o/{organization}/settings/api-keys/{key}/delete",
    "/o/{organization}/settings/callback-secret/show",
    "/settings/api-keys/{key}/delete",
    "/sign-out",
    "/sign-out-everywhere",
    "/trunks/{trunk}/retire",
    "/users/{user}/invite",
    // These have tests of their own: whoever is signed in does not meet them.
    "/invitation/{secret}",
    "/set-up/{secret}",
    "/sign-in",
];

#[tokio::test]
async fn every_form_tells_what_is_wrong_in_french() {
    let mut place = Place::lay().await;
    for Entry { path, .. } in entries().filter(|entry| entry.method == "POST") {
        if ONLY_BUTTONS.contains(&path) {
            continue;
        }
        let target = place.path(path).unwrap_or_else(|| panic!("{path}: say what it names"));
        let all = bad(path, &mut place).await;
        assert!(!all.is_empty(), "{path}: say which values are bad");
        for fields in all {
            let sent: Vec<_> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
            // From the form itself, where a page of the same address has it.
            let has_it = !place.browser.get(&target).await.hidden(&target).is_empty();
            let page = if has_it { target.as_str() } else { "/account" };
            let shown = place.browser.submit(page, &target, &sent).await;
            assert!([409, 422].contains(&shown.status), "{path} {sent:?}: {}", shown.status);
            let told = ["class=\"problem\"", "class=\"problems\"", "class=\"notice bad\"", "role=\"alert\""];
            let told = shown.status == 409 || told.iter().any(|mark| shown.body.contains(mark));
            assert!(told, "{path} {sent:?}: {}", shown.body);
            assert_french(&format!("{path} {sent:?}"), &shown);
        }
    }
}

#[tokio::test]
async fn whoever_comes_in_is_told_what_is_wrong_in_french() {
    let site = Site::start().await;
    let mut browser = site.browser();
    browser.keep("callwright-language", "fr-CA");
    let path = offer(&site).await;
    assert_french(&path, &browser.get(&path).await);
    for password in ["", "password1234", "a@b.example"] {
        let shown = browser.post(&path, &[("email", "a@b.example"), ("password", password)]).await;
        assert_eq!(shown.status, 422);
        assert_french(&path, &shown);
    }
    let (user, path) = invite(&site).await;
    assert_french(&path, &browser.get(&path).await);
    for password in ["", "password1234", &user.email] {
        let shown = browser.post(&path, &[("password", password)]).await;
        assert_eq!(shown.status, 422);
        assert_french(&path, &shown);
    }
    assert_french("sign-in", &browser.get("/sign-in").await);
    for tries in 0..7 {
        let shown = browser.post("/sign-in", &[("email", "a@b.example"), ("password", "x")]).await;
        assert_eq!(shown.status, if tries < 5 { 422 } else { 429 });
        assert_french("sign-in", &shown);
    }
}

const REALTIME: &str =
    "name = 'Ada'\nengine = 'realtime'\ninstructions = 'Ask.'\nrealtime.model = 'gpt-realtime'\n";
