//! HTTP/1.1 on a kept-alive connection, as cheaply as a load tool must.

use std::io;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// One connection; one request at a time.
pub(crate) struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    pub(crate) async fn open(address: &str) -> io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: Vec::with_capacity(4_096) })
    }

    /// Sends a whole request and gives the answer's status; its body is [`Self::body`].
    pub(crate) async fn ask(&mut self, request: &[u8]) -> io::Result<u16> {
        self.stream.write_all(request).await?;
        self.buffer.clear();
        let whole = read_message(&mut self.stream, &mut self.buffer).await?;
        if !whole {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let status = self.buffer.get(9..12).and_then(|code| std::str::from_utf8(code).ok()?.parse().ok());
        status.ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    /// The last answer's body.
    pub(crate) fn body(&self) -> &[u8] {
        self.buffer
            .windows(4)
            .position(|window| window == b"\r\n\r\n")
            .map_or(&[], |end| &self.buffer[end + 4..])
    }
}

/// Reads one message with a Content-Length (none means no body) into an empty buffer; `false` at
/// the connection's end.
pub(crate) async fn read_message(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> io::Result<bool> {
    let mut searched = 0;
    let head = loop {
        if stream.read_buf(buffer).await? == 0 {
            return Ok(false);
        }
        if let Some(end) = buffer[searched..].windows(4).position(|window| window == b"\r\n\r\n") {
            break searched + end + 4;
        }
        searched = buffer.len().saturating_sub(3);
    };
    let length = std::str::from_utf8(&buffer[..head])
        .ok()
        .and_then(|head| {
            head.lines().find_map(|line| {
                line.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse().ok()
            })
        })
        .unwrap_or(0_usize);
    while buffer.len() < head + length {
        if stream.read_buf(buffer).await? == 0 {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The status of a GET, if the server answers.
pub(crate) async fn get(address: &str, path: &str) -> Option<u16> {
    let mut connection = Connection::open(address).await.ok()?;
    connection.ask(format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n").as_bytes()).await.ok()
}
