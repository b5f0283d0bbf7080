//! What a session tells, on its way to the media thread: held while nobody polls, but not without end.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use domain::ports::{AgentEvent, AgentFailure};
use tokio::sync::mpsc;

/// How many bytes may wait to be polled: more than four minutes of encoded audio, which is what the
/// longest answer of today's models has (4,096 tokens of 50 ms).
pub(crate) const WAITING_BYTES: usize = 2 * 1024 * 1024;
/// What an event counts besides its audio and words.
const EVENT_BYTES: usize = 64;

/// More waits than may wait: the media thread no longer polls, or the provider talks without end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Overflow;

/// The task's side.
#[derive(Clone, Debug)]
pub(crate) struct Teller {
    events: mpsc::UnboundedSender<AgentEvent>,
    waiting: Arc<AtomicUsize>,
}

/// The handle's side.
#[derive(Debug)]
pub(crate) struct Events {
    events: mpsc::UnboundedReceiver<AgentEvent>,
    waiting: Arc<AtomicUsize>,
}

pub(super) fn pair() -> (Teller, Events) {
    // Without bound in itself: bytes are counted instead of events, and without a lock.
    let (sender, receiver) = mpsc::unbounded_channel();
    let waiting = Arc::new(AtomicUsize::new(0));
    (Teller { events: sender, waiting: Arc::clone(&waiting) }, Events { events: receiver, waiting })
}

impl Teller {
    /// Tells something; beyond [`WAITING_BYTES`] the session ends as broken, and the task has to end.
    pub(crate) fn tell(&self, event: AgentEvent) -> Result<(), Overflow> {
        let size = size(&event);
        if self.waiting.load(Ordering::Relaxed).saturating_add(size) > WAITING_BYTES {
            self.broken("more is waiting to be heard than may wait");
            return Err(Overflow);
        }
        self.waiting.fetch_add(size, Ordering::Relaxed);
        // A handle that is gone wants to know nothing; the task learns it from its orders.
        let _ = self.events.send(event);
        Ok(())
    }

    /// Tells that the session is lost for good; `cause` names no secret and nothing that was said.
    pub(crate) fn broken(&self, cause: impl Into<AgentFailure>) {
        let _ = self.events.send(AgentEvent::Broken { cause: cause.into() });
    }
}

impl Events {
    /// The next event; none when the task is gone.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<AgentEvent>> {
        let polled = self.events.poll_recv(cx);
        if let Poll::Ready(Some(event)) = &polled
            && !matches!(event, AgentEvent::Broken { .. })
        {
            self.waiting.fetch_sub(size(event), Ordering::Relaxed);
        }
        polled
    }
}

fn size(event: &AgentEvent) -> usize {
    EVENT_BYTES
        + match event {
            AgentEvent::Audio { audio, .. } => audio.len(),
            AgentEvent::Words { text, .. } | AgentEvent::Recognised { text, .. } => text.len(),
            AgentEvent::ToolCalled { id, name, arguments } => id.len() + name.len() + arguments.len(),
            _ => 0,
        }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use domain::ports::UtteranceId;

    use super::*;

    fn audio(bytes: usize) -> AgentEvent {
        AgentEvent::Audio { utterance: UtteranceId(0), audio: vec![0; bytes] }
    }

    #[tokio::test]
    async fn what_nobody_polls_is_held_up_to_a_cap_and_then_the_session_breaks() {
        let (teller, mut events) = pair();
        let minute = 60 * 8_000;
        for _ in 0..4 {
            teller.tell(audio(minute)).unwrap();
        }
        assert_eq!(teller.tell(audio(minute)), Err(Overflow));
        for _ in 0..4 {
            assert_eq!(poll_fn(|cx| events.poll(cx)).await, Some(audio(minute)));
        }
        let last = poll_fn(|cx| events.poll(cx)).await;
        assert!(matches!(last, Some(AgentEvent::Broken { .. })));
    }

    #[tokio::test]
    async fn what_was_polled_makes_room() {
        let (teller, mut events) = pair();
        for _ in 0..10 {
            teller.tell(audio(WAITING_BYTES - EVENT_BYTES)).unwrap();
            poll_fn(|cx| events.poll(cx)).await.unwrap();
        }
        assert_eq!(teller.waiting.load(Ordering::Relaxed), 0);
    }
}
