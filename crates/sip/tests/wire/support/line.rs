//! A leg driven by a task of its own, as the application drives it.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use domain::number::E164;
use domain::ports::{Answered, DialIntent, HangUp, Leg, LegEnd, LegEvent};
use tokio::sync::mpsc;

use super::PATIENCE;

enum Order {
    Acknowledge,
    HangUp(HangUp),
    Press(char),
    Refer(E164),
}

/// The application's end of a leg.
pub struct Line {
    pub intent: DialIntent,
    events: mpsc::UnboundedReceiver<LegEvent>,
    orders: Option<mpsc::UnboundedSender<Order>>,
    /// Provisional codes that were told so far.
    pub rang: Vec<u16>,
    /// Frames with audio that were heard so far.
    pub heard: usize,
    pub pressed: String,
    /// All audio that was heard so far.
    pub sound: Vec<u8>,
    foreign: Arc<AtomicU64>,
}

impl Line {
    pub fn start(mut leg: Box<dyn Leg>, intent: DialIntent) -> Self {
        let (sender, events) = mpsc::unbounded_channel();
        let (orders, mut taken) = mpsc::unbounded_channel();
        let foreign = Arc::new(AtomicU64::new(0));
        let counted = foreign.clone();
        tokio::spawn(async move {
            loop {
                let event = tokio::select! {
                    event = poll_fn(|cx| leg.poll_event(cx)) => event,
                    order = taken.recv() => {
                        match order {
                            Some(Order::Acknowledge) => leg.acknowledge(),
                            Some(Order::HangUp(cause)) => leg.hang_up(cause),
                            Some(Order::Press(key)) => leg.press(
                                domain::audio::Digit::from_char(key).unwrap(),
                                Duration::from_millis(100),
                            ),
                            Some(Order::Refer(target)) => leg.refer(&target),
                            // The test let go of its line: the leg is dropped.
                            None => return,
                        }
                        continue;
                    }
                };
                counted.store(leg.foreign_packets(), Ordering::Relaxed);
                if matches!(event, LegEvent::Heard(_)) {
                    leg.play(Some(&[0x55; 160]));
                }
                let over = matches!(event, LegEvent::Ended(_));
                if sender.send(event).is_err() || over {
                    return;
                }
            }
        });
        Self {
            intent,
            events,
            orders: Some(orders),
            rang: Vec::new(),
            heard: 0,
            pressed: String::new(),
            sound: Vec::new(),
            foreign,
        }
    }

    async fn next(&mut self) -> LegEvent {
        let event = tokio::time::timeout(PATIENCE, self.events.recv());
        let event = event.await.expect("the leg says nothing").expect("the leg is gone");
        match &event {
            LegEvent::Ringing { code } => self.rang.push(*code),
            LegEvent::Heard(frame) => {
                self.heard += usize::from(frame.audio.is_some());
                self.sound.extend(frame.audio.iter().flatten());
            }
            LegEvent::Pressed(digit) => self.pressed.push(digit.as_char()),
            _ => {}
        }
        event
    }

    /// Waits until it rings, and tells with which code.
    pub async fn ringing(&mut self) -> u16 {
        match self.next().await {
            LegEvent::Ringing { code } => code,
            other => panic!("expected ringing, got {other:?}"),
        }
    }

    /// Waits for the answer and lets the ACK go.
    pub async fn answered(&mut self) -> Answered {
        let answered = self.answered_unacknowledged().await;
        self.order(Order::Acknowledge);
        answered
    }

    /// Waits for the answer.
    pub async fn answered_unacknowledged(&mut self) -> Answered {
        loop {
            match self.next().await {
                LegEvent::Answered(answered) => return *answered,
                LegEvent::Ringing { .. } => {}
                other => panic!("expected an answer, got {other:?}"),
            }
        }
    }

    /// Waits for the answer and lets the ACK go, or tells the end that came instead.
    pub async fn answer_or_end(&mut self) -> Option<LegEnd> {
        loop {
            match self.next().await {
                LegEvent::Answered(_) => {
                    self.order(Order::Acknowledge);
                    return None;
                }
                LegEvent::Ended(end) => return Some(end),
                _ => {}
            }
        }
    }

    /// Waits until so many bytes of this value were heard.
    pub async fn hears_byte(&mut self, value: u8, count: usize) {
        let mut heard = 0;
        while heard < count {
            match self.next().await {
                LegEvent::Heard(frame) => {
                    heard += frame.audio.iter().flatten().filter(|byte| **byte == value).count();
                }
                LegEvent::Ended(end) => panic!("ended with {end:?} after {heard} bytes"),
                _ => {}
            }
        }
    }

    /// Waits until so many datagrams were refused because of where they came from.
    pub async fn refuses(&mut self, packets: u64) {
        while self.foreign.load(Ordering::Relaxed) < packets {
            if let LegEvent::Ended(end) = self.next().await {
                panic!("ended with {end:?}");
            }
        }
        assert_eq!(self.foreign.load(Ordering::Relaxed), packets);
    }

    /// Waits for the end, whatever comes before.
    pub async fn ended(&mut self) -> LegEnd {
        loop {
            if let LegEvent::Ended(end) = self.next().await {
                return end;
            }
        }
    }

    /// Waits until so many frames with audio were heard.
    pub async fn hears(&mut self, frames: usize) {
        while self.heard < frames {
            if let LegEvent::Ended(end) = self.next().await {
                panic!("ended with {end:?} after {} frames", self.heard);
            }
        }
    }

    /// Waits until these keys were pressed.
    pub async fn hears_keys(&mut self, keys: &str) {
        while self.pressed != keys {
            if let LegEvent::Ended(end) = self.next().await {
                panic!("ended with {end:?} after {:?}", self.pressed);
            }
        }
    }

    pub fn hang_up(&self, cause: HangUp) {
        self.order(Order::HangUp(cause));
    }

    /// Asks for a transfer.
    pub fn refer(&self, target: &str) {
        self.order(Order::Refer(E164::parse(target).unwrap()));
    }

    /// Waits until a transfer is settled, and tells whether the callee was connected.
    pub async fn referred(&mut self) -> bool {
        loop {
            match self.next().await {
                LegEvent::Referred { connected } => return connected,
                LegEvent::Ended(end) => panic!("ended with {end:?} before the transfer was settled"),
                _ => {}
            }
        }
    }

    pub fn press(&self, key: char) {
        self.order(Order::Press(key));
    }

    fn order(&self, order: Order) {
        let _ = self.orders.as_ref().unwrap().send(order);
    }
}
