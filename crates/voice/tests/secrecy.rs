//! What a session writes into the log: neither keys nor, short of tracing every byte, words.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    dead_code,
    missing_docs,
    unreachable_pub,
    reason = "tests say what they mean"
)]

#[path = "realtime/support/mod.rs"]
mod support;

use std::io;
use std::sync::Arc;

use domain::ports::{AgentEvent, AgentOrder};
use parking_lot::Mutex;
use test_realtime::{Double, Fault, Options, Recogniser, Replies};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::util::SubscriberInitExt as _;

use support::{Call, TIMEOUTS};

const KEY: &str = "sk-very-secret-0123456789";

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

#[tokio::test]
async fn neither_keys_nor_words_are_logged() {
    let log = Log::default();
    // Everything that any library says, through `log` too.
    let everything = tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_writer(log.clone());
    everything.finish().init();
    let options = Options {
        key: Some(KEY.to_owned()),
        replies: Replies::lines(&["Rhubarb is what I say."]),
        recogniser: Recogniser::script([Some("Marzipan is what I said.")]),
        faults: vec![Fault::DropInResponse(1), Fault::Fail(9)],
        ..Options::default()
    };
    let double = Double::start(options).await;
    let mut call = Call::with(&double, TIMEOUTS, |realtime| {
        realtime.provider.key = support::stored(KEY, &double.url());
    })
    .await;
    call.say_aloud(&double, "Guten Tag, ich rufe an wegen der Rechnung.").await;
    call.order(AgentOrder::Answer);
    call.until(|event| *event == AgentEvent::Restored).await;
    call.order(AgentOrder::Answer);
    let cause = call.broken().await;
    let log = String::from_utf8_lossy(&log.0.lock()).into_owned();
    assert!(log.contains("a connection to a provider is lost"), "nothing was captured");
    assert!(log.contains("TRACE") && log.contains("tungstenite"), "what libraries say was not captured");
    assert!(!log.contains(KEY) && !cause.contains(KEY));
    for line in log.lines().filter(|line| !line.contains("TRACE")) {
        for word in ["Rhubarb", "Marzipan", "sell nothing"] {
            assert!(!line.contains(word), "{line}");
        }
    }
}
