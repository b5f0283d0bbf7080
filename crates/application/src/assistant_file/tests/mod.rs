//! What a file may say, and how a mistake in it is told.

mod agents;
mod conduct;
mod examples;
mod scripts;
mod written;

use domain::assistant::{AllowedTenants, Credential, CredentialName};
use domain::ids::NewId;
use domain::network::{Network, Origin};

use super::*;

const BUILTIN: &str = "name = 'A'\nengine = 'builtin'\nfirst_message = 'Hello {{x}}'\n";
const REALTIME: &str =
    "name = 'A'\nengine = 'realtime'\ninstructions = 'Ask.'\nrealtime.model = 'gpt-realtime'\n";
const CASCADE: &str = "name = 'A'\nengine = 'cascade'\ninstructions = 'Ask.'\n[cascade]\nvoice = 'alloy'\n\
    chat.model = 'c'\ntranscription.model = 't'\nspeech.model = 's'\n";

/// Whose files they are.
fn tenant() -> TenantId {
    TenantId::from(NewId::at(OffsetDateTime::UNIX_EPOCH, [1; 10]))
}

/// One network, and one credential for one tenant.
fn allowed() -> Allowed {
    let addresses = AddressPolicy { allowed: vec![Network::parse("10.0.0.0/8").unwrap()], own: Vec::new() };
    let openai = Credential {
        name: CredentialName::parse("openai").unwrap(),
        variable: Some("OPENAI_API_KEY".to_owned()),
        origins: ["https://api.openai.com", "http://10.0.0.5:8080"]
            .map(|own| Origin::parse(own).unwrap())
            .into(),
        tenants: AllowedTenants::Only([tenant()].into()),
    };
    Allowed { addresses, credentials: Credentials::new(vec![openai]) }
}

/// The words about a file that one of its tenant's may not store.
#[track_caller]
fn refused(text: &str, tenant: TenantId) -> String {
    read(text).of_tenant(tenant, &allowed().credentials).unwrap_err().to_string()
}

fn read(text: &str) -> Draft {
    parse(text, &allowed()).unwrap_or_else(|bad| panic!("{bad}\n{text}"))
}

/// The words about a file that says `more` than it may.
#[track_caller]
fn told(least: &str, more: &str) -> String {
    parse(&format!("{least}{more}"), &allowed()).unwrap_err().to_string()
}

#[track_caller]
fn assert_refused(least: &str, cases: &[(&str, &str, &str)]) {
    for (more, key, words) in cases {
        let text = told(least, more);
        assert!(text.contains(key) && text.contains(words), "{more:?}: {text}");
    }
}

#[test]
fn what_is_no_toml_is_told_with_its_line_but_not_repeated() {
    let text = told(BUILTIN, "team = 'B'\nkey = sk-secret\n");
    assert!(text.starts_with("line 5: ") && !text.contains("sk-secret"), "{text}");
    let text = told(REALTIME, "[realtime.key]\nsk-secret\n");
    assert!(!text.contains("sk-secret"), "{text}");
}

#[test]
fn what_has_not_the_form_of_a_file_is_known_by_its_kind() {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let limits = names(&["max_duration_seconds", "silence_seconds", "reprompt_seconds"]);
    for (more, wrong) in [
        ("team = B", Wrong::Syntax),
        ("[limits", Wrong::Syntax),
        ("name = 'B'", Wrong::Repeated),
        ("limits.silence = 2", Wrong::UnknownKey { key: "silence".to_owned(), known: limits }),
        ("[voicemail]", Wrong::MissingKey("action".to_owned())),
        ("voicemail.action = 'sing'", Wrong::UnknownValue(names(&["hang-up", "leave-message"]))),
        ("voicemail.action = 5", Wrong::Kind(Wanted::Text)),
        ("record = 'yes'", Wrong::Kind(Wanted::Boolean)),
        ("team = 7", Wrong::Kind(Wanted::Text)),
        ("limits.silence_seconds = -1", Wrong::Kind(Wanted::Number)),
        ("limits.silence_seconds = '1'", Wrong::Kind(Wanted::Number)),
        ("[[steps]]\nwait_for = 'digits'\ndigits = 300", Wrong::Kind(Wanted::Number)),
        ("outcomes = 'a'", Wrong::Kind(Wanted::List)),
        ("variables = 'a'", Wrong::Kind(Wanted::Table)),
        ("limits = 5", Wrong::Kind(Wanted::Table)),
    ] {
        let bad = parse(&format!("{BUILTIN}{more}\n"), &allowed()).unwrap_err();
        assert!(matches!(&bad, BadFile::Form { misread, .. } if misread.wrong == wrong), "{more}: {bad:?}");
    }
}
