//! A bucket behind a server that checks signatures, which may be away.

use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use s3s::auth::SimpleAuth;
use s3s::service::{S3Service, S3ServiceBuilder};
use s3s_fs::FileSystem;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use test_ports::free_port;
use tokio::net::{TcpListener, TcpSocket};
use tokio::task::{JoinHandle, JoinSet};

const NAME: &str = "calls";
const KEY: (&str, &str) = ("OPERATORKEY1", "a/secret+with=signs");

/// A bucket whose server has an address of its own, also while it is away.
pub struct Bucket {
    folder: tempfile::TempDir,
    address: SocketAddr,
    serving: Option<JoinHandle<()>>,
}

impl Bucket {
    /// One whose server is not there yet.
    pub fn away() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(NAME)).unwrap();
        Self { folder, address: free_port(), serving: None }
    }

    /// One whose server is there.
    pub fn serving() -> Self {
        let mut bucket = Self::away();
        bucket.comes();
        bucket
    }

    /// Its server comes (back).
    pub fn comes(&mut self) {
        let mut service = S3ServiceBuilder::new(FileSystem::new(self.folder.path()).unwrap());
        service.set_auth(SimpleAuth::from_single(KEY.0, KEY.1));
        let service = service.build();
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_reuseaddr(true).unwrap();
        socket.bind(self.address).unwrap();
        self.serving = Some(tokio::spawn(serve(socket.listen(64).unwrap(), service)));
    }

    /// What an operator would set.
    pub fn settings(&self) -> Vec<(&'static str, String)> {
        vec![
            ("ARTIFACTS__S3__BUCKET", NAME.to_owned()),
            ("ARTIFACTS__S3__ENDPOINT", format!("http://{}", self.address)),
            ("ARTIFACTS__S3__PREFIX", "voice".to_owned()),
            ("ARTIFACTS__S3__ACCESS_KEY_ID", KEY.0.to_owned()),
            ("ARTIFACTS__S3__SECRET_ACCESS_KEY", KEY.1.to_owned()),
        ]
    }

    /// The names of the files in it, sorted, without their folders.
    pub fn files(&self) -> Vec<String> {
        fn look(folder: &Path, found: &mut Vec<PathBuf>) {
            for entry in folder.read_dir().unwrap().map(Result::unwrap) {
                if entry.file_type().unwrap().is_dir() {
                    look(&entry.path(), found);
                } else {
                    found.push(entry.path());
                }
            }
        }
        let mut found = Vec::new();
        look(&self.folder.path().join(NAME), &mut found);
        let name = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
        let mut names: Vec<String> = found.iter().map(name).collect();
        names.sort();
        names
    }
}

impl Drop for Bucket {
    fn drop(&mut self) {
        if let Some(serving) = &self.serving {
            serving.abort();
        }
    }
}

async fn serve(listener: TcpListener, service: S3Service) {
    // They end with their server.
    let mut connections = JoinSet::new();
    loop {
        let (socket, _) = listener.accept().await.unwrap();
        let service = service.clone();
        connections.spawn(async move {
            // A client that goes is no failure.
            let _ = http1::Builder::new().serve_connection(TokioIo::new(socket), service).await;
        });
    }
}
