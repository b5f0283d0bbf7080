//! Where log lines go: to standard error, readable or as JSON, without anybody waiting for it.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::{IsTerminal, stderr};

use tracing::{Level, Metadata, Subscriber};
use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;

use crate::config::LogFormat;

/// Libraries that tell too much at `info`. The dispatcher has an error for whatever a stranger sends
/// that is no HTTP; such a request has its line among the others.
const QUIET: &str = "actix_server=warn,actix_http::h1::dispatcher=off";

/// rsipstack prints whole messages at `info`, with digests and the keys of encrypted sound: no setting
/// brings them into the log.
const SECRETIVE: &str = "rsipstack";

/// Lines that wait for a slow reader; what comes beyond is dropped rather than stopping calls.
const WAITING_LINES: usize = 16_384;

/// Begins to log; a second call changes nothing. What waits is written when the guard is dropped.
pub(super) fn start(level: &str, format: LogFormat) -> WorkerGuard {
    let builder = NonBlockingBuilder::default().lossy(true).buffered_lines_limit(WAITING_LINES);
    let (writer, guard) = builder.finish(stderr());
    let lines = tracing_subscriber::fmt().with_env_filter(filter(level)).with_writer(writer);
    let started = match format {
        LogFormat::Pretty => discreet(lines.with_ansi(stderr().is_terminal()).finish()).try_init(),
        LogFormat::Json => discreet(lines.json().finish()).try_init(),
    };
    // Fails only when somebody has begun to log already, which is as good.
    drop(started);
    log_panics();
    guard
}

/// A panic is a line like any other, with the request or call that it struck.
fn log_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let cause = panic.payload_as_str().unwrap_or("?");
        let place = panic.location().map(ToString::to_string);
        let trace = Backtrace::capture();
        let trace = (trace.status() == BacktraceStatus::Captured).then(|| trace.to_string());
        tracing::error!(cause, place, trace, "a thread panicked");
    }));
}

fn filter(level: &str) -> EnvFilter {
    EnvFilter::new(format!("{QUIET},{level}"))
}

/// Above every filter that can be set: some of theirs let everything through that happens in a span.
fn discreet(lines: impl Subscriber + for<'s> LookupSpan<'s>) -> impl Subscriber {
    lines.with(filter_fn(is_fit_to_tell))
}

fn is_fit_to_tell(what: &Metadata<'_>) -> bool {
    !what.target().starts_with(SECRETIVE) || *what.level() <= Level::WARN
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::Arc;

    use parking_lot::Mutex;

    use super::*;

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_panic_is_a_line_with_the_request_that_it_struck() {
        let lines = Lines::default();
        let writer = lines.clone();
        let subscriber = tracing_subscriber::fmt().json().with_writer(move || writer.clone()).finish();
        tracing::subscriber::with_default(subscriber, || {
            log_panics();
            let _request = tracing::info_span!("request", request_id = "r-1").entered();
            std::panic::catch_unwind(|| panic!("it broke")).unwrap_err();
        });
        let line: serde_json::Value = serde_json::from_slice(&lines.0.lock()).unwrap();
        assert_eq!(line["fields"]["cause"], "it broke");
        assert!(line["fields"]["place"].as_str().is_some_and(|place| place.contains("logging.rs")));
        assert_eq!(line["span"]["request_id"], "r-1");
    }

    #[test]
    fn what_strangers_send_that_is_no_http_makes_no_errors() {
        let lines = Lines::default();
        let writer = lines.clone();
        let subscriber =
            tracing_subscriber::fmt().with_env_filter(filter("info")).with_writer(move || writer.clone());
        tracing::subscriber::with_default(subscriber.finish(), || {
            tracing::error!(target: "actix_http::h1::dispatcher", "stream error: request parse error");
            tracing::info!(target: "http_api::access", "answered");
        });
        let told = String::from_utf8(lines.0.lock().clone()).unwrap();
        assert!(told.contains("answered") && !told.contains("stream error"), "{told}");
    }

    #[test]
    fn no_setting_lets_whole_messages_into_the_log() {
        for level in [
            "info",
            "trace",
            "rsipstack=trace",
            "info, rsipstack::transport=debug",
            "debug,rsipstack=info",
            "[request]=trace",
            "warn,rsipstack[request{id}]=trace",
        ] {
            let lines = Lines::default();
            let writer = lines.clone();
            let subscriber =
                tracing_subscriber::fmt().with_env_filter(filter(level)).with_writer(move || writer.clone());
            tracing::subscriber::with_default(discreet(subscriber.finish()), || {
                let _request = tracing::error_span!("request", id = 1).entered();
                tracing::info!(target: "rsipstack::transport::udp", raw_message = "a=crypto", "udp send");
                tracing::debug!(target: "rsipstack::transaction", response = "a=crypto", "unknown");
                tracing::trace!(target: "rsipstack::transaction", response = "a=crypto", "responding");
                tracing::warn!(target: "rsipstack::dialog", "bye skipped");
            });
            let told = String::from_utf8(lines.0.lock().clone()).unwrap();
            assert!(!told.contains("a=crypto"), "{level}: {told}");
            assert!(told.contains("bye skipped"), "{level}: {told}");
        }
    }
}
