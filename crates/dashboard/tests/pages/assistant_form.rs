//! Assistants as forms: made and changed field by field, and nothing of their file is lost.

use std::path::Path;

use application::assistant_file;
use domain::assistant::{Assistant, Awaited, Engine, ProviderKey};
use domain::ids::AssistantId;
use domain::ports::Clock;
use domain::scope::{Reach, Scope};
use domain::user::Role;

use crate::support::{Browser, Shown, Site, allowed_assistants, fields, fresh, operator, pairs};

/// The fields that a page shows, with other values for some; those that are not there are added.
fn filled(page: &str, changes: &[(&str, &str)]) -> Vec<(String, String)> {
    let mut all = fields(page, "assistant");
    for (name, value) in changes {
        match all.iter_mut().find(|(own, _)| own == name) {
            Some((_, own)) => (*value).clone_into(own),
            None => all.push(((*name).to_owned(), (*value).to_owned())),
        }
    }
    all
}

/// Opens a form, changes some of its fields, and sends it.
async fn send(browser: &mut Browser, path: &str, changes: &[(&str, &str)]) -> Shown {
    let page = browser.get(path).await.body;
    browser.post(path, &pairs(&filled(&page, changes))).await
}

async fn stored(site: &Site, page: &str) -> Assistant {
    let id = AssistantId::parse(page.rsplit('/').next().unwrap()).unwrap();
    let reach = Reach::Within(Scope::Tenant(site.clinic.tenant));
    site.world.assistants.assistant(reach, id).await.unwrap().unwrap()
}

/// Adds the assistant of a file, and gives the address of its page.
async fn added(site: &Site, text: &str) -> String {
    let (tenant, organization) = (site.clinic.tenant, site.clinic.first());
    let id: AssistantId = fresh(site.clock.now(), site.entropy.as_ref());
    let draft = assistant_file::parse(text, &allowed_assistants()).unwrap();
    let draft = draft.of_tenant(tenant, &allowed_assistants().credentials).unwrap();
    let made = draft.into_assistant(id, organization, site.clock.now());
    let reach = Reach::Within(Scope::Tenant(tenant));
    site.world.assistants.add_assistant(reach, made, operator(site.clock.now())).await.unwrap();
    format!("/o/{organization}/assistants/{id}")
}

#[tokio::test]
async fn a_script_is_made_and_changed_field_by_field() {
    let site = Site::start().await;
    let mut browser = site.signed_in(&site.clinic, None, Role::Member).await;
    let home = format!("/o/{}/assistants", site.clinic.first());
    let new = format!("{home}/new?engine=builtin");
    let made = send(&mut browser, &new, &[("name", "Reminder"), ("first_message", "Good\r\nmorning.")]).await;
    assert_eq!(made.status, 303, "{}", made.body);
    let page = made.location().trim_end_matches("?done=created").to_owned();
    let own = stored(&site, &page).await;
    let Engine::Builtin(script) = &own.engine else { panic!("{own:?}") };
    assert_eq!((own.name.as_str(), script.first_message.as_str()), ("Reminder", "Good\nmorning."));
    assert_eq!(script.steps.len(), 1);

    // One more step, without saving anything.
    let shown = send(&mut browser, &page, &[("team", "Desk"), ("rows", "add-step")]).await;
    assert_eq!(shown.status, 200);
    assert_eq!(stored(&site, &page).await, own);
    assert!(shown.body.contains("value=\"Desk\"") && shown.body.contains("name=\"steps[2].say\""));
    let changes = [
        ("steps[2].wait_for", "digits"),
        ("steps[2].digits", "2"),
        ("steps[2].say", "Which one?"),
        ("steps[2].replies", "12 = Twelve.\r\n*# = Star."),
        ("limits.silence_seconds", "20"),
        ("variables", "clinic = North\r\nday = Monday"),
        ("outcomes", "quote_sent\r\n\r\nsold"),
    ];
    let all = filled(&shown.body, &changes);
    let saved = browser.post(&page, &pairs(&all)).await;
    assert_eq!(saved.location(), format!("{page}?done=saved"));
    let own = stored(&site, &page).await;
    let Engine::Builtin(script) = &own.engine else { panic!("{own:?}") };
    let step = &script.steps[1];
    assert_eq!((step.wait_for, step.say.as_deref()), (Awaited::Digits(2), Some("Which one?")));
    assert_eq!((step.replies["12"].as_str(), step.replies["*#"].as_str()), ("Twelve.", "Star."));
    assert_eq!((own.team.as_deref(), own.limits.silence.as_secs()), (Some("Desk"), 20));
    assert_eq!((own.variables["clinic"].as_str(), own.variables["day"].as_str()), ("North", "Monday"));
    assert_eq!(own.conduct.outcomes, ["quote_sent", "sold"]);

    let removed = send(&mut browser, &page, &[("rows", "remove-step 1")]).await;
    assert!(
        removed.body.contains("Which one?") && !removed.body.contains("steps[2].say"),
        "{}",
        removed.body
    );
}

