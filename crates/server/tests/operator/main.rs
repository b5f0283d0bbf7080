//! The operator's command line as a program, on the embedded database: alone and beside a server.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests say what they mean and wait in real time"
)]

mod assistants;
mod database_tls;
mod file_modes;
mod installation;
mod numbers;
mod trunks;
mod users;

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use installation::{Installation, Server, provision};

#[test]
fn everything_is_set_up_without_a_server_and_found_again() {
    let installation = Installation::new();
    let (tenant, organization) = provision(&installation);

    let listed = installation.object(&format!("organization list --tenant {tenant}"));
    assert_eq!(listed["organizations"][0]["id"], *organization);
    assert_eq!(
        (&listed["organizations"][0]["name"], &listed["organizations"][1]),
        (&"Clinic".into(), &Value::Null)
    );
    let trunks = installation.object(&format!("trunk list --tenant {tenant}"));
    assert_eq!((&trunks["trunks"][0]["username"], &trunks["trunks"][1]), (&"bob".into(), &Value::Null));
    assert!(!trunks.to_string().contains("hunter2"), "{trunks}");
    for list in ["organization", "trunk"] {
        let nobody = installation.object(&format!("{list} list --tenant {organization}"));
        assert_eq!(nobody[format!("{list}s")], serde_json::json!([]));
    }

    let key = installation.object(&format!("key create --tenant {tenant} --name all"));
    assert_eq!(key["level"], "tenant");
    assert!(key["key"].as_str().unwrap().starts_with("cw_ten_"), "{key}");
    let limited = installation.object(&format!(
        "key create --tenant {tenant} --organization {organization} --name reader --permission calls:read"
    ));
    assert_eq!(limited["level"], "organization");
    assert_eq!(limited["permissions"], serde_json::json!(["calls:read"]));
    let keys = installation.object(&format!("key list --tenant {tenant}"));
    let names: Vec<_> = keys["keys"].as_array().unwrap().iter().map(|key| &key["name"]).collect();
    assert_eq!(names, ["reader", "all"]);
    assert!(keys["keys"][0]["key"].is_null(), "a key is shown once: {keys}");

    let id = limited["id"].as_str().unwrap();
    installation.object(&format!("key revoke {id}"));
    assert!(installation.failure(&format!("key revoke {id}"), 1).contains("no live key"));
    let keys = installation.object(&format!("key list --tenant {tenant} --organization {organization}"));
    assert!(keys["keys"][0]["revokedAt"].is_string(), "{keys}");

    let secret = format!("--organization {organization}");
    let first = installation.object(&format!("webhook-secret show {secret}"));
    assert!(first["secret"].as_str().unwrap().starts_with("whsec_"));
    let rotated = installation.object(&format!("webhook-secret rotate {secret}"));
    assert_ne!(rotated["secret"], first["secret"]);
    let now = installation.object(&format!("webhook-secret show {secret}"));
    assert_eq!((&now["secret"], &now["previous"]), (&rotated["secret"], &first["secret"]));

    installation.object(&format!("organization delete {organization}"));
    let again = installation.failure(&format!("organization delete {organization}"), 1);
    assert!(again.contains("no such organization"), "{again}");
    assert_eq!(installation.object("migrate")["state"], "up to date");
}

