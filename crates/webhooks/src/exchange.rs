//! One HTTP/1.1 request and the head of its response.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::client::conn::http1;
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::time::timeout;

use crate::failure::{Failure, exchanging};

/// The largest response head that is read, in bytes.
const HEAD_MAX: usize = 32 * 1024;

/// How long saying goodbye may take; it decides nothing.
const GOODBYE: Duration = Duration::from_millis(100);

/// Sends `request` and returns the status of the answer, with the body left unread.
pub(crate) async fn exchange<S>(stream: S, request: Request<Full<Bytes>>) -> Result<StatusCode, Failure>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (mut sender, mut connection) = http1::Builder::new()
        .max_buf_size(HEAD_MAX)
        .handshake(TokioIo::new(stream))
        .await
        .map_err(|error| exchanging(&error))?;
    let status = {
        let mut answer = std::pin::pin!(sender.send_request(request));
        tokio::select! {
            biased;
            answer = &mut answer => answer,
            // The connection ends first when the receiver closes; the answer knows how that was.
            _ = &mut connection => answer.await,
        }
    };
    // End TLS in good order, so that receivers do not log each callback as a broken connection.
    let mut stream = connection.into_parts().io.into_inner();
    let _ = timeout(GOODBYE, stream.shutdown()).await;
    status.map(|response| response.status()).map_err(|error| exchanging(&error))
}
