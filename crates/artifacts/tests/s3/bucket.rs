//! A bucket behind a server that checks signatures, and somebody outside who has addresses only.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use artifacts::S3Settings;
use async_trait::async_trait;
use domain::secret::Secret;
use domain::testing::TestResult;
use domain::testing::artifacts::{Fetched, Fetches};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use s3s::auth::SimpleAuth;
use s3s::service::{S3Service, S3ServiceBuilder};
use s3s_fs::FileSystem;
use time::OffsetDateTime;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use url::Url;

const BUCKET: &str = "calls";
const KEY: (&str, &str) = ("OPERATORKEY1", "a/secret+with=signs");

/// What a server says instead of doing what it is asked; none lets it.
pub(crate) type Refuse = fn(&Request<Incoming>) -> Option<StatusCode>;

/// A server with one bucket on a port of its own.
pub(crate) struct Bucket {
    folder: tempfile::TempDir,
    endpoint: Url,
    trust: RootCertStore,
    serving: JoinHandle<()>,
}

impl Bucket {
    pub(crate) async fn serve() -> Self {
        Self::start(None, |_| None).await
    }

    /// A server that now and then refuses.
    pub(crate) async fn refusing(refuse: Refuse) -> Self {
        Self::start(None, refuse).await
    }

    /// By TLS, with a certificate of an authority that nobody else knows.
    pub(crate) async fn serve_tls() -> Self {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()).into();
        let chain = vec![made.cert.der().clone()];
        let config =
            ServerConfig::builder().with_no_client_auth().with_single_cert(chain.clone(), key).unwrap();
        let mut bucket = Self::start(Some(TlsAcceptor::from(Arc::new(config))), |_| None).await;
        bucket.endpoint.set_scheme("https").unwrap();
        bucket.endpoint.set_host(Some("localhost")).unwrap();
        bucket.trust.add(chain[0].clone()).unwrap();
        bucket
    }

    async fn start(tls: Option<TlsAcceptor>, refuse: Refuse) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(BUCKET)).unwrap();
        let mut service = S3ServiceBuilder::new(FileSystem::new(folder.path()).unwrap());
        service.set_auth(SimpleAuth::from_single(KEY.0, KEY.1));
        let service = service.build();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = Url::parse(&format!("http://{}/", listener.local_addr().unwrap())).unwrap();
        let serving = tokio::spawn(async move {
            loop {
                let (socket, _) = listener.accept().await.unwrap();
                let (service, tls) = (service.clone(), tls.clone());
                tokio::spawn(async move {
                    match tls {
                        None => answer(TokioIo::new(socket), service, refuse).await,
                        Some(tls) => {
                            let Ok(socket) = tls.accept(socket).await else { return };
                            answer(TokioIo::new(socket), service, refuse).await;
                        }
                    }
                });
            }
        });
        Self { folder, endpoint, trust: RootCertStore::empty(), serving }
    }

    /// How its operator would write it down.
    pub(crate) fn settings(&self) -> S3Settings {
        S3Settings {
            bucket: BUCKET.to_owned(),
            region: "ca-central-1".to_owned(),
            endpoint: Some(self.endpoint.clone()),
            path_style: true,
            prefix: None,
            access_key_id: KEY.0.to_owned(),
            secret_access_key: Secret::new(KEY.1.to_owned()),
            tls: Arc::new(self.client_config()),
            request_limit: S3Settings::REQUEST_LIMIT,
        }
    }

    fn client_config(&self) -> ClientConfig {
        ClientConfig::builder().with_root_certificates(self.trust.clone()).with_no_client_auth()
    }

    /// Every file that the server keeps, and how many bytes each has.
    pub(crate) fn files(&self) -> Vec<(PathBuf, u64)> {
        fn look(folder: &Path, found: &mut Vec<(PathBuf, u64)>) {
            for entry in folder.read_dir().unwrap().map(Result::unwrap) {
                if entry.file_type().unwrap().is_dir() {
                    look(&entry.path(), found);
                } else {
                    found.push((entry.path(), entry.metadata().unwrap().len()));
                }
            }
        }
        let mut found = Vec::new();
        look(self.folder.path(), &mut found);
        found
    }
}

impl Drop for Bucket {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn answer<Io>(io: TokioIo<Io>, service: S3Service, refuse: Refuse)
where
    Io: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + 'static,
{
    let serve = service_fn(move |request: Request<Incoming>| {
        let service = service.clone();
        async move {
            match refuse(&request) {
                Some(status) => {
                    let mut answer = Response::new(s3s::Body::empty());
                    *answer.status_mut() = status;
                    Ok(answer)
                }
                None => hyper::service::Service::call(&service, request).await,
            }
        }
    });
    // A client that goes is no failure.
    let _ = http1::Builder::new().serve_connection(io, serve).await;
}

/// Somebody outside.
pub(crate) struct Visitor {
    client: reqwest::Client,
    files: tempfile::TempDir,
}

impl Visitor {
    pub(crate) fn of(bucket: &Bucket) -> Self {
        let client = reqwest::Client::builder()
            .tls_backend_preconfigured(bucket.client_config())
            .no_proxy()
            .timeout(Duration::from_mins(1))
            .build()
            .unwrap();
        Self { client, files: tempfile::tempdir().unwrap() }
    }
}

#[async_trait]
impl Fetches for Visitor {
    fn now(&self) -> OffsetDateTime {
        OffsetDateTime::now_utc()
    }

    async fn fetch(&self, address: &Url, range: Option<&str>) -> TestResult<Fetched> {
        let mut request = self.client.get(address.clone());
        if let Some(range) = range {
            request = request.header("Range", range);
        }
        let answer = request.send().await?;
        let header = |name| answer.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
        Ok(Fetched {
            status: answer.status().as_u16(),
            content_type: header("content-type"),
            disposition: header("content-disposition"),
            range: header("content-range"),
            body: answer.bytes().await?.to_vec(),
        })
    }

    async fn file(&self, bytes: &[u8]) -> TestResult<PathBuf> {
        let (_, path) = tempfile::NamedTempFile::new_in(&self.files)?.keep()?;
        std::fs::write(&path, bytes)?;
        Ok(path)
    }
}