#[test]
fn a_schema_is_set_shown_and_replaced_unless_it_is_unsafe() {
    let installation = Installation::new();
    let (tenant, organization) = provision(&installation);
    let write = |name: &str, content: &[u8]| {
        let file = installation.0.path().join(name);
        std::fs::write(&file, content).unwrap();
        file.display().to_string()
    };
    let [of_tenant, own] = [format!("--tenant {tenant}"), format!("--organization {organization}")];

    let first = installation.object(&format!("schema show {own}"));
    let any = serde_json::json!({ "type": "object" });
    assert_eq!((first["id"].as_str(), &first["schemaId"]), (Some(&*organization), &Value::Null));
    assert_eq!(first["schema"], any);

    let file = write("tenant.json", br#"{"required": ["plan"]}"#);
    let set = installation.object(&format!("schema set {of_tenant} --file {file}"));
    assert_eq!(set["id"], *tenant);
    for owner in [&of_tenant, &own] {
        let shown = installation.object(&format!("schema show {owner}"));
        assert_eq!((&shown["schemaId"], &shown["schema"]), (&set["schemaId"], &set["schema"]));
    }
    let file = write("own.json", "\u{feff}{\n  \"title\": \"own\"\n}".as_bytes());
    installation.object(&format!("schema set {own} --file {file}"));
    assert_eq!(installation.object(&format!("schema show {own}"))["schema"]["title"], "own");
    let shown = installation.run(&format!("schema show {own}"));
    assert_eq!(String::from_utf8(shown.stdout).unwrap(), "{\n  \"title\": \"own\"\n}\n");

    let large = format!("{{}}{}", " ".repeat(64 << 10));
    for (content, why) in [
        (&b"{"[..], "is not JSON"),
        (b"\xff", "is not UTF-8"),
        (b"{\"maximum\": 1e400}", "is not JSON"),
        (large.as_bytes(), "at most 65536 bytes"),
        (br#"{"items": {"$ref": "https://example.com/"}}"#, "at /items: the reference"),
        (br#"{"items": {"pattern": "(?=a)"}}"#, "at /items/pattern: patterns cannot look around"),
    ] {
        let file = write("bad.json", content);
        let told = installation.failure(&format!("schema set {own} --file {file}"), 1);
        assert!(told.contains(why), "{told}");
    }
    let told = installation.failure(&format!("schema set {own} --file /nowhere.json"), 1);
    assert!(told.contains("cannot be read"), "{told}");
    assert_eq!(installation.object(&format!("schema show {own}"))["schema"]["title"], "own");

    let unknown = "0190a6e0-7e6b-7cc0-98b7-2f7c1c2f4a11";
    for owner in ["tenant", "organization"] {
        let told = installation.failure(&format!("schema show --{owner} {unknown}"), 1);
        assert!(told.contains(&format!("{owner} {unknown}")), "{told}");
    }
    installation.failure("schema show", 2);
    installation.failure(&format!("schema show {of_tenant} {own}"), 2);
}

#[test]
fn commands_work_beside_a_running_server_and_after_it() {
    let installation = Installation::new();
    let server = Server::start(&installation);
    let (tenant, _) = provision(&installation);
    let second = installation.failure("serve", 1);
    assert!(second.contains("is serving with the data directory"), "{second}");
    server.end();
    installation.object(&format!("key create --tenant {tenant} --name late"));
    let server = Server::start(&installation);
    let keys = installation.object(&format!("key list --tenant {tenant}"));
    assert_eq!(keys["keys"][0]["name"], "late");
    server.end();
}

#[test]
fn the_doctor_names_what_is_wrong_and_exits_with_1() {
    let installation = Installation::new();
    let healthy = installation.run("doctor");
    let lines = String::from_utf8(healthy.stdout).unwrap();
    // A database that nobody migrated yet is told, not changed.
    assert_eq!(healthy.status.code(), Some(1), "{lines}");
    assert!(lines.lines().any(|line| line.starts_with("migrations") && line.contains("FAIL")), "{lines}");
    provision(&installation);
    let output = installation.run("doctor --json");
    assert_eq!(output.status.code(), Some(1));
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    let ok = |name: &str| {
        let checks = told["checks"].as_array().unwrap();
        checks.iter().find(|check| check["name"] == name).unwrap_or_else(|| panic!("{name}: {told}"))["ok"]
            .clone()
    };
    for name in ["database", "migrations", "clock", "media ports"] {
        assert_eq!(ok(name), true, "{told}");
    }
    // Nobody answers on the trunk's port.
    assert_eq!((ok("trunk main"), &told["ok"]), (Value::from(false), &Value::from(false)), "{told}");
}

#[test]
fn the_doctor_asks_redis_where_one_is_configured_and_never_tells_its_password() {
    let installation = Installation::new();
    let mut redis = test_redis::TestRedis::with(&["--requirepass", "hunter2"]);
    let asked = |login: &str| {
        let url = format!("redis://{login}127.0.0.1:{}/1", redis.port());
        let output = installation.command("doctor").env("CALLWRIGHT__REDIS__URL", url).output().unwrap();
        let lines = String::from_utf8(output.stdout).unwrap();
        lines.lines().find(|line| line.starts_with("redis")).unwrap_or_else(|| panic!("{lines}")).to_owned()
    };
    let (well, refused) = (asked(":hunter2@"), asked(":hunter3@"));
    assert!(
        well.contains(" ok ") && well.contains(&format!("redis://127.0.0.1:{}/1", redis.port())),
        "{well}"
    );
    assert!(refused.contains("FAIL") && refused.contains("Redis says"), "{refused}");
    assert!(!well.contains("hunter") && !refused.contains("hunter"), "{well}{refused}");
    let port = redis.port();
    redis.kill();
    let url = format!("redis://127.0.0.1:{port}");
    let gone = installation.command("doctor").env("CALLWRIGHT__REDIS__URL", url).output().unwrap();
    assert!(String::from_utf8(gone.stdout).unwrap().contains("no connection"));
    let silent = String::from_utf8(installation.run("doctor").stdout).unwrap();
    assert!(!silent.lines().any(|line| line.starts_with("redis")), "{silent}");
}

#[test]
fn a_foreign_database_that_cannot_be_reached_is_told_without_its_password() {
    let installation = Installation::new();
    let output = installation
        .command("tenant create --name N")
        .env("CALLWRIGHT__DATABASE__URL", "postgres://u:hunter2@127.0.0.1:1/x")
        .output()
        .unwrap();
    let words = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(words.contains("database") && !words.contains("hunter2"), "{words}");
}

#[test]
fn wrong_usage_exits_with_2_and_wrong_values_with_1() {
    let installation = Installation::new();
    installation.failure("tenant create", 2);
    installation.failure("organization delete 12", 2);
    let unset = installation.failure(
        "trunk create --tenant 0190a6e0-7e6b-7cc0-98b7-2f7c1c2f4a11 --name N --address h --username u --password-env NOWHERE",
        1,
    );
    assert!(unset.contains("NOWHERE is not set"), "{unset}");
    let unknown = installation.command("migrate").env("CALLWRIGHT__HTTP__LISTN", "x").output().unwrap();
    assert_eq!(unknown.status.code(), Some(1));
    let words = String::from_utf8(unknown.stderr).unwrap();
    assert!(words.contains("did you mean CALLWRIGHT__HTTP__LISTEN?"), "{words}");
}

#[test]
fn key_settings_that_cannot_be_used_stop_the_start() {
    let installation = Installation::new();
    let origins = ("CALLWRIGHT__ENGINES__CREDENTIALS__OPENAI__ORIGINS", "https://api.openai.com");
    let variable = ("CALLWRIGHT__ENGINES__CREDENTIALS__OPENAI__VARIABLE", "NOWHERE_KEY");
    for (settings, why) in [
        (
            vec![("CALLWRIGHT__ENGINES__KEY_VARIABLES", "OPENAI_API_KEY")],
            "CALLWRIGHT__ENGINES__CREDENTIALS__OPENAI__VARIABLE=OPENAI_API_KEY",
        ),
        (vec![origins, variable], "the environment variable that it names is not set"),
    ] {
        let stopped = installation.command("serve").envs(settings).output().unwrap();
        let words = String::from_utf8(stopped.stderr).unwrap();
        assert!(stopped.status.code() == Some(1) && words.contains(why), "{words}");
    }
    // Commands that send no key run without it.
    let done = installation.command("tenant create --name N").envs([origins, variable]).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn a_telephone_listens_and_ends_when_asked() {
    let installation = Installation::new();
    let mut child = installation
        .command("phone --busy --listen 127.0.0.1:0 --json")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let first: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!(first["event"], "listening");
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    assert!(child.wait().unwrap().success());
}
