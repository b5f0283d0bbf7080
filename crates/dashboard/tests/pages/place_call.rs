//! Placing a call by hand, and hanging one up.

use domain::assistant::Engine;
use domain::audit::Action;
use domain::ids::OrganizationId;
use domain::scope::{Reach, Scope};
use domain::test_line::TestCallee;
use domain::user::Role;

use domain::ports::Clock;

use crate::support::{Browser, Shown, Site, fresh, operator};

const ALL: domain::page::PageRequest = domain::page::PageRequest { number: 1, size: 50 };

fn page(organization: OrganizationId) -> String {
    format!("/o/{organization}/place-call")
}

/// The value of the first field of this name in a page.
fn field(shown: &Shown, name: &str) -> String {
    let marked = format!("name=\"{name}\" value=\"");
    shown.body.split(&marked).nth(1).unwrap().split('"').next().unwrap().to_owned()
}

/// An organization with the example assistant, and a browser of somebody who places calls.
async fn ready(site: &Site) -> (Browser, OrganizationId, String) {
    let organization = site.clinic.first();
    let mut browser = site.signed_in(&site.clinic, Some(organization), Role::Member).await;
    let empty = browser.get(&page(organization)).await;
    assert!(empty.body.contains("There is no assistant yet"), "{}", empty.body);
    let made = browser.submit(&page(organization), &format!("{}/example", page(organization)), &[]).await;
    assert_eq!((made.status, made.location()), (303, page(organization).as_str()));
    let reach = Reach::Within(Scope::Organization(site.clinic.tenant, organization));
    let assistants = site.world.assistants.assistants_of(reach, organization, ALL).await.unwrap();
    assert_eq!(assistants.len(), 1);
    (browser, organization, assistants[0].id.to_string())
}

/// A number of the organization, over a trunk of its tenant.
async fn numbered(site: &Site, number: &str) -> String {
    let (tenant, organization) = (site.clinic.tenant, site.clinic.first());
    let trunk = domain::testing::Ground::lay(&site.world, None).await.unwrap().trunk;
    let trunk = domain::trunk::Trunk { id: fresh(site.clock.now(), site.entropy.as_ref()), tenant, ..trunk };
    let number = domain::trunk::Number {
        id: fresh(site.clock.now(), site.entropy.as_ref()),
        tenant,
        organization,
        trunk: trunk.id,
        number: domain::number::E164::parse(number).unwrap(),
        created_at: trunk.created_at,
    };
    let (id, deed) = (number.id, operator(trunk.created_at));
    site.world.trunks.add_trunk(Reach::Everything, trunk, deed.clone()).await.unwrap();
    site.world.numbers.add_number(Reach::Everything, number, deed).await.unwrap();
    id.to_string()
}

async fn noted(site: &Site, action: Action) -> usize {
    let scope = Scope::Tenant(site.clinic.tenant);
    let entries = site.world.audit.entries(scope, None, None, 50).await.unwrap();
    entries.iter().filter(|entry| entry.action == action).count()
}

#[tokio::test]
async fn a_form_that_is_sent_twice_calls_the_built_in_phone_once_and_the_call_can_be_hung_up() {
    let site = Site::start().await;
    let (mut browser, organization, assistant) = ready(&site).await;
    let form = browser.get(&page(organization)).await;
    for callee in TestCallee::ALL {
        assert!(form.body.contains(callee.number()), "{callee:?}");
    }
    let once = field(&form, "once");
    let path = format!("{}/phone", page(organization));
    let fields = [("once", once.as_str()), ("assistant", &assistant), ("callee", "answers"), ("name", "Ada")];
    let mut calls = Vec::new();
    for _ in 0..2 {
        let placed = browser.submit(&page(organization), &path, &fields).await;
        assert_eq!(placed.status, 303, "{}", placed.body);
        calls.push(placed.location().to_owned());
    }
    assert_eq!(calls[0], calls[1]);
    assert_eq!(noted(&site, Action::CallPlace).await, 1);
    assert_eq!((noted(&site, Action::TrunkCreate).await, noted(&site, Action::NumberCreate).await), (1, 1));

    // The same token with something else is told, and offers a fresh one.
    let changed = [("once", once.as_str()), ("assistant", &assistant), ("callee", "busy"), ("name", "Ada")];
    let refused = browser.submit(&page(organization), &path, &changed).await;
    assert_eq!(refused.status, 422);
    assert!(refused.body.contains("This form was sent before"), "{}", refused.body);
    assert!(refused.body.contains("value=\"Ada\""));
    assert_ne!(field(&refused, "once"), once);

    // The list leads to a question: its rows change while somebody aims at one.
    let hang_up = format!("{}/hang-up", calls[0]);
    let list = browser.get(&format!("/o/{organization}/calls")).await;
    assert!(list.body.contains(&format!("href=\"{hang_up}\"")), "{}", list.body);
    let question = browser.get(&hang_up).await;
    assert!(question.body.contains(&format!("action=\"{hang_up}\"")), "{}", question.body);
    assert_eq!(noted(&site, Action::CallHangUp).await, 0);
    let mut viewer = site.signed_in(&site.clinic, Some(organization), Role::Viewer).await;
    assert!(!viewer.get(&format!("/o/{organization}/calls")).await.body.contains("hang-up"));
    assert_eq!(viewer.get(&hang_up).await.status, 403);
    let asked = browser.submit(&page(organization), &hang_up, &[]).await;
    assert_eq!((asked.status, asked.location()), (303, calls[0].as_str()));
    assert_eq!(noted(&site, Action::CallHangUp).await, 1);
    // Nobody of another company learns that it is there, nor ends it.
    let rival = site.rival.first();
    let mut stranger = site.signed_in(&site.rival, None, Role::Admin).await;
    let call = calls[0].rsplit('/').next().unwrap();
    stranger.submit(&page(rival), &format!("/o/{rival}/calls/{call}/hang-up"), &[]).await;
    assert_eq!(noted(&site, Action::CallHangUp).await, 1);
}

