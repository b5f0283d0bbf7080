//! Where log lines go: to standard error, readable or as JSON, without anybody waiting for it.

use std::io::{IsTerminal, stderr};

use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::EnvFilter;

use crate::config::LogFormat;

/// Libraries that tell too much at `info`.
const QUIET: &str = "actix_server=warn";

/// rsipstack prints whole messages, digests included: no setting brings them into the log.
const SECRETIVE: &str = "rsipstack";

/// Lines that wait for a slow reader; what comes beyond is dropped rather than stopping calls.
const WAITING_LINES: usize = 16_384;

/// Begins to log; a second call changes nothing. What waits is written when the guard is dropped.
pub(super) fn start(level: &str, format: LogFormat) -> WorkerGuard {
    let builder = NonBlockingBuilder::default().lossy(true).buffered_lines_limit(WAITING_LINES);
    let (writer, guard) = builder.finish(stderr());
    let lines = tracing_subscriber::fmt().with_env_filter(filter(level)).with_writer(writer);
    let started = match format {
        LogFormat::Pretty => lines.with_ansi(stderr().is_terminal()).try_init(),
        LogFormat::Json => lines.json().try_init(),
    };
    // Fails only when somebody has begun to log already, which is as good.
    drop(started);
    guard
}

fn filter(level: &str) -> EnvFilter {
    let wanted = level.split(',').filter(|directive| !directive.trim().starts_with(SECRETIVE));
    let wanted = wanted.collect::<Vec<_>>().join(",");
    EnvFilter::new(format!("{QUIET},{wanted},{SECRETIVE}=warn"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_setting_lets_whole_messages_into_the_log() {
        for level in
            ["info", "trace", "rsipstack=trace", "info, rsipstack::transport=debug", "debug,rsipstack=info"]
        {
            let told = filter(level).to_string();
            let about = told.split(',').filter(|directive| directive.contains(SECRETIVE)).collect::<Vec<_>>();
            assert_eq!(about, ["rsipstack=warn"], "{level}: {told}");
        }
    }
}
