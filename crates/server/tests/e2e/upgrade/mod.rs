//! The database and the settings of an earlier release under this one. `2026-11-20` names the newest
//! migration of that release; its program, command line and API made what the dump holds.

use std::process::Output;
use std::time::Duration;

use phone::{Action, CallScript};
use serde_json::{Value, json};
use test_realtime::{Double, Options, Part, Recogniser, Replies};

use crate::dashboard::person::Person;
use crate::support::installation::client;
use crate::support::{Desk, Installation, PATIENCE, Telephone, says};

/// `pg_dump --inserts`, with its comments left out.
const DATABASE: &str = include_str!("2026-11-20/database.sql");
const KEY_FILE: &str = include_str!("2026-11-20/secret.key");

/// In the dump: where the trunks `main` and `south` and the endpoints of `Named` and `Stored` are.
const GATEWAY: &str = "'127.0.0.1', 47002,";
const PROVIDER: &str = "ws://127.0.0.1:47001/v1/realtime";

const TENANT: &str = "01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92";
const ORGANIZATION: &str = "01a2021a-e10d-78cc-a977-d165076084df";
/// The number of the trunk `main`.
const NUMBER: &str = "01a2021a-e3c8-7400-abd8-09f01a04fa1e";
const WEBHOOK_SECRET: &str = "whsec_jHcsEOiMWiA1yIPjlxmQ+tXnZ8fPXpLKm29c0o2RvPE=";

const ORGANIZATION_KEY: &str = "cw_org_jSRFWgNCI37JxgKCdwdUkLGJmsIyir2hDH11";
const TENANT_KEY: &str = "cw_ten_n4IZLYLVdfU4oEMVIQOG5eRJuhCIU82VxsvR";
const REVOKED_KEY: &str = "cw_org_0LoVRWx2736hVrSuvJbARWe0KDX3I907Whpt";

const SCRIPT: &str = "01a2021a-e57d-73f0-aa4f-099283412dc1";
/// Names the variable `PROVIDER_KEY`.
const NAMED: &str = "01a2021a-e5b9-791a-89f2-e7521ed6abb9";
/// Has a stored key.
const STORED: &str = "01a2021a-e5f5-7174-8f59-f0b839e53ce8";
/// Names the variable, at an endpoint that no credential of these tests is for.
const ELSEWHERE: &str = "01a2021a-e668-73d7-a171-8b8ea90aefe4";

/// The key of the variable, and the one that is stored.
const KEY: &str = "sk-of-the-tests";

/// The calls that were made, with their ends.
const CALLS: [(&str, &str, &str); 7] = [
    ("01a2021a-e998-72c4-b2fb-bd0ee9788292", "completed", "customer-ended-call"),
    ("01a2021a-e9e3-7126-97f3-2302b591c863", "busy", "customer-busy"),
    ("01a2021a-ea04-7716-a9d0-546704d92560", "no-answer", "no-answer"),
    ("01a2021a-ea1e-705e-8db2-43d1f37373e7", "failed", "invalid-number"),
    ("01a2021a-ea2e-7784-bc65-eca04db28bee", "completed", "customer-ended-call"),
    ("01a2021a-ea6d-796e-bc11-6f9a692464a4", "failed", "trunk-unreachable"),
    ("01a2021a-ea7f-7a66-b1c7-22a7c396be26", "completed", "customer-ended-call"),
];
/// The other tenant's.
const SOUTHERN_CALL: &str = "01a2021a-ea4c-701a-8ea0-a114e4305d16";

/// Every setting of that release that this one takes as it was, but for those that each test sets.
const SETTINGS: [(&str, &str); 18] = [
    ("HTTP__PUBLIC_URL", "https://calls.example.com"),
    ("HTTP__TRUSTED_PROXIES", "192.0.2.7,2001:db8::/32"),
    ("SIP__PUBLIC_ADDRESS", "127.0.0.1"),
    ("TRUNKS__ALLOWED_NETWORKS", "10.0.0.0/8"),
    ("PHONE__BUILT_IN", "false"),
    ("CALLS__RING_LIMIT", "60"),
    ("CALLS__DRAIN_LIMIT", "1"),
    ("ENGINES__ALLOWED_NETWORKS", "127.0.0.0/8"),
    ("ANALYSIS__MODEL", "gpt-5-mini"),
    // Nobody listens there, so that facts have to do.
    ("ANALYSIS__ENDPOINT", "http://127.0.0.1:9/v1"),
    ("ARTIFACTS__S3__BUCKET", "recordings"),
    ("ARTIFACTS__S3__ACCESS_KEY_ID", "AKIAEXAMPLE"),
    ("ARTIFACTS__S3__SECRET_ACCESS_KEY", "not-a-secret"),
    ("ARTIFACTS__S3__REGION", "ca-central-1"),
    ("ARTIFACTS__S3__ENDPOINT", "http://127.0.0.1:9"),
    ("ARTIFACTS__S3__PATH_STYLE", "true"),
    ("ARTIFACTS__S3__PREFIX", "voice/calls"),
    ("LOG__LEVEL", "info,sip=debug"),
];