#[tokio::test]
async fn what_is_wrong_stands_at_its_field_with_the_interfaces_words_and_what_was_typed_stays() {
    let site = Site::start().await;
    let (mut browser, organization, assistant) = ready(&site).await;
    let number = numbered(&site, "+14165550100").await;
    let form = browser.get(&page(organization)).await;
    assert!(form.body.contains("+14165550100"), "{}", form.body);
    let once = field(&form, "once");
    let wrong = [
        ("once", once.as_str()),
        ("assistantId", &assistant),
        ("phoneNumberId", &number),
        ("phoneNumber", "123"),
        ("customerName", "<b>Ada</b>"),
        ("dynamicVariables", "day=Monday\nhour"),
        ("callbackUrl", "http://127.0.0.1/"),
    ];
    let told = browser.submit(&page(organization), &page(organization), &wrong).await;
    assert_eq!(told.status, 422);
    for words in [
        "String must contain at least 10 character(s)",
        "Line 2: expected name=value",
        "URL must use https",
        "day=Monday\nhour",
        "&#60;b&#62;Ada",
    ] {
        assert!(told.body.contains(words), "{words}: {}", told.body);
    }
    assert!(!told.body.contains("<b>Ada"));
    assert_eq!(noted(&site, Action::CallPlace).await, 0);
    browser.keep("callwright-language", "fr-CA");
    let french = browser.submit(&page(organization), &page(organization), &wrong).await;
    assert!(french.body.contains("Au moins 10 caractères"), "{}", french.body);

    let mut right = wrong;
    right[3].1 = "+1 416 555 0123";
    right[5].1 = r#"{"day": "Monday"}"#;
    right[6].1 = "";
    let placed = browser.submit(&page(organization), &page(organization), &right).await;
    assert_eq!(placed.status, 303, "{}", placed.body);
    assert_eq!(noted(&site, Action::CallPlace).await, 1);
}

#[tokio::test]
async fn values_that_make_a_line_too_long_are_refused_at_their_field() {
    let site = Site::start().await;
    let (mut browser, organization, assistant) = ready(&site).await;
    let number = numbered(&site, "+14165550100").await;
    let reach = Reach::Within(Scope::Organization(site.clinic.tenant, organization));
    let stored = site.world.assistants.assistants_of(reach, organization, ALL).await.unwrap().remove(0);
    let mut greedy = stored.clone();
    let Engine::Builtin(script) = &mut greedy.engine else { unreachable!() };
    script.first_message = "{{v}}{{customerName}}".repeat(100);
    site.world.assistants.revise_assistant(reach, greedy, None, operator(stored.created_at)).await.unwrap();

    let form = browser.get(&page(organization)).await;
    let once = field(&form, "once");
    let long = "x".repeat(101);
    let variables = format!("v={long}");
    let to_a_number = [
        ("once", once.as_str()),
        ("assistantId", &assistant),
        ("phoneNumberId", &number),
        ("phoneNumber", "+1 416 555 0123"),
        ("dynamicVariables", &variables),
    ];
    let to_the_phone =
        [("once", once.as_str()), ("assistant", &assistant), ("callee", "answers"), ("name", &long)];
    let phone = format!("{}/phone", page(organization));
    for (path, fields) in [(page(organization), &to_a_number[..]), (phone, &to_the_phone[..])] {
        browser.keep("callwright-language", "en-CA");
        let refused = browser.submit(&page(organization), &path, fields).await;
        assert_eq!(refused.status, 422, "{}", refused.body);
        let told = "Each line of the assistant must contain at most 10000 character(s) when filled";
        assert_eq!(refused.body.matches(told).count(), 1, "{}", refused.body);
        assert!(refused.body.contains(&long));
        browser.keep("callwright-language", "fr-CA");
        let refused = browser.submit(&page(organization), &path, fields).await;
        let told = "au plus 10000 caractères pour chaque réplique de l’assistant";
        assert_eq!(refused.body.matches(told).count(), 1, "{}", refused.body);
    }
    assert_eq!(noted(&site, Action::CallPlace).await, 0);
}

