//! Whom the engine may call, and with which key.

use domain::assistant::ProviderKey;
use domain::audio::AudioFormat;
use domain::ids::TenantId;
use domain::ports::{AgentEvent, AgentFailure, AgentOrder, VoiceAgent};
use test_providers::{Providers, Service, Settings};
use tokio::net::{TcpListener, TcpStream};
use url::Url;

use crate::decoy::Decoy;
use crate::support::{TENANT, credential, credential_name, engines, engines_of, next, spec, spec_of, stored};

/// How a session ends that is opened with this endpoint and key.
async fn cause(allowed: bool, endpoint: &str, key: &ProviderKey) -> String {
    let mut session = engines(allowed).open(spec(&Url::parse(endpoint).unwrap(), key));
    session.begin(AudioFormat::Pcmu);
    session.order(AgentOrder::Answer);
    loop {
        match next(&mut *session).await {
            AgentEvent::Broken { cause } => return cause.to_string(),
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
async fn credential_is_sent_to_its_origin_for_its_tenant() {
    let settings = Settings { key: Some("sk-credential".to_owned()), ..Settings::default() };
    let providers = Providers::start(settings).await;
    let endpoint = providers.endpoint();
    for key in [ProviderKey::Credential(credential_name()), ProviderKey::Variable("SHARED_KEY".to_owned())] {
        let asked = providers.seen(Service::Chat).len();
        let mut session = engines_of(vec![credential(&endpoint, TENANT)]).open(spec(&endpoint, &key));
        session.begin(AudioFormat::Pcmu);
        session.order(AgentOrder::Answer);
        while next(&mut *session).await != AgentEvent::Answered {}
        assert_eq!(providers.seen(Service::Chat).len(), asked + 1);
    }
}

/// What somebody writes into the database past every check ends here, whichever service it is of.
#[tokio::test]
async fn key_of_no_service_is_sent_to_another_origin() {
    let providers = Providers::start(Settings::default()).await;
    let (decoy, home) = (Decoy::start().await, providers.endpoint());
    let stranger = TenantId::from_uuid(uuid::Uuid::from_u128(2));
    let named = || ProviderKey::Credential(credential_name());
    for (service, path) in ["chat/completions", "audio/transcriptions", "audio/speech"].iter().enumerate() {
        for (credentials, key, why) in [
            (vec![credential(&home, TENANT)], named(), "may only be sent to"),
            (vec![credential(&home, TENANT)], ProviderKey::Variable("SHARED_KEY".into()), "may only be sent"),
            (vec![credential(&decoy.url("http"), stranger)], named(), "does not let this tenant use"),
            (vec![], ProviderKey::Variable("HOME".into()), "no such credential"),
            (vec![], stored("sk-stored", &home), "which it was stored for"),
        ] {
            let mut services = [(); 3].map(|()| (home.clone(), ProviderKey::None));
            services[service] = (decoy.url("http"), key);
            let mut session = engines_of(credentials).open(spec_of(services));
            let AgentEvent::Broken { cause } = next(&mut *session).await else { panic!("it goes on") };
            assert!(matches!(cause, AgentFailure::Credential(_)), "{cause:?}");
            let cause = cause.to_string();
            assert!(cause.starts_with(path) && cause.contains(why), "{cause}");
            assert!(!cause.contains("sk-"), "{cause}");
        }
    }
    decoy.saw_nothing().await;
    assert!(providers.all_seen().is_empty());
}

#[tokio::test]
async fn key_does_not_follow_a_redirect() {
    let decoy = Decoy::start().await;
    let redirecting = Decoy::redirecting_to(&decoy.url("http")).await;
    let endpoint = redirecting.url("http");
    let mut session = engines(true).open(spec(&endpoint, &stored("sk-stored", &endpoint)));
    session.begin(AudioFormat::Pcmu);
    session.order(AgentOrder::Answer);
    loop {
        match next(&mut *session).await {
            AgentEvent::Ready { .. } => {}
            AgentEvent::Broken { cause } => break assert!(cause.to_string().contains("307"), "{cause}"),
            other => panic!("{other:?}"),
        }
    }
    decoy.saw_nothing().await;
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
