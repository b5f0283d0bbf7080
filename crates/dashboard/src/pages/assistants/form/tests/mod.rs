//! The form as a view of the file: nothing is lost on the way, and each mistake is told at its field.

mod generated;

use std::path::Path;

use application::assistant_file::Allowed;
use domain::assistant::{AllowedTenants, Assistant, Credential, CredentialName, Credentials};
use domain::ids::NewId;
use domain::network::{AddressPolicy, Network, Origin};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use time::OffsetDateTime;

use super::fields::{Row, row_of};
use super::keys::{Keys, Kind, STEP, TARGET};
use super::pairs::BadPair;
use super::*;
use crate::form::Form;

fn allowed() -> Allowed {
    let addresses = AddressPolicy { allowed: vec![Network::parse("10.0.0.0/8").unwrap()], own: Vec::new() };
    let openai = Credential {
        name: CredentialName::parse("openai").unwrap(),
        variable: Some("OPENAI_API_KEY".to_owned()),
        origins: ["https://api.openai.com", "http://10.0.0.5:8080", "http://10.0.0.7:8000"]
            .map(|origin| Origin::parse(origin).unwrap())
            .into(),
        tenants: AllowedTenants::All,
    };
    Allowed { addresses, credentials: Credentials::new(vec![openai]) }
}

fn owned(text: &str) -> Result<OwnedDraft, BadFile> {
    let tenant = NewId::at(OffsetDateTime::UNIX_EPOCH, [1; 10]).into();
    assistant_file::parse(text, &allowed())?.of_tenant(tenant, &allowed().credentials)
}

fn assistant(text: &str) -> Assistant {
    let draft = owned(text).unwrap_or_else(|bad| panic!("{bad}\n{text}"));
    let id = NewId::at(OffsetDateTime::UNIX_EPOCH, [1; 10]);
    draft.into_assistant(id.into(), id.into(), OffsetDateTime::UNIX_EPOCH)
}

/// The fields as a browser sends them back: all line ends as CR LF, and of boxes only the ticked ones.
fn sent(fields: &Fields, engine: &str) -> Form {
    let mut pairs = Vec::new();
    let mut send = |name: &str, kind: Kind, value: &str| {
        let lines = value.replace("\r\n", "\n").replace('\r', "\n").replace('\n', "\r\n");
        match (kind, name) {
            (Kind::Tick, _) if value.is_empty() => {}
            (Kind::Names, "tools") => {
                pairs.extend(value.lines().map(|tool| (name.to_owned(), tool.to_owned())));
            }
            _ => pairs.push((name.to_owned(), lines)),
        }
    };
    for (key, kind) in keys::of(engine) {
        send(key, *kind, fields.value(key));
    }
    let rows: [(_, Keys, &[Row]); 2] =
        [("steps", STEP, &fields.steps), ("transfer_targets", TARGET, &fields.targets)];
    for (list, keys, rows) in rows {
        for (row, number) in rows.iter().zip(1..) {
            for (key, kind) in keys {
                send(&format!("{}.{key}", row_of(list, number)), *kind, row.value(key));
            }
        }
    }
    let escaped = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    let pairs = pairs.iter().map(|(name, value)| format!("{}={}", escaped(name), escaped(value)));
    Form::parse(&pairs.collect::<Vec<_>>().join("&"))
}

/// The assistant that comes of saving the form of another one as it is.
#[track_caller]
fn saved(own: &Assistant) -> Assistant {
    let known = known(own);
    let typed = Fields::typed(&sent(&known, super::super::engine(own)), &known);
    assistant(&typed.to_text().unwrap())
}

#[test]
fn an_example_that_is_saved_as_it_is_stays_as_it_is() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for path in ["script", "realtime", "cascade"].map(|name| format!("examples/assistants/{name}.toml")) {
        let own = assistant(&std::fs::read_to_string(root.join(&path)).unwrap());
        assert_eq!(saved(&own), own, "{path}");
    }
}

#[test]
fn a_key_without_a_field_is_carried_along() {
    let text =
        "engine = 'builtin'\nname = 'A'\nfuture = 1\nlimits.future_seconds = 2\nlimits.silence_seconds = 3\n";
    let fields = Fields::of_file("builtin", text);
    let written: toml::Table = fields.to_text().unwrap().parse().unwrap();
    assert_eq!(written["future"].as_integer(), Some(1));
    assert_eq!(written["limits"]["future_seconds"].as_integer(), Some(2));
    assert_eq!(written["limits"]["silence_seconds"].as_integer(), Some(3));
}

