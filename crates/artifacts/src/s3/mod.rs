//! Artifacts in a bucket of S3, or of a store that speaks its language.

mod connect;
mod presign;
mod settings;
mod upload;

use async_trait::async_trait;
use domain::call::ArtifactKey;
use domain::ports::{ArtifactBody, Artifacts, ArtifactsUnavailable, URL_LIFE};
use object_store::aws::AmazonS3;
use object_store::path::Path;
use time::OffsetDateTime;
use url::{Origin, Url};

use self::presign::Presigner;
pub use self::settings::{BadSettings, Settings};
use crate::unavailable;

/// A bucket, or the part of one under a prefix.
pub struct S3Artifacts {
    store: AmazonS3,
    presigner: Presigner,
    /// Empty, or ending in `/`.
    prefix: String,
}

impl S3Artifacts {
    /// Prepares the client; nothing is asked of the bucket yet.
    pub fn new(settings: &Settings) -> Result<Self, BadSettings> {
        let bucket = settings.bucket_url()?;
        Ok(Self {
            store: connect::store(settings, &bucket)?,
            presigner: Presigner::new(settings, bucket),
            prefix: settings.prefix.as_ref().map(|prefix| format!("{prefix}/")).unwrap_or_default(),
        })
    }

    fn place(&self, key: &ArtifactKey) -> String {
        format!("{}{key}", self.prefix)
    }
}

#[async_trait]
impl Artifacts for S3Artifacts {
    async fn put(&self, key: &ArtifactKey, body: ArtifactBody) -> Result<u64, ArtifactsUnavailable> {
        let place = Path::parse(self.place(key)).map_err(unavailable)?;
        upload::upload(&self.store, &place, key.kind, body).await
    }

    async fn sign(&self, key: &ArtifactKey, now: OffsetDateTime) -> Result<Url, ArtifactsUnavailable> {
        self.presigner.get(&self.place(key), now, URL_LIFE).map_err(unavailable)
    }

    fn origin(&self) -> Origin {
        self.presigner.origin()
    }
}
