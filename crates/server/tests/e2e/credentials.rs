//! The operator's keys go where the operator says, whatever a tenant stores.

use std::process::Output;

use phone::CallScript;
use serde_json::Value;
use test_realtime::{Double, Options};
use tokio::net::{TcpListener, TcpStream};

use crate::support::{Desk, Installation, Telephone};

const KEY: &str = "sk-of-the-operator";
const OWN_KEY: &str = "sk-of-the-tenant";

fn assistant(endpoint: &str, key: &str) -> String {
    format!(
        "name = \"Receptionist\"\nengine = \"realtime\"\ninstructions = \"Be kind.\"\n\
         [realtime]\nmodel = \"gpt-realtime\"\nendpoint = \"{endpoint}\"\n{key}\n"
    )
}

/// A service with one credential for every tenant, which may be sent to a provider.
async fn installation(provider: &Double) -> Installation {
    let origin = provider.url()[..url::Position::BeforePath].to_owned();
    // The address guard lets everything here pass: the credential's rule alone is between key and decoy.
    let settings = [
        ("ENGINES__ALLOWED_NETWORKS", "127.0.0.0/8"),
        ("ENGINES__CREDENTIALS__PROVIDER__VARIABLE", "PROVIDER_KEY"),
        ("ENGINES__CREDENTIALS__PROVIDER__ORIGINS", &origin),
        ("ENGINES__CREDENTIALS__PROVIDER__TENANTS", "*"),
    ];
    let mut installation = Installation::new(&settings).await;
    installation.start(&[("PROVIDER_KEY", KEY)]);
    installation.ready().await;
    installation
}

fn told(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|part| String::from_utf8_lossy(part).into_owned()).concat()
}

/// A telephone that answers and leaves it to the assistant to hang up.
async fn telephone() -> Telephone {
    Telephone::with(CallScript::answering()).await
}

/// The last call of a desk fails because a key was refused, and says so wherever somebody looks.
async fn is_refused(installation: &Installation, desk: &Desk, why: &str) {
    let (status, placed) = desk.place(&desk.request()).await;
    assert_eq!(status, 201, "{placed}");
    let call = placed["outboundCallId"].as_str().unwrap();
    let outcome = desk.outcome(call).await;
    assert_eq!(outcome["status"], "failed", "{outcome}");
    assert_eq!(outcome["callDetails"]["endedReason"], "assistant-error", "{outcome}");
    installation.rows_until(&format!(
        "SELECT 1 FROM call_transcripts WHERE call_id = '{call}' AND (facts->>'credential_refused')::boolean"
    ))
    .await;
    let log = installation.log();
    let line = log.lines().find(|line| line.contains(call) && line.contains("was not sent to")).expect(&log);
    assert!(line.contains(why), "{line}");
    assert!(!log.contains(KEY) && !log.contains(OWN_KEY), "a key is logged: {log}");
    let doctor = installation.command().arg("doctor").output().unwrap();
    let (told, id) = (told(&doctor), &desk.assistant);
    let line = told.lines().find(|line| line.starts_with(&format!("assistant {id}"))).expect(&told);
    assert!(line.contains("FAIL") && line.contains("Receptionist") && line.contains(why), "{line}");
    assert_eq!(doctor.status.code(), Some(1));
}

/// Nobody connected: connections are taken in the order of arrival, and our own is the first.
async fn saw_nothing(decoy: TcpListener) {
    let own = TcpStream::connect(decoy.local_addr().unwrap()).await.unwrap();
    assert_eq!(decoy.accept().await.unwrap().1, own.local_addr().unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn endpoint_changed_in_the_database_is_not_sent_a_key() {
    let provider = Double::start(Options { key: Some(KEY.to_owned()), ..Options::default() }).await;
    let installation = installation(&provider).await;
    let telephone = telephone().await;
    let file = assistant(provider.url().as_str(), "credential = \"provider\"");
    let desk = Desk::provision(&installation, &file, &["--address", &telephone.address()]);
    let doctor = installation.command().arg("doctor").output().unwrap();
    assert!(told(&doctor).contains("no key of 1 AI assistants is refused"), "{}", told(&doctor));

    let decoy = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let moved = format!(
        "UPDATE assistants SET agent = jsonb_set(agent, '{{realtime,provider,endpoint}}', '\"ws://{}/v1\"') \
         WHERE engine = 'realtime'",
        decoy.local_addr().unwrap()
    );
    installation.sql(&moved).await;
    is_refused(&installation, &desk, "may only be sent to http://127.0.0.1:").await;
    // Named by its variable, as assistants of earlier releases name it.
    let provider = "'{realtime,provider}', agent#>'{realtime,provider}'";
    installation
        .sql(&format!(
            "UPDATE assistants SET agent = jsonb_set(agent, {provider} || \
             '{{\"credential\": null, \"variable\": \"PROVIDER_KEY\"}}') WHERE engine = 'realtime'"
        ))
        .await;
    is_refused(&installation, &desk, "may only be sent to http://127.0.0.1:").await;
    saw_nothing(decoy).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn stored_key_is_not_sent_where_the_database_says_instead() {
    let provider = Double::start(Options { key: Some(OWN_KEY.to_owned()), ..Options::default() }).await;
    let installation = installation(&provider).await;
    let telephone = telephone().await;
    let file = assistant(provider.url().as_str(), "");
    let desk = Desk::provision(&installation, &file, &["--address", &telephone.address()]);
    let given = installation.operator_typing(&["assistant", "key", "set", &desk.assistant], OWN_KEY);
    assert_eq!(given["keys"]["realtime"], Value::from("stored"));
    let decoy = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let moved = format!(
        "UPDATE assistants SET agent = jsonb_set(agent, '{{realtime,provider,endpoint}}', '\"ws://{}/v1\"') \
         WHERE engine = 'realtime'",
        decoy.local_addr().unwrap()
    );
    installation.sql(&moved).await;
    is_refused(&installation, &desk, "which it was stored for").await;
    saw_nothing(decoy).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tenant_that_is_not_named_may_not_use_a_credential() {
    let provider = Double::start(Options { key: Some(KEY.to_owned()), ..Options::default() }).await;
    let mut installation = installation(&provider).await;
    let telephone = telephone().await;
    let file = assistant(provider.url().as_str(), "credential = \"provider\"");
    let desk = Desk::provision(&installation, &file, &["--address", &telephone.address()]);
    // From the next start on it is for another tenant alone.
    installation.kill();
    installation.set("ENGINES__CREDENTIALS__PROVIDER__TENANTS", "01890a5d-ac96-774b-bcce-b302099a8057");
    installation.start(&[("PROVIDER_KEY", KEY)]);
    installation.ready().await;
    let mut desk = desk;
    desk.follow(&installation);
    is_refused(&installation, &desk, "does not let this tenant use").await;
    assert_eq!(provider.record().connections, 0);

    let path = installation.data().join("again.toml");
    std::fs::write(&path, &file).unwrap();
    let mut saving = installation.command();
    saving.args(["assistant", "update", &desk.assistant, "--file"]).arg(&path);
    let refused = saving.output().unwrap();
    assert_eq!(refused.status.code(), Some(1));
    assert!(told(&refused).contains("realtime.credential: not a credential"), "{}", told(&refused));
}
