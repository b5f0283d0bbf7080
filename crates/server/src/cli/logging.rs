//! Where log lines go: to standard error, readable or as JSON.

use std::io::{IsTerminal, stderr};

use tracing_subscriber::EnvFilter;

use crate::config::LogFormat;

/// Libraries that tell too much at `info`: rsipstack prints whole messages, digests included.
const QUIET: &str = "rsipstack=warn,actix_server=warn";

/// Begins to log; a second call changes nothing.
pub(super) fn start(level: &str, format: LogFormat) {
    // What the operator writes comes later and wins.
    let filter = EnvFilter::new(format!("{QUIET},{level}"));
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(stderr);
    let started = match format {
        LogFormat::Pretty => lines.with_ansi(stderr().is_terminal()).try_init(),
        LogFormat::Json => lines.json().try_init(),
    };
    // Fails only when somebody has begun to log already, which is as good.
    drop(started);
}
