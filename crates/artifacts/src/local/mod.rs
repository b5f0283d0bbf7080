//! Artifacts on the local disk: `ROOT/TENANT/ORGANIZATION/CALL/recording.wav`.

mod address;
mod disk;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use domain::call::ArtifactKey;
use domain::ports::{ArtifactBody, Artifacts, ArtifactsUnavailable, KeyRing, Opened, SignedFiles};
use time::OffsetDateTime;
use tokio::task::spawn_blocking;
use url::{Origin, Url};

use self::address::Signers;
use crate::unavailable;

/// A folder of artifacts, served by this installation's own HTTP interface.
pub struct LocalArtifacts {
    root: PathBuf,
    base: Url,
    signers: Signers,
}

impl LocalArtifacts {
    /// Opens the folder, which is made when absent; `public_url` is how the outside reaches the HTTP
    /// interface. Addresses are signed with keys of their own, derived from those of the ring: every node
    /// with the same ones takes them.
    ///
    /// What a crash left half-written is cleared away, so no two programs may have one folder.
    pub fn open(root: PathBuf, public_url: &Url, keys: Arc<dyn KeyRing>) -> io::Result<Self> {
        disk::prepare(&root)?;
        let mut base = public_url.clone();
        base.set_path(&format!("{}/artifacts/", public_url.path().trim_end_matches('/')));
        Ok(Self { root, base, signers: Signers::new(keys) })
    }
}

#[async_trait]
impl Artifacts for LocalArtifacts {
    async fn put(&self, key: &ArtifactKey, body: ArtifactBody) -> Result<u64, ArtifactsUnavailable> {
        let (root, name) = (self.root.clone(), key.to_string());
        let stored = spawn_blocking(move || disk::store(&root, &name, body)).await;
        stored.map_err(unavailable)?.map_err(unavailable)
    }

    async fn sign(&self, key: &ArtifactKey, now: OffsetDateTime) -> Result<Url, ArtifactsUnavailable> {
        let path = key.to_string();
        let (expires, signature) = self.signers.sign(&path, now);
        let mut address = self.base.clone();
        address.set_path(&format!("{}{path}", self.base.path()));
        address.query_pairs_mut().append_pair("expires", &expires).append_pair("signature", &signature);
        Ok(address)
    }

    fn origin(&self) -> Origin {
        self.base.origin()
    }
}

#[async_trait]
impl SignedFiles for LocalArtifacts {
    async fn open(
        &self,
        path: &str,
        expires: &str,
        signature: &str,
        now: OffsetDateTime,
    ) -> Result<Opened, ArtifactsUnavailable> {
        // The signature goes first: without one, nothing shows what is there.
        if !self.signers.holds(path, expires, signature, now) {
            return Ok(Opened::Forbidden);
        }
        // What was signed was a key; this makes sure of it before it names a file.
        let Some(key) = ArtifactKey::parse(path) else { return Ok(Opened::Forbidden) };
        let file = self.root.join(key.to_string());
        match spawn_blocking(move || std::fs::File::open(file)).await.map_err(unavailable)? {
            Ok(file) => Ok(Opened::File { kind: key.kind, file }),
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(Opened::Missing),
            Err(cause) => Err(unavailable(cause)),
        }
    }
}