/// The dump with its trunks and its provider somewhere else.
fn database(gateway: &str, provider: &str) -> String {
    let (address, port) = gateway.rsplit_once(':').unwrap();
    assert!(DATABASE.contains(GATEWAY) && DATABASE.contains(PROVIDER));
    DATABASE.replace(GATEWAY, &format!("'{address}', {port},")).replace(PROVIDER, provider)
}

fn desk(installation: &Installation, assistant: &str) -> Desk {
    Desk::known(installation, ORGANIZATION, NUMBER, assistant, ORGANIZATION_KEY)
}

async fn get(installation: &Installation, path: &str, key: &str) -> (u16, Value) {
    let answer = client().get(format!("{}{path}", installation.base())).bearer_auth(key).send().await;
    let answer = answer.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap())
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&[output.stdout.as_slice(), &output.stderr].concat()).into_owned()
}

#[tokio::test]
async fn settings_of_key_variables_stop_the_start() {
    let installation = Installation::restored(DATABASE, KEY_FILE, &SETTINGS).await;
    let key_file = installation.data().join("secret.key");
    for (setting, value) in [
        ("ENGINES__KEY_VARIABLES", "PROVIDER_KEY"),
        ("ANALYSIS__KEY_VARIABLE", "PROVIDER_KEY"),
        ("ANALYSIS__KEY_FILE", key_file.to_str().unwrap()),
    ] {
        let mut serve = tokio::process::Command::from(installation.command());
        serve.arg("serve").env(format!("CALLWRIGHT__{setting}"), value).env("PROVIDER_KEY", KEY);
        let stopped = tokio::time::timeout(PATIENCE, serve.kill_on_drop(true).output()).await;
        let stopped = stopped.expect("it starts").unwrap();
        let words = text(&stopped);
        assert!(!stopped.status.success(), "{setting}: {words}");
        for part in [setting, "CALLWRIGHT__ENGINES__CREDENTIALS__", "__ORIGINS", "__TENANTS"] {
            assert!(words.contains(part), "{setting}: {words}");
        }
        assert!(!words.contains(KEY), "{words}");
    }
    // The settings are read before the database is touched.
    assert_eq!(installation.count("__diesel_schema_migrations").await, 25);
}

