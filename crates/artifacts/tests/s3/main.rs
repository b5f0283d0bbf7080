//! Artifacts in a bucket: a server that speaks S3 and checks every signature, and a plain HTTP client.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "these are tests, and the server judges addresses by the real time"
)]

mod bucket;
mod faults;

use std::sync::Arc;

use artifacts::{S3Artifacts, S3Settings};
use bucket::{Bucket, Visitor};
use domain::testing::artifacts::ArtifactWorld;

mod in_the_path {
    use super::*;

    async fn make_world() -> ArtifactWorld {
        let bucket = Bucket::serve().await;
        let store = S3Artifacts::new(&bucket.settings()).unwrap();
        let visitor = Visitor::of(&bucket);
        ArtifactWorld::new(Arc::new(store), Arc::new(visitor), bucket)
    }

    domain::artifact_contracts!(make_world);
}

/// By TLS of an authority of the operator's own, under a prefix.
mod by_tls_under_a_prefix {
    use super::*;

    async fn make_world() -> ArtifactWorld {
        let bucket = Bucket::serve_tls().await;
        let settings = S3Settings { prefix: Some("v/1".to_owned()), ..bucket.settings() };
        let (store, visitor) = (S3Artifacts::new(&settings).unwrap(), Visitor::of(&bucket));
        ArtifactWorld::new(Arc::new(store), Arc::new(visitor), bucket)
    }

    domain::artifact_contracts!(make_world);
}
