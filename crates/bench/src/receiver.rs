//! A receiver of callbacks that notes when each has arrived; the call's number ends its path.

use std::sync::Arc;

use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};

use crate::board::{Board, Moment};
use crate::http::read_message;

/// Listens on the current runtime and gives the URL to which a call's number is added.
pub(crate) async fn start(board: Arc<Board>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}/", listener.local_addr().unwrap());
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let board = board.clone();
            tokio::spawn(async move {
                // A sender may drop its connection at any time.
                let _ = serve(stream, &board).await;
            });
        }
    });
    base
}

async fn serve(mut stream: TcpStream, board: &Board) -> std::io::Result<()> {
    let mut buffer = Vec::new();
    while read_message(&mut stream, &mut buffer).await? {
        let path = buffer.split(|byte| *byte == b' ').nth(1).unwrap_or_default();
        if let Some(call) =
            std::str::from_utf8(path).ok().and_then(|path| path.strip_prefix('/')?.parse().ok())
        {
            board.note(call, Moment::CalledBack);
        }
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await?;
        buffer.clear();
    }
    Ok(())
}
