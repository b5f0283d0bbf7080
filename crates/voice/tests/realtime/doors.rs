//! Who is let in, and where a connection may go.

use std::time::Duration;

use domain::assistant::{AllowedTenants, Credential, Credentials, Dialect, ProviderKey};
use domain::audio::AudioFormat;
use domain::network::AddressPolicy;
use domain::ports::AgentOrder;
use test_realtime::{Double, Fault, Options};
use tokio::time::Instant;
use url::Url;
use voice::Engines;

use crate::decoy::Decoy;
use crate::support::tls::server_and_client;
use crate::support::{Call, TIMEOUTS, credential, credential_name, engines, realtime, settings, stored};

fn wants(key: &str) -> Options {
    Options { key: Some(key.to_owned()), ..Options::default() }
}

#[tokio::test]
async fn stored_key_or_credential_lets_the_assistant_in() {
    let double = Double::start(wants("sk-stored")).await;
    let own = stored("sk-stored", &double.url());
    Call::with(&double, TIMEOUTS, |realtime| realtime.provider.key = own).await;

    let double = Double::start(wants("from-the-environment")).await;
    for key in [ProviderKey::Credential(credential_name()), ProviderKey::Variable("REALTIME_KEY".to_owned())]
    {
        Call::with(&double, TIMEOUTS, |realtime| realtime.provider.key = key).await;
    }
}

#[tokio::test]
async fn a_wrong_key_breaks_the_session_at_once() {
    let double = Double::start(wants("right")).await;
    let mut realtime = realtime(double.url());
    realtime.provider.key = stored("sk-wrong", &double.url());
    let mut call = Call::open(&engines(TIMEOUTS), realtime);
    assert_eq!(call.broken().await, "the provider refused the key (401)");
    assert_eq!(double.record().connections, 1, "it is not tried again");
}

/// What somebody writes into the database past every check ends here.
#[tokio::test]
async fn key_is_not_sent_to_another_origin_or_for_another_tenant() {
    let (double, decoy) = (Double::start(Options::default()).await, Decoy::start().await);
    let at = |endpoint: Url| credential(&endpoint);
    let strangers = Credential { tenants: AllowedTenants::default(), ..at(decoy.url("ws")) };
    let own = || ProviderKey::Credential(credential_name());
    for (credentials, key, why) in [
        (vec![], own(), "no such credential"),
        (vec![], ProviderKey::Variable("HOME".to_owned()), "no such credential"),
        (vec![at(double.url())], own(), "may only be sent to"),
        (vec![at(double.url())], ProviderKey::Variable("REALTIME_KEY".to_owned()), "may only be sent to"),
        (vec![strangers], own(), "does not let this tenant use"),
        (vec![], stored("sk-stored", &double.url()), "which it was stored for"),
    ] {
        let mut settings = settings(TIMEOUTS);
        settings.credentials = Credentials::new(credentials);
        let mut realtime = realtime(decoy.url("ws"));
        realtime.provider.key = key.clone();
        let mut call = Call::open(&Engines::new(settings), realtime);
        let cause = call.broken().await;
        assert!(cause.contains(why) && !cause.contains("sk-stored"), "{key:?}: {cause}");
    }
    decoy.saw_nothing().await;

    // Every tenant may use it once the operator says so.
    let double = Double::start(wants("from-the-environment")).await;
    let shared = Credential { tenants: AllowedTenants::All, ..credential(&double.url()) };
    let mut settings = settings(TIMEOUTS);
    settings.credentials = Credentials::new(vec![shared]);
    let mut realtime = realtime(double.url());
    realtime.provider.key = own();
    Call::open(&Engines::new(settings), realtime).begin(AudioFormat::Pcmu).await;
}

#[tokio::test]
async fn key_does_not_follow_a_redirect() {
    let decoy = Decoy::start().await;
    let redirecting = Decoy::redirecting_to(&decoy.url("http")).await;
    let mut realtime = realtime(redirecting.url("ws"));
    realtime.provider.key = stored("sk-stored", &redirecting.url("ws"));
    let mut call = Call::open(&engines(TIMEOUTS), realtime);
    assert_eq!(call.broken().await, "the provider has no such session (307)");
    decoy.saw_nothing().await;
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