#[tokio::test]
async fn people_to_hand_a_call_to_are_added_row_by_row() {
    let site = Site::start().await;
    let mut browser = site.signed_in(&site.clinic, None, Role::Member).await;
    let new = format!("/o/{}/assistants/new?engine=realtime", site.clinic.first());
    let first = [("transfer_targets[1].name", "reception"), ("transfer_targets[1].number", "+14165550100")];
    let shown = send(&mut browser, &new, &[&first[..], &[("rows", "add-person")]].concat()).await;
    assert!(shown.body.contains("name=\"transfer_targets[2].number\""), "{}", shown.body);
    let mut all = filled(&shown.body, &[]);
    all.push(("tools".to_owned(), "transfer_call".to_owned()));
    let made = browser.post(&new, &pairs(&all)).await;
    assert_eq!(made.status, 303, "{}", made.body);
    let own = stored(&site, made.location().trim_end_matches("?done=created")).await;
    let Engine::Agent(agent) = own.engine else { panic!("{own:?}") };
    assert_eq!((agent.persona.transfer_targets.len(), agent.persona.tools.len()), (1, 2));
}

#[tokio::test]
async fn a_form_that_is_sent_back_as_it_is_changes_nothing() {
    let site = Site::start().await;
    let mut browser = site.signed_in(&site.clinic, None, Role::Member).await;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let example =
        |name: &str| std::fs::read_to_string(root.join(format!("examples/assistants/{name}.toml"))).unwrap();
    let odd = "team = 'Ü <b>&\"'\nrecord = false\n[voicemail]\naction = 'leave-message'\nmessage = \"\"\"\n\nTwo\r\n lines \"\"\"\n\
               [variables]\n'a = b' = '''two\nlines'''\n'\"q' = '\"q\"'\nnone = ''\n";
    let mut files = ["script", "realtime", "cascade"].map(example).to_vec();
    files.push(format!("name = 'A'\nengine = 'builtin'\nfirst_message = \"a\\r\\nb\\rc\"\n{odd}[[steps]]\nwait_for = 'speech'\n"));
    files.push(format!(
        "name = 'A'\nengine = 'cascade'\ninstructions = ' Ask. '\ntools = []\n{odd}[cascade]\nvoice = 'v'\n\
                        chat.model = 'c'\ntranscription.model = 't'\nspeech.model = 's'\n"
    ));
    for file in files {
        let page = added(&site, &file).await;
        let before = stored(&site, &page).await;
        let saved = send(&mut browser, &page, &[]).await;
        assert_eq!(saved.status, 303, "{}", saved.body);
        assert_eq!(stored(&site, &page).await, before);
    }
}

#[tokio::test]
async fn every_engines_form_begins_with_what_is_taken_in_both_languages() {
    let site = Site::start().await;
    for language in ["en", "fr-CA"] {
        let mut browser = site.signed_in(&site.clinic, None, Role::Member).await;
        browser.keep("callwright-language", language);
        for engine in ["builtin", "realtime", "cascade"] {
            let new = format!("/o/{}/assistants/new?engine={engine}", site.clinic.first());
            let made = send(&mut browser, &new, &[]).await;
            assert_eq!(made.status, 303, "{engine} in {language}: {}", made.body);
        }
    }
}

