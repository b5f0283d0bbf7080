//! Every dialect, against a double that insists on it.

use domain::assistant::Dialect;
use domain::ports::AgentOrder;
use test_realtime::{Double, Options};

use crate::support::{Call, TIMEOUTS, stored, words};

#[tokio::test]
async fn every_dialect_is_spoken_as_it_is_insisted_on() {
    for dialect in Dialect::ALL {
        let options = Options {
            dialect,
            key: Some("sk-1".to_owned()),
            pcm_only: dialect == Dialect::LocalAi,
            ..Options::default()
        };
        let double = Double::start(options).await;
        let mut call = Call::with(&double, TIMEOUTS, |realtime| {
            realtime.dialect = dialect;
            realtime.provider.key = stored("sk-1", &double.url());
        })
        .await;
        call.order(AgentOrder::Answer);
        assert_eq!(words(&call.answered().await)[0], "0: How can I help you?", "{dialect}");
        assert!(call.audio(0).len() > 8_000, "{dialect}");
        let record = double.record();
        assert_eq!(record.errors, [""; 0], "{dialect}");
        let session = &record.of_kind("session.update")[0]["session"];
        let detection = if dialect == Dialect::XAi { session } else { &session["audio"]["input"] };
        assert_eq!(detection["turn_detection"]["create_response"], false, "{dialect}");
        assert_eq!(detection["turn_detection"]["interrupt_response"], false, "{dialect}");
    }
}

#[tokio::test]
async fn the_names_of_the_beta_are_understood() {
    let double = Double::start(Options { beta_names: true, ..Options::default() }).await;
    let mut call = Call::ready(&double).await;
    call.order(AgentOrder::Answer);
    assert_eq!(words(&call.answered().await), ["0: How can I help you?", "0 ended", "Answered"]);
    assert_eq!(call.audio(0), double.record().spoken[0].1);
}
