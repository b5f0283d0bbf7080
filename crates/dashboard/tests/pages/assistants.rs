//! Assistants as files: made, changed, given keys, retired.

use domain::audit::Action;
use domain::user::Role;

use crate::support::{Site, audited, fields, pairs};

const SCRIPT: &str = "name = 'Ada <b>'\nengine = 'builtin'\nfirst_message = 'Hello {{x}}'\n";
const REALTIME: &str =
    "name = 'Ada'\nengine = 'realtime'\ninstructions = 'Ask.'\nrealtime.model = 'gpt-realtime'\n";

#[tokio::test]
async fn an_assistant_is_made_changed_and_retired() {
    let site = Site::start().await;
    let mut browser = site.signed_in(&site.clinic, None, Role::Member).await;
    let home = format!("/o/{}/assistants", site.clinic.first());
    assert!(browser.get(&home).await.body.contains("There is no assistant yet"));
    let new = format!("{home}/new/file");
    let made = browser.submit(&new, &new, &[("file", SCRIPT)]).await;
    assert_eq!(made.status, 303, "{}", made.body);
    let page = made.location().trim_end_matches("?done=created").to_owned();
    let file = format!("{page}/file");
    let shown = browser.get(&file).await.body;
    assert!(!shown.contains("<b>") && shown.contains("engine = &#34;builtin&#34;"), "{shown}");
    let changed = SCRIPT.replace("Ada <b>", "Grace");
    let saved = browser.submit(&file, &file, &[("file", &changed)]).await;
    assert_eq!(saved.location(), format!("{file}?done=saved"));
    assert!(browser.get(saved.location()).await.body.contains("Saved. Calls from now on use it"));
    assert!(browser.get(&home).await.body.contains(">Grace</a>"));
    let retire = format!("{page}/retire");
    assert!(browser.get(&retire).await.body.contains("Its calls keep naming it"));
    assert_eq!(browser.submit(&retire, &retire, &[]).await.location(), format!("{home}?done=retired"));
    assert_eq!(browser.get(&page).await.status, 404);
    assert!(!browser.get(&home).await.body.contains("Grace"));
    let actions = audited(&site, site.clinic.tenant).await;
    for action in [Action::AssistantCreate, Action::AssistantUpdate, Action::AssistantDelete] {
        assert_eq!(actions.iter().filter(|own| **own == action).count(), 1, "{action:?}");
    }
}

#[tokio::test]
async fn a_mistake_in_the_file_is_told_with_what_was_typed() {
    let site = Site::start().await;
    let mut browser = site.signed_in(&site.clinic, None, Role::Member).await;
    let new = format!("/o/{}/assistants/new/file", site.clinic.first());
    for (file, told) in [
        ("name = 'A'\nengine = 'builtin'\n", "first_message: a script needs one"),
        ("name = 'A'\nengine = builtin\n", "line 2: "),
        (
            &REALTIME.replace("realtime.model", "realtime.endpoint = 'wss://127.0.0.1/x'\nrealtime.model"),
            "realtime.endpoint: ",
        ),
        (
            &REALTIME.replace("realtime.model", "realtime.key = 'sk-1'\nrealtime.model"),
            "realtime.key: a key has no place in a file",
        ),
    ] {
        let shown = browser.submit(&new, &new, &[("file", file)]).await;
        assert_eq!(shown.status, 422, "{file}");
        assert!(shown.body.contains(told), "{told}: {}", shown.body);
        assert!(shown.body.contains("name = &#39;A"), "{}", shown.body);
    }
}