/// What stands around a field, from its label to the next one.
fn around<'a>(page: &'a str, field: &str) -> &'a str {
    let (_, rest) = page.split_once(&format!("<label for=\"{field}\">")).unwrap();
    rest.split("<label").next().unwrap()
}

#[tokio::test]
async fn a_mistake_is_told_beside_its_field_with_what_was_typed() {
    let site = Site::start().await;
    let mut browser = site.signed_in(&site.clinic, None, Role::Member).await;
    let new = format!("/o/{}/assistants/new", site.clinic.first());
    for (engine, field, typed, told) in [
        ("builtin", "name", " ", "1 to 200"),
        ("builtin", "steps[1].replies", "x = y", "0-9"),
        ("builtin", "variables", "clinic", "Line 1: expected name = value"),
        ("builtin", "limits.max_duration_seconds", "soon", "1 to 14400"),
        ("builtin", "voicemail.message", "Call us.", "leave-message"),
        ("realtime", "realtime.endpoint", "wss://127.0.0.1/x", "loopback"),
        ("realtime", "transfer_targets[1].number", "911", "1 to 200"),
        ("realtime", "realtime.credential", "others", "not a credential that the operator lets"),
        ("cascade", "cascade.chat.credential", "unknown", "not a credential that the operator lets"),
        ("cascade", "cascade.chat.key_variable", "HOME", "ENGINES__CREDENTIALS"),
    ] {
        let path = format!("{new}?engine={engine}");
        let shown = send(&mut browser, &path, &[(field, typed), ("team", "Desk & <b>")]).await;
        assert_eq!(shown.status, 422, "{field}");
        // A person without a name is told so at the name.
        let at = if field.starts_with("transfer_targets") { "transfer_targets[1].name" } else { field };
        let beside = around(&shown.body, at);
        assert!(beside.contains("aria-invalid=\"true\"") && beside.contains(told), "{field}: {beside}");
        assert!(shown.body.contains(&format!("<a href=\"#{at}\">")), "{field}: {}", shown.body);
        assert!(shown.body.contains("value=\"Desk &#38; &#60;b&#62;\""), "{}", shown.body);
        assert!(around(&shown.body, field).contains(typed), "{field}: {}", shown.body);
        let (before, _) = shown.body.split_once(&format!("<label for=\"{at}\">")).unwrap();
        let open = before.rsplit("<details").next().unwrap();
        let inside = before.matches("<details").count() > before.matches("</details>").count();
        assert!(!inside || open.starts_with(" open>"), "{field} is hidden: {open}");
    }
    let mut french = site.signed_in(&site.clinic, None, Role::Member).await;
    french.keep("callwright-language", "fr-CA");
    let shown = send(&mut french, &new, &[("variables", "a = 1\r\na = 2")]).await;
    assert!(
        around(&shown.body, "variables").contains("Ligne 2 : ce nom y figure deux fois"),
        "{}",
        shown.body
    );
}

const OWN_ENDPOINT: &str = "wss://own.example/v1/realtime";

