//! Whom the engine may call, and with which key.

use domain::assistant::ProviderKey;
use domain::audio::AudioFormat;
use domain::ports::{AgentEvent, AgentOrder, VoiceAgent};
use test_providers::{Providers, Service, Settings};
use tokio::net::{TcpListener, TcpStream};
use url::Url;

use crate::support::{engines, next, spec};

/// How a session ends that is opened with this endpoint and key.
async fn cause(allowed: bool, endpoint: &str, key: &ProviderKey) -> String {
    let mut session = engines(allowed).open(spec(&Url::parse(endpoint).unwrap(), key));
    session.begin(AudioFormat::Pcmu);
    session.order(AgentOrder::Answer);
    loop {
        match next(&mut *session).await {
            AgentEvent::Broken { cause } => return cause,
            AgentEvent::Ready { .. } => {}
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn endpoints_inside_are_refused_unless_the_operator_allows_them() {
    let decoy = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = decoy.local_addr().unwrap().port();
    for (allowed, endpoint, why) in [
        (false, format!("https://127.0.0.1:{port}/v1"), "loopback address"),
        (false, format!("https://inside.example:{port}/v1"), "loopback address"),
        (false, format!("http://127.0.0.1:{port}/v1"), "plain http outside the allowed networks"),
        (true, format!("http://inside.example:{port}/v1"), "plain http outside the allowed networks"),
        (true, format!("https://localhost:{port}/v1"), "a name of this machine"),
        (true, format!("wss://127.0.0.1:{port}/v1"), "not an http or https URL"),
        (true, "https://169.254.169.254/v1".to_owned(), "link-local address"),
    ] {
        let cause = cause(allowed, &endpoint, &ProviderKey::None).await;
        assert!(cause.ends_with(&format!("the endpoint is refused: {why}")), "{endpoint}: {cause}");
    }
    // Connections are handed out in the order of arrival: our own is the first.
    let own = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    assert_eq!(decoy.accept().await.unwrap().1, own.local_addr().unwrap());
}

#[tokio::test]
async fn a_variable_is_a_key_only_if_the_operator_lists_it() {
    let settings = Settings { key: Some("sk-variable".to_owned()), ..Settings::default() };
    let providers = Providers::start(settings).await;
    let endpoint = providers.endpoint();
    let cause = cause(true, endpoint.as_str(), &ProviderKey::Variable("HOME".to_owned())).await;
    assert!(cause.starts_with("chat/completions: the assistant names an environment variable"), "{cause}");
    assert!(providers.all_seen().is_empty());

    let mut session = engines(true).open(spec(&endpoint, &ProviderKey::Variable("ALLOWED_KEY".to_owned())));
    session.begin(AudioFormat::Pcmu);
    session.order(AgentOrder::Answer);
    while next(&mut *session).await != AgentEvent::Answered {}
    assert_eq!(providers.seen(Service::Chat).len(), 1);
}

/// Media threads open sessions: they have no time for connections.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn nothing_of_a_session_lives_on_the_thread_that_opens_it() {
    let providers = Providers::start(Settings::default()).await;
    let (engines, spec) = (engines(true), spec(&providers.endpoint(), &ProviderKey::None));
    // A thread without a runtime: whatever belongs to one has to find its own.
    let opened = std::thread::spawn(move || engines.open(spec)).join();
    let mut session = opened.expect("a session");
    session.begin(AudioFormat::Pcmu);
    session.order(AgentOrder::Answer);
    while next(&mut *session).await != AgentEvent::Answered {}
}
