//! Who is let in, and where a connection may go.

use std::time::Duration;

use domain::assistant::{Dialect, ProviderKey};
use domain::audio::AudioFormat;
use domain::network::AddressPolicy;
use domain::ports::AgentOrder;
use domain::secret::Secret;
use test_realtime::{Double, Fault, Options};
use tokio::time::Instant;
use voice::Engines;

use crate::support::tls::server_and_client;
use crate::support::{Call, TIMEOUTS, engines, realtime, settings};

fn wants(key: &str) -> Options {
    Options { key: Some(key.to_owned()), ..Options::default() }
}

#[tokio::test]
async fn a_stored_key_or_an_allowed_variable_opens_the_door() {
    let double = Double::start(wants("sk-stored")).await;
    let stored = ProviderKey::Stored(Secret::new("sk-stored".to_owned()));
    Call::with(&double, TIMEOUTS, |realtime| realtime.provider.key = stored).await;

    let double = Double::start(wants("from-the-environment")).await;
    let variable = ProviderKey::Variable("REALTIME_KEY".to_owned());
    Call::with(&double, TIMEOUTS, |realtime| realtime.provider.key = variable).await;
}

#[tokio::test]
async fn a_wrong_key_breaks_the_session_at_once() {
    let double = Double::start(wants("right")).await;
    let mut realtime = realtime(double.url());
    realtime.provider.key = ProviderKey::Stored(Secret::new("sk-wrong".to_owned()));
    let mut call = Call::open(&engines(TIMEOUTS), realtime);
    assert_eq!(call.broken().await, "the provider refused the key (401)");
    assert_eq!(double.record().connections, 1, "it is not tried again");
}

#[tokio::test]
async fn a_variable_that_the_operator_does_not_allow_is_never_read() {
    let double = Double::start(Options::default()).await;
    let mut realtime = realtime(double.url());
    realtime.provider.key = ProviderKey::Variable("HOME".to_owned());
    let mut call = Call::open(&engines(TIMEOUTS), realtime);
    assert!(call.broken().await.contains("does not allow"));
    assert_eq!(double.record().connections, 0);
}

#[tokio::test]
async fn a_private_address_is_never_connected_to() {
    let double = Double::start(Options::default()).await;
    let mut settings = settings(TIMEOUTS);
    settings.policy = AddressPolicy::default();
    for scheme in ["ws", "wss"] {
        let mut endpoint = double.url();
        endpoint.set_scheme(scheme).unwrap();
        let mut call = Call::open(&Engines::new(settings.clone()), realtime(endpoint));
        let cause = call.broken().await;
        assert!(!cause.contains("127.0.0.1"), "{cause}");
    }
    assert_eq!(double.record().connections, 0);
}

#[tokio::test]
async fn over_tls_only_whom_we_trust_is_talked_to() {
    let (server, client) = server_and_client("127.0.0.1");
    let double = Double::start(Options { tls: Some(server), ..Options::default() }).await;
    assert_eq!(double.url().scheme(), "wss");
    let mut trusting = settings(TIMEOUTS);
    trusting.tls = client;
    let mut call = Call::open(&Engines::new(trusting), realtime(double.url()));
    call.begin(AudioFormat::Pcmu).await;
    call.order(AgentOrder::Answer);
    call.answered().await;
    assert_eq!(call.audio(0), double.record().spoken[0].1);

    let mut short = TIMEOUTS;
    short.connect = Duration::from_millis(300);
    let mut stranger = Call::open(&engines(short), realtime(double.url()));
    assert_eq!(stranger.broken().await, "TLS: the certificate's issuer is not trusted");
}

#[tokio::test]
async fn a_provider_that_is_not_reached_at_first_is_tried_again_while_it_rings() {
    let faults = vec![Fault::HangUp, Fault::Refuse(503), Fault::None];
    let double = Double::start(Options { faults, ..Options::default() }).await;
    Call::ready(&double).await;
    assert_eq!(double.record().connections, 3);
}

#[tokio::test]
async fn a_provider_that_is_never_reached_breaks_the_session_in_time() {
    let double = Double::start(Options { faults: vec![Fault::HangUp; 100], ..Options::default() }).await;
    let mut short = TIMEOUTS;
    short.connect = Duration::from_millis(700);
    let began = Instant::now();
    let mut call = Call::open(&engines(short), realtime(double.url()));
    assert_eq!(call.broken().await, "the connection closed before an answer");
    assert!(double.record().connections >= 2);
    assert!(began.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn a_session_that_the_provider_refuses_breaks_with_its_code() {
    // A double of xAI knows no `output_modalities`.
    let double = Double::start(Options { dialect: Dialect::XAi, ..Options::default() }).await;
    let mut call = Call::open(&engines(TIMEOUTS), realtime(double.url()));
    call.session.begin(AudioFormat::Pcmu);
    assert_eq!(call.broken().await, "the provider refused: unknown_parameter");
}

#[tokio::test]
async fn a_session_that_nobody_wants_any_more_says_goodbye() {
    let double = Double::start(Options::default()).await;
    let mut call = Call::ready(&double).await;
    call.order(AgentOrder::Answer);
    call.answered().await;
    drop(call);
    double.until("a goodbye", |record| record.goodbyes == 1).await;

    // Also when it still rings.
    let ringing = Call::open(&engines(TIMEOUTS), realtime(double.url()));
    double.until("a connection", |record| record.connections == 2).await;
    drop(ringing);
    // It may be dropped before or after the handshake; either way nothing stays open.
}
