//! Long files, and readers that take their time.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::{RECORDING, ask};
use crate::support::App;

/// The most memory that this process ever had, in bytes.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().strip_suffix(" kB").unwrap().parse::<u64>().unwrap() * 1024
}

/// Lays a file of so many zeros where the recording is.
fn lay(app: &App, bytes: u64) {
    let place = app.folder.path().join("artifacts").join(RECORDING.to_string());
    std::fs::create_dir_all(place.parent().unwrap()).unwrap();
    std::fs::File::create(place).unwrap().set_len(bytes).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_recording_is_sent_in_little_memory_and_a_worker_serves_others_meanwhile() {
    const BYTES: usize = 300 << 20;
    let app = App::start().await;
    lay(&app, u64::try_from(BYTES).unwrap());
    let mut connection = TcpStream::connect(app.address).await.unwrap();
    connection.write_all(&ask(&app, "GET").await.whole()).await.unwrap();
    let mut piece = vec![0; 256 << 10];
    let mut read = connection.read(&mut piece).await.unwrap();
    assert!(piece.starts_with(b"HTTP/1.1 200 OK\r\n"));
    // The reader stands still; the one worker of this server does not.
    for _ in 0..20 {
        assert_eq!(ask(&app, "HEAD").await.send().await.status, 200);
    }
    let before = peak();
    while read < BYTES {
        let more = connection.read(&mut piece).await.unwrap();
        assert_ne!(more, 0, "closed after {read} bytes");
        read += more;
    }
    let grown = peak() - before;
    // Other tests may share this process.
    assert!(grown < 100 << 20, "{grown} bytes");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_that_goes_in_the_middle_leaves_the_server_well() {
    let app = App::start().await;
    lay(&app, 300 << 20);
    for _ in 0..10 {
        let mut connection = TcpStream::connect(app.address).await.unwrap();
        connection.write_all(&ask(&app, "GET").await.whole()).await.unwrap();
        connection.read_exact(&mut [0; 100]).await.unwrap();
    }
    assert_eq!(ask(&app, "HEAD").await.send().await.status, 200);
}
