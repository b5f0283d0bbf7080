//! The handle that a conversation polls.

use std::task::{Context, Poll};

use domain::audio::{AudioFormat, FRAME_BYTES, Frame};
use domain::ports::{AgentEvent, AgentOrder, AgentSession};
use tokio::sync::mpsc;

use super::Told;
use super::ear::Mouth;
use super::teller::Events;

/// A session as the media thread has it; it does nothing itself, and never waits.
#[derive(Debug)]
pub(crate) struct Handle {
    /// None once an order could not be passed on.
    orders: Option<mpsc::Sender<Told>>,
    mouth: Mouth,
    events: Events,
    /// A frame of silence in the call's format; none before it was answered.
    silence: Option<Frame>,
    broken: bool,
}

impl Handle {
    pub(super) const fn new(orders: mpsc::Sender<Told>, mouth: Mouth, events: Events) -> Self {
        Self { orders: Some(orders), mouth, events, silence: None, broken: false }
    }

    fn pass(&mut self, told: Told) {
        if self.orders.as_ref().is_some_and(|orders| orders.try_send(told).is_err()) {
            // Without its orders the task ends; what became of it, or that it was too slow, is told next.
            self.orders = None;
        }
    }

    fn break_off(&mut self, cause: &str) -> Poll<AgentEvent> {
        self.broken = true;
        Poll::Ready(AgentEvent::Broken { cause: cause.into() })
    }
}

impl AgentSession for Handle {
    fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<AgentEvent> {
        if self.broken {
            return Poll::Pending;
        }
        match self.events.poll(cx) {
            Poll::Ready(Some(event)) => {
                self.broken = matches!(event, AgentEvent::Broken { .. });
                if event == AgentEvent::Restored {
                    self.pass(Told::Restored);
                }
                Poll::Ready(event)
            }
            Poll::Ready(None) => self.break_off("the session's task is gone"),
            Poll::Pending if self.orders.is_none() => self.break_off("the session no longer takes orders"),
            Poll::Pending => Poll::Pending,
        }
    }

    fn begin(&mut self, format: AudioFormat) {
        self.silence = Some([format.silence(); FRAME_BYTES]);
        self.pass(Told::Begin(format));
    }

    fn hear(&mut self, frame: Option<&Frame>) {
        // Before the answer there is nobody to hear.
        if let Some(silence) = &self.silence {
            self.mouth.speak(frame.unwrap_or(silence));
        }
    }

    fn order(&mut self, order: AgentOrder) {
        self.pass(Told::Order(order));
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;
    use crate::link::{WAITING_ORDERS, pair};

    async fn next(handle: &mut Handle) -> AgentEvent {
        poll_fn(|cx| handle.poll_event(cx)).await
    }

    #[tokio::test]
    async fn orders_come_in_order_and_silence_is_in_the_calls_format() {
        let (mut handle, mut ends) = pair();
        handle.hear(Some(&[1; FRAME_BYTES]));
        handle.begin(AudioFormat::Pcma);
        handle.order(AgentOrder::Answer);
        handle.hear(None);
        assert_eq!(ends.orders.recv().await, Some(Told::Begin(AudioFormat::Pcma)));
        assert_eq!(ends.orders.recv().await, Some(Told::Order(AgentOrder::Answer)));
        let mut audio = Vec::new();
        ends.ear.take(&mut audio);
        assert_eq!(audio, [0xD5; FRAME_BYTES], "what came before the answer is nobody's");
    }

    #[tokio::test]
    async fn a_task_learns_which_orders_came_before_its_news() {
        let (mut handle, mut ends) = pair();
        ends.teller.tell(AgentEvent::Restored).unwrap();
        handle.order(AgentOrder::Answer);
        assert_eq!(next(&mut handle).await, AgentEvent::Restored);
        handle.order(AgentOrder::Answer);
        let answer = || Told::Order(AgentOrder::Answer);
        for told in [answer(), Told::Restored, answer()] {
            assert_eq!(ends.orders.recv().await, Some(told));
        }
    }

    #[tokio::test]
    async fn a_task_that_is_gone_or_takes_no_orders_breaks_the_session_once() {
        let (mut handle, ends) = pair();
        for _ in 0..=WAITING_ORDERS {
            handle.order(AgentOrder::Answer);
        }
        let cause = "the session no longer takes orders".to_owned();
        assert_eq!(next(&mut handle).await, AgentEvent::Broken { cause: cause.into() });
        drop(ends);
        let polled = poll_fn(|cx| Poll::Ready(handle.poll_event(cx).is_pending())).await;
        assert!(polled, "nothing follows");

        let (mut handle, ends) = pair();
        drop(ends);
        assert!(matches!(next(&mut handle).await, AgentEvent::Broken { .. }));
    }
}
