//! Assistants from their files, and the keys of their providers.

use std::process::Output;

use serde_json::{Value, json};

use crate::installation::{Installation, Server, provision};

const KEY: &str = "sk-key-of-the-provider";

const RECEPTIONIST: &str = r#"
name = "Receptionist"
team = "Desk"
engine = "realtime"
language = "fr-CA"
instructions = "Ask {{name}}."
tools = ["end_call", "transfer_call"]
outcomes = ["quote_sent"]
record = false
[[transfer_targets]]
name = "reception"
number = "+14155550100"
[realtime]
endpoint = "wss://voice.example.com/v1/realtime"
dialect = "xai"
model = "m-1"
[variables]
clinic = "North"
"#;

const SURVEY: &str = r#"
name = "Survey"
engine = "cascade"
instructions = "Ask."
[cascade]
voice = "alloy"
[cascade.chat]
endpoint = "http://127.0.0.1:9/v1"
model = "c"
[cascade.transcription]
model = "t"
credential = "model"
[cascade.speech]
model = "s"
"#;

/// The tenants that may use the credential.
fn tenants(ids: &str) -> (&str, &str) {
    ("CALLWRIGHT__ENGINES__CREDENTIALS__MODEL__TENANTS", ids)
}

fn words(output: &Output) -> String {
    let words = [&output.stdout, &output.stderr].map(|part| String::from_utf8_lossy(part).into_owned());
    assert!(!words.concat().contains(KEY), "the key is told: {words:?}");
    words.concat()
}

/// Stores the key and gives what the command told.
fn store_key(installation: &Installation, line: &str) -> Value {
    let output = installation.run_with(&format!("assistant key set {line} --json"), &format!("{KEY}\n"));
    let words = words(&output);
    assert!(output.status.success(), "{words}");
    serde_json::from_str(&words).unwrap()
}

#[test]
fn an_ai_is_added_shown_and_replaced_and_its_key_stays_at_its_host() {
    let installation = Installation::new();
    // Beside a server every command finds the database running.
    let server = Server::start(&installation);
    let (_, organization) = provision(&installation);
    let file = installation.file("receptionist.toml", RECEPTIONIST);
    let made = installation.object(&format!("assistant create --organization {organization} --file {file}"));
    assert_eq!((&made["engine"], &made["keys"]), (&json!("realtime"), &json!({"realtime": "none"})));
    let id = made["id"].as_str().unwrap();
    assert_eq!(store_key(&installation, id)["keys"], json!({"realtime": "stored"}));

    let shown = installation.object(&format!("assistant show {id}"));
    let provider = json!({
        "endpoint": "wss://voice.example.com/v1/realtime", "model": "m-1", "key": "stored",
        "dialect": "xai", "voice": null, "transcriptionModel": null
    });
    assert_eq!(shown["realtime"], provider);
    assert_eq!(shown["transferTargets"], json!([{"name": "reception", "number": "+14155550100"}]));
    assert_eq!((&shown["team"], &shown["language"]), (&json!("Desk"), &json!("fr-CA")));
    assert_eq!((&shown["record"], &shown["outcomes"]), (&json!(false), &json!(["quote_sent"])));
    assert_eq!(
        (&shown["variables"], &shown["instructions"]),
        (&json!({"clinic": "North"}), &json!("Ask {{name}}."))
    );
    let table = words(&installation.run(&format!("assistant show {id}")));
    assert!(
        table.lines().any(|line| line.starts_with("realtime.key") && line.ends_with("stored")),
        "{table}"
    );

    let renamed = RECEPTIONIST.replace("Receptionist", "Ada").replace("/v1/realtime", "/v2");
    let file = installation.file("renamed.toml", &renamed);
    let kept = installation.object(&format!("assistant update {id} --file {file}"));
    assert_eq!((&kept["name"], &kept["keys"]["realtime"]), (&json!("Ada"), &json!("stored")));
    assert_eq!((&kept["organizationId"], &kept["createdAt"]), (&made["organizationId"], &made["createdAt"]));
    let moved = installation.file("moved.toml", &renamed.replace("voice.example", "other.example"));
    let gone = installation.object(&format!("assistant update {id} --file {moved}"));
    assert_eq!((&gone["keys"]["realtime"], &gone["removedKeys"]), (&json!("none"), &json!(["realtime"])));
    assert!(gone["notice"].as_str().unwrap().contains("callwright assistant key set"), "{gone}");
    assert!(kept.get("removedKeys").is_none(), "{kept}");

    let listed = installation.object(&format!("assistant list --organization {organization}"));
    let names = listed["assistants"].as_array().unwrap().iter();
    let names: Vec<_> =
        names.map(|one| (one["name"].as_str().unwrap(), one["engine"].as_str().unwrap())).collect();
    assert_eq!(names, [("A", "builtin"), ("Ada", "realtime")]);
    server.end();
}