#[tokio::test(flavor = "multi_thread")]
async fn restored_database_serves_its_calls_keys_and_users() {
    let telephone = Telephone::that([says("Yes, please.")]).await;
    let dump = database(&telephone.address(), PROVIDER);
    let mut installation = Installation::restored(&dump, KEY_FILE, &SETTINGS).await;
    installation.start(&[]);
    installation.ready().await;

    // Trunks were used with audio from any address.
    assert_eq!(installation.count("trunks").await, 8);
    assert_eq!(installation.count("trunks WHERE nat").await, 8);
    let desk = desk(&installation, SCRIPT);
    let ended = desk.call_through().await;
    assert_eq!(
        (&ended["status"], &ended["callDetails"]["endedReason"]),
        (&json!("completed"), &json!("assistant-ended-call")),
        "{ended}\n{}",
        installation.log()
    );

    for (call, status, reason) in CALLS {
        let told = desk.status(call).await;
        assert_eq!(
            (&told["status"], &told["callDetails"]["endedReason"]),
            (&json!(status), &json!(reason)),
            "{told}"
        );
        assert_eq!(desk.record(call).await["callEndedReason"], reason);
    }
    let listed = desk.calls(&[]).await;
    assert_eq!(listed["pagination"]["total"], json!(CALLS.len() + 1), "{listed}");
    let completed = desk.record(CALLS[0].0).await;
    assert_eq!(completed["callSummary"], "The customer spoke. The customer hung up after 4 seconds.");

    let path = format!("/api/calls/{SOUTHERN_CALL}");
    assert_eq!(get(&installation, &path, TENANT_KEY).await.0, 200);
    assert_eq!(get(&installation, &path, ORGANIZATION_KEY).await.0, 404, "another tenant's");
    assert_eq!(get(&installation, &path, REVOKED_KEY).await.0, 401);

    // What is encrypted opens with the key file.
    let secret = installation.operator(&["webhook-secret", "show", "--organization", ORGANIZATION]);
    assert_eq!(secret["secret"], WEBHOOK_SECRET);
    assert!(!installation.log().contains("does not open"), "{}", installation.log());

    let stranger = Person::stranger(installation.base());
    let fields = [("email", "admin@example.com"), ("password", "correct horse battery")];
    let entered = stranger.post_bare("/sign-in", &fields, &[("Sec-Fetch-Site", "same-origin")]).await;
    assert_eq!((entered.status, entered.cookies().len()), (303, 1), "{entered:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn restored_assistants_use_a_credential_or_their_stored_key() {
    let goodbye = || vec![Part::say("Thank you, goodbye."), Part::call("end_call", "{}")];
    let double = Double::start(Options {
        key: Some(KEY.to_owned()),
        replies: Replies::new([goodbye(), goodbye()]),
        recogniser: Recogniser::script([Some("Yes, please."), Some("Yes, please.")]),
        ..Options::default()
    })
    .await;
    let telephone =
        Telephone::with(CallScript::answering().then([Action::LISTEN, says("Yes, please.")])).await;
    let origin = format!("http://{}", double.address());
    let settings = [
        ("ENGINES__ALLOWED_NETWORKS", "127.0.0.0/8"),
        ("ENGINES__CREDENTIALS__PROVIDER__VARIABLE", "PROVIDER_KEY"),
        ("ENGINES__CREDENTIALS__PROVIDER__ORIGINS", &origin),
        ("ENGINES__CREDENTIALS__PROVIDER__TENANTS", TENANT),
    ];
    let dump = database(&telephone.address(), double.url().as_str());
    let mut installation = Installation::restored(&dump, KEY_FILE, &settings).await;
    installation.start(&[("PROVIDER_KEY", KEY)]);
    installation.ready().await;
    for (assistant, status, reason) in [
        (NAMED, "completed", "assistant-ended-call"),
        (STORED, "completed", "assistant-ended-call"),
        (ELSEWHERE, "failed", "assistant-error"),
    ] {
        let desk = desk(&installation, assistant);
        let (accepted, placed) = desk.place(&desk.request()).await;
        assert_eq!(accepted, 201, "{placed}");
        let call = placed["outboundCallId"].as_str().unwrap();
        let ended = desk.outcome_within(call, Duration::from_mins(1)).await;
        let found = (&ended["status"], &ended["callDetails"]["endedReason"]);
        assert_eq!(found, (&json!(status), &json!(reason)), "{ended}\n{}", installation.log());
    }
    assert_eq!(double.record().connections, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn doctor_lists_what_a_restored_installation_needs() {
    let settings = [
        ("ENGINES__ALLOWED_NETWORKS", "127.0.0.0/8"),
        ("ENGINES__CREDENTIALS__PROVIDER__VARIABLE", "PROVIDER_KEY"),
        ("ENGINES__CREDENTIALS__PROVIDER__ORIGINS", "http://127.0.0.1:47001"),
        ("ENGINES__CREDENTIALS__PROVIDER__TENANTS", "*"),
    ];
    let mut installation = Installation::restored(DATABASE, KEY_FILE, &settings).await;
    let before = installation.command().arg("doctor").env("PROVIDER_KEY", KEY).output().unwrap();
    assert!(text(&before).contains("use `callwright migrate`"), "{}", text(&before));
    installation.start(&[("PROVIDER_KEY", KEY)]);
    installation.ready().await;

    let report = installation.command().args(["doctor", "--json"]).env("PROVIDER_KEY", KEY).output().unwrap();
    let report: Value = serde_json::from_slice(&report.stdout).unwrap();
    let checks = report["checks"].as_array().unwrap();
    let check = |name: &str| checks.iter().find(|check| check["name"] == name);
    assert_eq!(check("key file").unwrap()["ok"], true, "{report}");
    // One names a variable at an endpoint that the credential is not for, the cascade as well.
    let refused: Vec<_> = checks
        .iter()
        .filter(|check| check["name"].as_str().unwrap().starts_with("assistant "))
        .map(|check| check["detail"].as_str().unwrap().split(' ').next().unwrap())
        .collect();
    assert_eq!(refused, ["Elsewhere", "Cascade"], "{report}");
    // SRTP whose keys travel in clear.
    let exposed = |trunk: &str| {
        let told = checks.iter().filter(|check| check["name"] == format!("trunk {trunk}"));
        told.filter(|check| check["detail"].as_str().unwrap().contains("keys travel in clear")).count()
    };
    assert_eq!((exposed("encrypted"), exposed("secured")), (1, 0), "{report}");
}