#[tokio::test]
async fn credential_at_an_own_endpoint_is_refused_with_its_origins() {
    let site = Site::start().await;
    let mut browser = site.signed_in(&site.clinic, None, Role::Member).await;
    let new = format!("/o/{}/assistants/new", site.clinic.first());
    let path = format!("{new}?engine=realtime");
    for (field, named) in [("realtime.credential", "openai"), ("realtime.key_variable", "OPENAI_API_KEY")] {
        let changes = [(field, named), ("realtime.endpoint", OWN_ENDPOINT)];
        let shown = send(&mut browser, &path, &changes).await;
        assert_eq!(shown.status, 422, "{}", shown.body);
        let beside = around(&shown.body, "realtime.endpoint");
        assert!(beside.contains("may only be sent to https://api.openai.com"), "{beside}");
        let file = format!(
            "name = 'A'\nengine = 'realtime'\ninstructions = 'Ask.'\n[realtime]\nmodel = 'm'\n\
             endpoint = '{OWN_ENDPOINT}'\n{} = '{named}'\n",
            field.trim_start_matches("realtime.")
        );
        let shown = browser.submit(&format!("{new}/file"), &format!("{new}/file"), &[("file", &file)]).await;
        assert_eq!(shown.status, 422, "{}", shown.body);
        assert!(shown.body.contains("may only be sent to https://api.openai.com"), "{}", shown.body);
        // At its origin it is taken.
        let made = send(&mut browser, &path, &[(field, named)]).await;
        assert_eq!(made.status, 303, "{}", made.body);
        let page = made.location().trim_end_matches("?done=created").to_owned();
        let before = stored(&site, &page).await;
        let revised = send(&mut browser, &page, &[("realtime.endpoint", OWN_ENDPOINT)]).await;
        assert_eq!(revised.status, 422);
        assert!(around(&revised.body, "realtime.endpoint").contains("may only be sent to"));
        assert_eq!(stored(&site, &page).await, before);
    }
    let offered = browser.get(&path).await.body;
    assert!(
        offered.contains("openai (https://api.openai.com)") && !offered.contains("others ("),
        "{offered}"
    );
}

#[tokio::test]
async fn stored_key_is_removed_with_a_notice_when_its_endpoint_moves() {
    let site = Site::start().await;
    let mut browser = site.signed_in(&site.clinic, None, Role::Admin).await;
    let file = "name = 'A'\nengine = 'realtime'\ninstructions = 'Ask.'\n[realtime]\nmodel = 'm'\n";
    for (suffix, field) in [("", "realtime.endpoint"), ("/file", "file")] {
        let page = added(&site, file).await;
        let key = [("provider", "realtime"), ("key", "sk-stored")];
        let given = browser.submit(&page, &format!("{page}/key"), &key).await;
        assert_eq!(given.status, 303, "{}", given.body);
        let own = stored(&site, &page).await;
        assert!(matches!(own.providers()[0].1.key, ProviderKey::Stored(_)));

        let form = format!("{page}{suffix}");
        let mut to = async |endpoint: &str| match field {
            "file" => {
                let text = format!("{file}endpoint = '{endpoint}'\n");
                browser.submit(&form, &form, &[(field, &text)]).await
            }
            _ => send(&mut browser, &form, &[(field, endpoint)]).await,
        };
        let near = to("wss://api.openai.com/v2").await;
        assert!(near.location().ends_with("?done=saved"), "{}", near.location());
        assert_eq!(stored(&site, &page).await.providers()[0].1.key, own.providers()[0].1.key);
        let moved = to(OWN_ENDPOINT).await;
        assert!(moved.location().ends_with("?done=key-lost"), "{}", moved.location());
        assert_eq!(stored(&site, &page).await.providers()[0].1.key, ProviderKey::None);
        // It does not come back with the endpoint.
        to("wss://api.openai.com/v1").await;
        let told = browser.get(moved.location()).await.body;
        assert!(told.contains("its stored key was removed"), "{told}");
        assert_eq!(stored(&site, &page).await.providers()[0].1.key, ProviderKey::None);
    }
}

#[tokio::test]
async fn a_form_that_was_cut_off_changes_nothing() {
    let site = Site::start().await;
    let mut browser = site.signed_in(&site.clinic, None, Role::Member).await;
    let page = added(&site, "name = 'A'\nengine = 'builtin'\nfirst_message = 'Hello'\n").await;
    let shown = browser.get(&page).await.body;
    let mut all = filled(&shown, &[("name", "B")]);
    assert_eq!(all.pop().map(|(name, _)| name).as_deref(), Some("whole"));
    assert_eq!(browser.post(&page, &pairs(&all)).await.status, 400);
    assert_eq!(stored(&site, &page).await.name, "A");
}