#[test]
fn each_of_three_services_has_its_own_key_and_the_operator_says_where_they_may_be() {
    let installation = Installation::new();
    let server = Server::start(&installation);
    let (tenant, organization) = provision(&installation);
    let file = installation.file("survey.toml", SURVEY);
    let create = format!("assistant create --organization {organization} --file {file} --json");
    let allowed = |settings: &[(&str, &str)]| {
        let mut command = installation.command(&create);
        let output = command.envs(settings.iter().copied()).output().unwrap();
        (output.status.code(), words(&output))
    };
    let networks = ("CALLWRIGHT__ENGINES__ALLOWED_NETWORKS", "127.0.0.0/8");
    let variable = ("CALLWRIGHT__ENGINES__CREDENTIALS__MODEL__VARIABLE", "MODEL_KEY");
    let origin = ("CALLWRIGHT__ENGINES__CREDENTIALS__MODEL__ORIGINS", "https://api.openai.com");
    let others = "01890a5d-ac96-774b-bcce-b302099a8057";
    let (code, told) = allowed(&[variable, origin, tenants(&tenant), ("MODEL_KEY", KEY)]);
    assert!(code == Some(1) && told.contains("cascade.chat.endpoint: plain http"), "{told}");
    for refused in
        [vec![networks], vec![networks, variable, origin], vec![networks, variable, origin, tenants(others)]]
    {
        let (code, told) = allowed(&refused);
        assert!(code == Some(1) && told.contains("cascade.transcription.credential: not a"), "{told}");
    }
    let elsewhere = (origin.0, "https://api.example.com,http://127.0.0.1:9");
    let (code, told) = allowed(&[networks, variable, elsewhere, tenants("*")]);
    let why = "cascade.transcription.endpoint: the key may only be sent to http://127.0.0.1:9, \
               https://api.example.com";
    assert!(code == Some(1) && told.contains(why), "{told}");
    let (code, made) = allowed(&[networks, variable, origin, tenants(&tenant), ("MODEL_KEY", KEY)]);
    assert_eq!(code, Some(0), "{made}");
    let made: Value = serde_json::from_str(&made).unwrap();
    let keys = |chat, speech| json!({"chat": chat, "transcription": "credential model", "speech": speech});
    assert_eq!(made["keys"], keys("none", "none"));

    let id = made["id"].as_str().unwrap();
    assert_eq!(store_key(&installation, &format!("{id} --for chat"))["keys"], keys("stored", "none"));
    assert_eq!(store_key(&installation, &format!("{id} --for speech"))["keys"], keys("stored", "stored"));
    let removed = installation.object(&format!("assistant key remove {id} --for chat"));
    assert_eq!(removed["keys"], keys("none", "stored"));
    let other = installation.run_with(&format!("assistant key set {id} --for realtime"), KEY);
    assert!(words(&other).contains("no such provider") && other.status.code() == Some(1));
    server.end();
}

#[test]
fn what_cannot_be_done_with_assistants_is_told_and_no_key_repeated() {
    let installation = Installation::new();
    let server = Server::start(&installation);
    let (_, organization) = provision(&installation);
    let create = format!("assistant create --organization {organization} --file");
    for (text, why) in [
        (format!("{RECEPTIONIST}[realtime.key]\n{KEY}"), "describes no assistant"),
        (
            RECEPTIONIST.replace("model = \"m-1\"", &format!("model = 'm'\nkey = '{KEY}'")),
            "assistant key set",
        ),
        (RECEPTIONIST.replace("model = \"m-1\"", &format!("model = 'm'\nkye = '{KEY}'")), "unknown field"),
    ] {
        let file = installation.file("bad.toml", &text);
        let output = installation.run(&format!("{create} {file}"));
        assert!(output.status.code() == Some(1) && words(&output).contains(why), "{}", words(&output));
    }
    let unknown = "0190a6e0-7e6b-7cc0-98b7-2f7c1c2f4a11";
    let file = installation.file("good.toml", RECEPTIONIST);
    let fails = |line: String, why: &str| {
        let told = installation.failure(&line, 1);
        assert!(told.contains(why) && told.contains(unknown), "{line}: {told}");
    };
    fails(format!("assistant show {unknown}"), "there is no assistant");
    fails(format!("assistant update {unknown} --file {file}"), "no such assistant");
    fails(format!("assistant list --organization {unknown}"), "no such organization");
    fails(format!("assistant key remove {unknown}"), "no such assistant");
    let script = installation.object(&format!("assistant list --organization {organization}"));
    let script = script["assistants"][0]["id"].as_str().unwrap();
    for (input, why) in [("", "must hold a key"), ("sk 1", "must hold a key"), (KEY, "no such provider")] {
        let output = installation.run_with(&format!("assistant key set {script}"), input);
        assert!(output.status.code() == Some(1) && words(&output).contains(why), "{}", words(&output));
    }
    server.end();
}
