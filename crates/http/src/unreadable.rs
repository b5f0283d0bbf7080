//! Requests that the framework turns away before any code of ours sees them: what it writes then has
//! no body, and gets one in the interface's shape on its way out.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use actix_web::http::StatusCode;
use actix_web::web::{Buf, BytesMut};
use domain::ports::Entropy;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::request_id;
use crate::{access_log, error};

/// How every answer's head begins.
const BEGINNING: &[u8] = b"HTTP/1.";
const END: &[u8] = b"\r\n\r\n";
/// The framework's own heads are shorter.
const HEAD_MAX: usize = 512;

/// A connection on which the framework's own refusals of HTTP/1 requests are given their shape.
pub(crate) struct Shaping<Io> {
    io: Io,
    /// Makes request ids.
    entropy: Arc<dyn Entropy>,
    /// A refusal on its way out.
    shaped: Option<Shaped>,
}

/// A refusal in its shape; the bytes that it stands for are taken only once all of it is written, so
/// that the framework waits for a client that reads slowly.
struct Shaped {
    left: BytesMut,
    stands_for: usize,
}

impl<Io: AsyncWrite + Unpin> Shaping<Io> {
    /// A connection that carries HTTP/1.
    pub(crate) fn of(io: Io, entropy: Arc<dyn Entropy>) -> Self {
        Self { io, entropy, shaped: None }
    }

    fn poll_shaped(&mut self, context: &mut Context<'_>, mut shaped: Shaped) -> Poll<io::Result<usize>> {
        while !shaped.left.is_empty() {
            match Pin::new(&mut self.io).poll_write(context, &shaped.left)? {
                Poll::Ready(0) => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                Poll::Ready(written) => shaped.left.advance(written),
                Poll::Pending => {
                    self.shaped = Some(shaped);
                    return Poll::Pending;
                }
            }
        }
        Poll::Ready(Ok(shaped.stands_for))
    }
}

impl<Io: AsyncRead + Unpin> AsyncRead for Shaping<Io> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(context, buffer)
    }
}

impl<Io: AsyncWrite + Unpin> AsyncWrite for Shaping<Io> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        // Whoever was told to wait comes again with the same bytes.
        if let Some(shaped) = self.shaped.take() {
            return self.poll_shaped(context, shaped);
        }
        match refusal_at_the_end(bytes) {
            None => Pin::new(&mut self.io).poll_write(context, bytes),
            Some(([], refusal)) => {
                let left = BytesMut::from(refusal.shaped(self.entropy.as_ref()).as_bytes());
                self.poll_shaped(context, Shaped { left, stands_for: bytes.len() })
            }
            Some((before, _)) => Pin::new(&mut self.io).poll_write(context, before),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(context)
    }
}

/// An answer that is not ours, without a body.
#[derive(Debug, PartialEq, Eq)]
struct Refusal<'a> {
    status: StatusCode,
    lines: Vec<&'a str>,
}

/// The framework's own refusal with which `bytes` end, and what stands before it. It is the last
/// thing that is written on a connection. Answers of ours carry a request id, and end in no blank
/// line unless their body is empty.
fn refusal_at_the_end(bytes: &[u8]) -> Option<(&[u8], Refusal<'_>)> {
    let head = bytes.strip_suffix(END)?;
    let from = head.len().saturating_sub(HEAD_MAX);
    let start = from + head.get(from..)?.windows(BEGINNING.len()).rposition(|part| part == BEGINNING)?;
    let (before, head) = bytes.split_at_checked(start).map(|(before, _)| (before, head.get(start..)))?;
    let mut lines = str::from_utf8(head?).ok()?.split("\r\n");
    let status = StatusCode::from_bytes(lines.next()?.split(' ').nth(1)?.as_bytes()).ok()?;
    let lines: Vec<&str> = lines.collect();
    let has = |name: &str| lines.iter().any(|line| line.to_ascii_lowercase().starts_with(name));
    let refused = status.is_client_error() || status.is_server_error();
    (refused && has("content-length: 0") && !has(request_id::REQUEST_ID.as_str()))
        .then_some((before, Refusal { status, lines }))
}

impl Refusal<'_> {
    /// The whole answer, as the envelope would have made it.
    fn shaped(&self, entropy: &dyn Entropy) -> String {
        let id = request_id::fresh(entropy);
        access_log::unreadable(&id, self.status.as_u16());
        let body = error::unreadable(self.status);
        let kept = self.lines.iter().filter(|line| {
            let name = line.split(':').next().unwrap_or_default();
            !["content-length", "connection"].iter().any(|own| name.eq_ignore_ascii_case(own))
        });
        let kept: String = kept.flat_map(|line| [*line, "\r\n"]).collect();
        format!(
            "HTTP/1.1 {status}\r\n{kept}{name}: {id}\r\ncache-control: no-store\r\nconnection: close\r\n\
             content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}",
            status = self.status,
            name = request_id::REQUEST_ID,
            length = body.len(),
        )
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    struct Ones;

    impl Entropy for Ones {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(0x11);
        }
    }

    const BARE: &str =
        "HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\ndate: Tue, 03 Mar 2026 09:30:00 GMT\r\n\r\n";

    #[test]
    fn only_the_frameworks_own_refusal_is_found_and_only_at_the_end() {
        for before in ["", "HTTP/1.1 200 OK\r\nx-request-id: a\r\ncontent-length: 2\r\n\r\n{}"] {
            let bytes = format!("{before}{BARE}");
            let (kept, refusal) = refusal_at_the_end(bytes.as_bytes()).unwrap();
            assert_eq!(kept, before.as_bytes());
            assert_eq!((refusal.status, refusal.lines.len()), (StatusCode::BAD_REQUEST, 2));
        }
        for other in [
            String::new(),
            "\r\n\r\n".to_owned(),
            format!("{BARE}{{}}"),
            BARE.replace("date", "X-Request-Id: a\r\ndate"),
            BARE.replace(": 0", ": 2"),
            BARE.replace("400 Bad Request", "204 No Content"),
            BARE.replace("HTTP/1.1", "HTTP/9"),
            BARE.replace("date", &"x".repeat(HEAD_MAX)),
            "HTTP/1.1 100 Continue\r\n\r\n".to_owned(),
        ] {
            assert_eq!(refusal_at_the_end(other.as_bytes()), None, "{other}");
        }
    }

    #[tokio::test]
    async fn a_client_that_reads_slowly_gets_every_answer_to_its_end() {
        let good = "HTTP/1.1 200 OK\r\nx-request-id: a\r\ncontent-length: 2\r\n\r\n{}";
        for before in ["", good] {
            // A few bytes at a time, and nothing is flushed: what was taken has to be on its way.
            let (near, mut far) = tokio::io::duplex(7);
            let write = async move {
                let mut connection = Shaping::of(near, Arc::new(Ones));
                connection.write_all(format!("{before}{BARE}").as_bytes()).await.unwrap();
            };
            let mut read = String::new();
            let ((), received) = tokio::join!(write, far.read_to_string(&mut read));
            received.unwrap();
            let refusal = read.strip_prefix(before).unwrap();
            assert_eq!(refusal.matches("HTTP/1.1 400 Bad Request\r\n").count(), 1, "{read}");
            assert!(refusal.ends_with("\r\n\r\n{\"error\":\"The request is not valid HTTP\"}"), "{read}");
        }
    }
}
