//! The lines of one call on their way from text to audio.

use std::sync::Arc;
use std::task::{Context, Poll};

use conversation::LineId;
use domain::assistant::Language;
use domain::audio::{AudioFormat, Encoded};
use domain::ports::{Line, Speech, SpeechError};
use tokio::runtime::Handle;
use tokio::sync::mpsc;

/// Lines that wait to be heard by the conversation; it asks for one or two at a time.
const READY: usize = 16;

/// Speaks lines off the media thread and brings them back to it.
pub(super) struct Lines {
    speech: Arc<dyn Speech>,
    control: Handle,
    language: Language,
    sender: mpsc::Sender<(LineId, Result<Encoded, SpeechError>)>,
    ready: mpsc::Receiver<(LineId, Result<Encoded, SpeechError>)>,
}

impl Lines {
    pub(super) fn new(speech: Arc<dyn Speech>, control: Handle, language: Language) -> Self {
        let (sender, ready) = mpsc::channel(READY);
        Self { speech, control, language, sender, ready }
    }

    /// Has lines spoken ahead, while the phone rings; failures show when the line is needed.
    pub(super) fn rehearse(&self, texts: Vec<String>, format: AudioFormat) {
        let (speech, language) = (Arc::clone(&self.speech), self.language);
        self.control.spawn(async move {
            for text in texts {
                let _ = speech.say(Line { language, text, format }).await;
            }
        });
    }

    /// Asks for a line; it comes back through [`Self::poll_ready`].
    pub(super) fn ask(&self, line: LineId, text: String, format: AudioFormat) {
        let (speech, language, sender) = (Arc::clone(&self.speech), self.language, self.sender.clone());
        self.control.spawn(async move {
            let spoken = speech.say(Line { language, text, format }).await;
            // The call may have ended meanwhile.
            let _ = sender.send((line, spoken)).await;
        });
    }

    /// The next line that is ready.
    pub(super) fn poll_ready(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<(LineId, Result<Encoded, SpeechError>)> {
        match self.ready.poll_recv(cx) {
            Poll::Ready(Some(line)) => Poll::Ready(line),
            // Never closed: we hold a sender ourselves.
            Poll::Ready(None) | Poll::Pending => Poll::Pending,
        }
    }
}