#[tokio::test]
async fn every_engine_begins_with_a_file_that_is_taken_in_both_languages() {
    let site = Site::start().await;
    for language in ["en", "fr-CA"] {
        let mut browser = site.signed_in(&site.clinic, None, Role::Admin).await;
        browser.keep("callwright-language", language);
        for engine in ["builtin", "realtime", "cascade"] {
            let new = format!("/o/{}/assistants/new/file?engine={engine}", site.clinic.first());
            let page = browser.get(&new).await.body;
            let (_, rest) = page.split_once("</a></li>").and(page.split_once("<textarea")).unwrap();
            let (_, rest) = rest.split_once('>').unwrap();
            let (file, _) = rest.split_once("</textarea>").unwrap();
            let file = file.replace("&#34;", "\"").replace("&#39;", "'").replace("&#38;", "&");
            let made = browser.submit(&new, &new, &[("file", &file)]).await;
            assert_eq!(made.status, 303, "{engine} in {language}: {}", made.body);
        }
    }
}

#[tokio::test]
async fn a_providers_key_is_stored_and_never_shown() {
    let site = Site::start().await;
    let mut browser = site.signed_in(&site.clinic, None, Role::Admin).await;
    let new = format!("/o/{}/assistants/new/file", site.clinic.first());
    let made = browser.submit(&new, &new, &[("file", REALTIME)]).await;
    let page = made.location().trim_end_matches("?done=created").to_owned();
    assert!(browser.get(&page).await.body.contains("no key"));
    let key = format!("{page}/key");
    let bad = browser.submit(&page, &key, &[("provider", "realtime"), ("key", "sk 1")]).await;
    assert!(bad.status == 422 && bad.body.contains("visible characters") && !bad.body.contains("sk 1"));
    let given = browser.submit(&page, &key, &[("provider", "realtime"), ("key", "sk-secret")]).await;
    assert_eq!(given.location(), format!("{page}?done=key"));
    let shown = browser.get(&page).await.body;
    assert!(shown.contains("key stored") && !shown.contains("sk-secret"), "{shown}");
    // Saving the file anew keeps it, and so does the form; a member may not give one.
    let file = format!("{page}/file");
    assert_eq!(browser.submit(&file, &file, &[("file", REALTIME)]).await.status, 303);
    let shown = browser.get(&page).await.body;
    assert!(shown.contains("key stored"));
    let known = fields(&shown, "assistant");
    assert_eq!(browser.post(&page, &pairs(&known)).await.location(), format!("{page}?done=saved"));
    assert!(browser.get(&page).await.body.contains("key stored"));
    let mut member = site.signed_in(&site.clinic, None, Role::Member).await;
    let refused = member.submit(&page, &key, &[("provider", "realtime"), ("remove", "yes")]).await;
    assert_eq!(refused.status, 403);
    let removed = browser.submit(&page, &key, &[("provider", "realtime"), ("remove", "yes")]).await;
    assert_eq!(removed.status, 303);
    assert!(browser.get(&page).await.body.contains("no key"));
}

#[tokio::test]
async fn an_assistant_of_another_organization_is_not_there() {
    let site = Site::start().await;
    let mut browser = site.signed_in(&site.clinic, None, Role::Admin).await;
    let new = format!("/o/{}/assistants/new/file", site.clinic.first());
    let made = browser.submit(&new, &new, &[("file", SCRIPT)]).await;
    let id = made.location().rsplit('/').next().unwrap().trim_end_matches("?done=created").to_owned();
    let second = site.clinic.organizations[1];
    let mut rival = site.signed_in(&site.rival, None, Role::Admin).await;
    let mut viewer = site.signed_in(&site.clinic, Some(site.clinic.first()), Role::Viewer).await;
    for view in ["", "/file"] {
        assert_eq!(browser.get(&format!("/o/{second}/assistants/{id}{view}")).await.status, 404);
        let theirs = format!("/o/{}/assistants/{id}{view}", site.rival.first());
        assert_eq!(rival.get(&theirs).await.status, 404);
        let page = format!("/o/{}/assistants/{id}{view}", site.clinic.first());
        let shown = viewer.get(&page).await;
        assert!(shown.status == 200 && shown.body.contains("readonly"), "{}", shown.body);
        assert!(!shown.body.contains("<button>Save"), "{}", shown.body);
        let sent = [("file", SCRIPT), ("name", "A"), ("first_message", "Hello"), ("whole", "yes")];
        assert_eq!(viewer.submit(&page, &page, &sent).await.status, 403);
    }
}