/// Every key at which the reader may find something wrong.
#[test]
fn a_mistake_is_told_at_the_field_where_it_was_made() {
    let script = "name=A&language=en-US&first_message=Hello&record=yes&";
    let step = "steps%5B1%5D.wait_for=";
    let person = "transfer_targets%5B1%5D.name=&transfer_targets%5B1%5D.number=&\
                  transfer_targets%5B2%5D.name=Ada&transfer_targets%5B2%5D.number=";
    let realtime = "name=A&instructions=Ask&realtime.model=m&";
    let cascade = "name=A&instructions=Ask&cascade.voice=v&cascade.chat.model=c&cascade.transcription.model=t&\
                   cascade.speech.model=s&";
    let models = cascade.replace("voice=v", "voice=");
    for (engine, form, field, told) in [
        ("builtin", "name=+&first_message=x", "name", "1 to 200"),
        ("builtin", "name=A&first_message=+", "first_message", "a script needs one"),
        ("builtin", &format!("{script}limits.silence_seconds=soon"), "limits.silence_seconds", "1 to 3600"),
        (
            "builtin",
            &format!("{script}limits.max_duration_seconds=99999999999"),
            "limits.max_duration_seconds",
            "1 to 14400",
        ),
        ("builtin", &format!("{script}voicemail.message=x"), "voicemail.message", "leave-message"),
        ("builtin", &format!("{script}voicemail.action=leave-message"), "voicemail.message", "needs one"),
        ("builtin", "name=A&first_message=x&recording_notice=x", "recording_notice", "nothing is recorded"),
        ("builtin", &format!("{script}outcomes=wrong_number"), "outcomes", "standard outcome"),
        ("builtin", &format!("{script}variables=a%7D%7Db+%3D+c"), "variables", "names of 1 to 255"),
        ("builtin", &format!("{script}variables=a+%3D+{}", "x".repeat(4_001)), "variables", "at most 4000"),
        ("builtin", &format!("{script}{step}digits"), "steps[1].digits", "1 to 32"),
        ("builtin", &format!("{script}{step}digits&steps%5B1%5D.digits=300"), "steps[1].digits", "1 to 32"),
        (
            "builtin",
            &format!("{script}{step}speech&steps%5B1%5D.replies=1%3Dx"),
            "steps[1].replies",
            "not recognised",
        ),
        (
            "builtin",
            &format!("{script}{step}speech-or-digit&steps%5B1%5D.replies=12%3Dx"),
            "steps[1].replies",
            "1 to 1 of the keys",
        ),
        ("builtin", &format!("{script}{step}applause"), "", "applause"),
        ("realtime", "name=A&realtime.model=m", "instructions", "what is its task"),
        ("realtime", "name=A&instructions=x&realtime.model=", "realtime.model", "1 to 200"),
        ("realtime", &format!("{realtime}tools=transfer_call"), "tools", "transfer_targets"),
        ("realtime", &format!("{realtime}{person}%2B14155550100"), "transfer_targets", "transfer_call"),
        (
            "realtime",
            &format!("{realtime}tools=transfer_call&{person}911"),
            // The empty row before it is gone.
            "transfer_targets[1].number",
            "E.164",
        ),
        ("realtime", &format!("{realtime}realtime.dialect=azure"), "realtime.endpoint", "no usual one"),
        ("realtime", &format!("{realtime}realtime.key_variable=HOME"), "realtime.key_variable", "ENGINES__"),
        ("realtime", &format!("{realtime}realtime.credential=other"), "realtime.credential", "ENGINES__"),
        (
            "realtime",
            &format!("{realtime}realtime.credential=openai&realtime.endpoint=wss%3A%2F%2Fevil.example"),
            "realtime.endpoint",
            "may only be sent to http://10.0.0.5:8080, http://10.0.0.7:8000, https://api.openai.com",
        ),
        ("cascade", &models, "cascade.voice", "1 to 200"),
        (
            "cascade",
            &format!("{cascade}cascade.speech.endpoint=http%3A%2F%2Flocalhost"),
            "cascade.speech.endpoint",
            "this machine",
        ),
    ] {
        let base = Fields::of_file(engine, &format!("engine = '{engine}'"));
        let typed = Fields::typed(&Form::parse(form), &base);
        let text = typed.to_text().unwrap();
        let bad = owned(&text).unwrap_err();
        let at = if let BadFile::Value { key, .. } = &bad { field_of(key) } else { String::new() };
        assert_eq!(at, field, "{form}: {bad}");
        assert!(bad.to_string().contains(told), "{form}: {bad}");
    }
}

#[test]
fn lines_that_cannot_be_read_are_told_together() {
    let base = Fields::of_file("builtin", "engine = 'builtin'");
    let form = "variables=a%0D%0Ab&steps%5B1%5D.wait_for=digits&steps%5B1%5D.replies=1+%3D+x%0D%0A1+%3D+y";
    let bad = Fields::typed(&Form::parse(form), &base).to_text().unwrap_err();
    let expected = [("variables", BadPair::Unreadable(1)), ("steps[1].replies", BadPair::Twice(2))];
    assert_eq!(bad, expected.map(|(field, why)| (field.to_owned(), why)));
}

#[test]
fn steps_are_added_raised_and_removed() {
    let says =
        |fields: &Fields| fields.steps.iter().map(|step| step.value("say").to_owned()).collect::<Vec<_>>();
    let form =
        "steps%5B1%5D.wait_for=speech&steps%5B1%5D.say=a&steps%5B2%5D.wait_for=digits&steps%5B2%5D.say=b";
    let mut fields = Fields::typed(&Form::parse(form), &Fields::of_file("builtin", "engine = 'builtin'"));
    assert_eq!(fields.arrange("raise-step 2"), "steps[1].say");
    assert_eq!(says(&fields), ["b", "a"]);
    assert_eq!(fields.arrange("add-step"), "steps[3].say");
    assert_eq!(fields.steps[2].value("wait_for"), "speech-or-digit");
    assert_eq!(fields.arrange("remove-step 1"), "steps[1].say");
    assert_eq!(says(&fields), ["a", ""]);
    for nothing in ["remove-step 3", "remove-step 0", "raise-step 1", "raise-step x"] {
        fields.arrange(nothing);
        assert_eq!(says(&fields), ["a", ""], "{nothing}");
    }
    assert_eq!(fields.arrange("remove-step 2"), "steps[1].say");
    assert_eq!((fields.arrange("remove-step 1"), says(&fields)), ("add-step".to_owned(), Vec::new()));
}
