//! Everything that this process logs.

use std::io;
use std::sync::{Arc, Once};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;
use tracing_subscriber::fmt::MakeWriter;

#[derive(Clone, Default)]
pub(crate) struct Lines(Arc<Mutex<Vec<u8>>>);

/// The log from now on; the lines of a test are told by its request ids.
pub(crate) fn captured() -> Lines {
    static LINES: Mutex<Option<Lines>> = Mutex::new(None);
    static START: Once = Once::new();
    START.call_once(|| {
        let lines = Lines::default();
        *LINES.lock() = Some(lines.clone());
        let subscriber = tracing_subscriber::fmt().with_ansi(false).with_max_level(tracing::Level::TRACE);
        tracing::subscriber::set_global_default(subscriber.with_writer(lines).finish()).unwrap();
    });
    LINES.lock().clone().unwrap()
}

impl Lines {
    /// The lines that contain `word`.
    pub(crate) fn with(&self, word: &str) -> Vec<String> {
        let text = String::from_utf8(self.0.lock().clone()).unwrap();
        text.lines().filter(|line| line.contains(word)).map(str::to_owned).collect()
    }

    /// Returns once a line contains both.
    pub(crate) async fn wait_for(&self, word: &str, other: &str) {
        let deadline = Instant::now() + Duration::from_secs(10);
        while !self.with(word).iter().any(|line| line.contains(other)) {
            assert!(Instant::now() < deadline, "no {other} in {:?}", self.with(word));
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}
