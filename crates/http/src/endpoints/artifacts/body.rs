//! Part of a file on its way out, a piece at a time.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use actix_web::web::{self, Bytes};
use futures_util::stream::{self, Stream};

/// As much of a file is in memory for each client, beside what its connection holds.
const PIECE: u64 = 64 << 10;

/// `length` bytes from `from` on. The next piece is read when the one before has been taken: a slow
/// client costs no memory. Workers wait for no disk.
pub(super) fn read(file: File, from: u64, length: u64) -> impl Stream<Item = io::Result<Bytes>> {
    stream::try_unfold((file, from, length), async |(file, at, left)| {
        if left == 0 {
            return Ok(None);
        }
        let reading = web::block(move || {
            let mut piece = vec![0; usize::try_from(left.min(PIECE)).unwrap_or(0)];
            file.read_exact_at(&mut piece, at).map(|()| (file, Bytes::from(piece)))
        });
        // Blocked reads end before the pool that they run on.
        let (file, piece) = reading.await.map_err(io::Error::other)??;
        let read = left.min(PIECE);
        Ok(Some((piece, (file, at + read, left - read))))
    })
}