#[tokio::test]
async fn the_call_is_placed_just_as_the_form_says() {
    let site = Site::start().await;
    let (mut browser, organization, _) = ready(&site).await;
    // Neither the first of them nor the last.
    for id in ["00000000-0000-7000-8000-000000000001", "00000000-0000-7000-8000-000000000002"] {
        let example = format!("{}/example", page(organization));
        assert_eq!(browser.submit(&page(organization), &example, &[("id", id)]).await.status, 303);
    }
    let reach = Reach::Within(Scope::Organization(site.clinic.tenant, organization));
    let assistants = site.world.assistants.assistants_of(reach, organization, ALL).await.unwrap();
    let assistant = assistants[1].id.to_string();
    numbered(&site, "+14165550100").await;
    let number = numbered(&site, "+14165550101").await;
    numbered(&site, "+14165550102").await;
    let form = browser.get(&page(organization)).await;
    for (variables, told) in [
        ("day = Monday\nreason=a=b, <b>ü</b>\n", [("day", "Monday"), ("reason", "a=b, <b>ü</b>")]),
        (r#"{"day": "Tuesday", "reason": "two\nlines"}"#, [("day", "Tuesday"), ("reason", "two\nlines")]),
    ] {
        let once = format!("{}{}", field(&form, "once"), variables.len());
        let fields = [
            ("once", once.as_str()),
            ("assistantId", &assistant),
            ("phoneNumberId", &number),
            ("phoneNumber", "+1 416 555 0123"),
            ("customerName", "Zoë <Ada> & Co"),
            ("dynamicVariables", variables),
            ("callbackUrl", "https://receiver.example.com:8443/hook?case=1&x=%C3%BC"),
        ];
        let placed = browser.submit(&page(organization), &page(organization), &fields).await;
        assert_eq!(placed.status, 303, "{}", placed.body);
        let id = placed.location().rsplit('/').next().unwrap().to_owned();
        let calls = site.store.calls();
        let call = calls.iter().find(|call| call.id.to_string() == id).unwrap();
        assert_eq!((call.tenant, call.organization), (site.clinic.tenant, organization));
        assert_eq!(
            (call.assistant.to_string(), call.number.to_string()),
            (assistant.clone(), number.clone())
        );
        assert_eq!(call.destination.as_str(), "+1 416 555 0123");
        assert_eq!(call.customer_name.as_deref(), Some("Zoë <Ada> & Co"));
        let stored: Vec<_> = call.variables.iter().map(|(name, value)| (&**name, &**value)).collect();
        assert_eq!(stored, told);
        let url = call.callback_url.as_ref().unwrap().url().to_string();
        assert_eq!(url, "https://receiver.example.com:8443/hook?case=1&x=%C3%BC");
    }
}

#[tokio::test]
async fn what_is_left_empty_is_left_out_of_the_call() {
    let site = Site::start().await;
    let (mut browser, organization, assistant) = ready(&site).await;
    let number = numbered(&site, "+14165550100").await;
    let form = browser.get(&page(organization)).await;
    let fields = [
        ("once", &*field(&form, "once")),
        ("assistantId", &assistant),
        ("phoneNumberId", &number),
        ("phoneNumber", "+14165550123"),
        ("customerName", " "),
        ("dynamicVariables", "\n"),
        ("callbackUrl", ""),
    ];
    let placed = browser.submit(&page(organization), &page(organization), &fields).await;
    assert_eq!(placed.status, 303, "{}", placed.body);
    let calls = site.store.calls();
    assert_eq!(calls.len(), 1);
    assert_eq!((&calls[0].customer_name, &calls[0].callback_url), (&None, &None));
    assert!(calls[0].variables.is_empty(), "{:?}", calls[0].variables);
}
