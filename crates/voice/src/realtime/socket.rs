//! An open WebSocket that reads and writes at the same time, whatever its peer does.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};

use egress::Stream;
use futures_util::{Sink, Stream as _};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::{Bytes, Error, Message, Utf8Bytes};

/// How many events wait before [`Socket::is_congested`] says so: audio then stays where the oldest
/// of it can be dropped.
const CONGESTED: usize = 8;
/// How many events may wait: more than a whole conversation told anew; beyond, the provider does
/// not read, and the connection is given up.
const MOST_WAITING: usize = 1024;

/// What comes out of a socket.
#[derive(Debug)]
pub(super) enum Incoming {
    Event(Utf8Bytes),
    /// Anything else that shows that the other side is there.
    SignOfLife,
    /// Nothing came in, but it is no longer congested.
    Room,
    /// It is closed or broken; with the code, when the other side gave one.
    Closed(Option<u16>),
}

/// An open WebSocket.
#[derive(Debug)]
pub(super) struct Socket {
    stream: WebSocketStream<Stream>,
    waiting: VecDeque<Message>,
    flushed: bool,
}

impl Socket {
    pub(super) fn new(stream: WebSocketStream<Stream>) -> Self {
        Self { stream, waiting: VecDeque::new(), flushed: true }
    }

    /// Queues an event; it goes out while [`Socket::next`] is polled.
    pub(super) fn send(&mut self, event: Bytes) {
        // Written by a JSON serializer, it is UTF-8.
        if let Ok(text) = Utf8Bytes::try_from(event) {
            self.waiting.push_back(Message::Text(text));
        }
    }

    /// Asks for a sign of life.
    pub(super) fn ping(&mut self) {
        self.waiting.push_back(Message::Ping(Bytes::new()));
    }

    /// Whether so much waits to go out that audio should not join it.
    pub(super) fn is_congested(&self) -> bool {
        self.waiting.len() >= CONGESTED
    }

    /// The next thing that comes in, while what waits goes out. It may be dropped at any time.
    pub(super) async fn next(&mut self) -> Incoming {
        poll_fn(|cx| self.poll(cx)).await
    }

    /// Says goodbye, without waiting for an answer to it.
    pub(super) async fn close(mut self) {
        self.waiting.clear();
        let _ = self.stream.close(Some(CloseFrame { code: 1000.into(), reason: Utf8Bytes::default() })).await;
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Incoming> {
        let congested = self.is_congested();
        if self.write(cx).is_err() || self.waiting.len() > MOST_WAITING {
            return Poll::Ready(Incoming::Closed(None));
        }
        if congested && !self.is_congested() {
            return Poll::Ready(Incoming::Room);
        }
        let Poll::Ready(read) = Pin::new(&mut self.stream).poll_next(cx) else {
            return Poll::Pending;
        };
        // An answer to a ping or to a close is written with the next flush.
        self.flushed = false;
        Poll::Ready(match read {
            Some(Ok(Message::Text(text))) => Incoming::Event(text),
            Some(Ok(Message::Close(frame))) => Incoming::Closed(frame.map(|frame| frame.code.into())),
            Some(Ok(_)) => Incoming::SignOfLife,
            Some(Err(error)) => {
                tracing::debug!(error = kind(&error), "a connection to a provider broke");
                Incoming::Closed(None)
            }
            None => Incoming::Closed(None),
        })
    }

    fn write(&mut self, cx: &mut Context<'_>) -> Result<(), Error> {
        let mut stream = Pin::new(&mut self.stream);
        while !self.waiting.is_empty() {
            match stream.as_mut().poll_ready(cx)? {
                Poll::Ready(()) => {}
                Poll::Pending => return Ok(()),
            }
            if let Some(message) = self.waiting.pop_front() {
                stream.as_mut().start_send(message)?;
                self.flushed = false;
            }
        }
        if !self.flushed && stream.poll_flush(cx)?.is_ready() {
            self.flushed = true;
        }
        Ok(())
    }
}

/// Names an error without what it carries, which may be a piece of a message.
const fn kind(error: &Error) -> &'static str {
    match error {
        Error::ConnectionClosed | Error::AlreadyClosed => "closed",
        Error::Io(_) => "input or output",
        Error::Capacity(_) => "too large a message",
        Error::Protocol(_) => "not the WebSocket protocol",
        Error::WriteBufferFull(_) => "the other side does not read",
        Error::Utf8(_) => "not UTF-8",
        _ => "other",
    }
}
