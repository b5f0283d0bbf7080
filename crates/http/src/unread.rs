//! Request bodies in chunks that nobody reads to their end. Once such a body is let go, the framework
//! takes in whatever else its client sends, for as long as that pleases; while it is held, the
//! connection is closed after the answer, as with any other body that was not read.

use std::cell::RefCell;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use actix_web::HttpMessage;
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::{Payload, ServiceRequest};
use actix_web::error::PayloadError;
use actix_web::web::Bytes;
use futures_util::Stream;

/// A request's body, kept until the answer is out.
pub(crate) struct Held(Body);

type Body = Rc<RefCell<Payload>>;

/// Keeps a hand on a body that comes in chunks; how much is left of any other is known.
pub(crate) fn hold(request: &mut ServiceRequest) -> Option<Held> {
    request.chunked().unwrap_or(false).then(|| {
        let body = Rc::new(RefCell::new(request.take_payload()));
        request.set_payload(Payload::Stream { payload: Box::pin(Shared(Rc::clone(&body))) });
        Held(body)
    })
}

impl Held {
    /// An answer's body that lets go of the request's when it has been written.
    pub(crate) fn until_written(self, answer: BoxBody) -> BoxBody {
        BoxBody::new(Holding { answer, _held: self.0 })
    }
}

/// The body as the handlers read it.
struct Shared(Body);

impl Stream for Shared {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Pin::new(&mut *self.0.borrow_mut()).poll_next(context)
    }
}

struct Holding {
    answer: BoxBody,
    _held: Body,
}

impl MessageBody for Holding {
    type Error = <BoxBody as MessageBody>::Error;

    fn size(&self) -> BodySize {
        self.answer.size()
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        self.answer.as_pin_mut().poll_next(context)
    }
}
