//! The contract of artifacts, kept by the local store behind this server.

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use domain::ports::Clock;
use domain::testing::TestResult;
use domain::testing::artifacts::{ArtifactWorld, Fetched, Fetches};
use time::OffsetDateTime;
use url::Url;

use super::target_of;
use crate::support::App;

struct Visitor(Arc<App>);

#[async_trait]
impl Fetches for Visitor {
    fn now(&self) -> OffsetDateTime {
        self.0.clock.now()
    }

    async fn fetch(&self, address: &Url, range: Option<&str>) -> TestResult<Fetched> {
        let target = if address.query().is_some() { target_of(address) } else { address.path().to_owned() };
        let mut request = self.0.get(&target);
        if let Some(range) = range {
            request = request.header("Range", range);
        }
        let answer = request.send().await;
        let header = |name| answer.header(name).map(str::to_owned);
        Ok(Fetched {
            status: answer.status,
            content_type: header("content-type"),
            disposition: header("content-disposition"),
            range: header("content-range"),
            body: answer.body.clone(),
        })
    }

    async fn file(&self, bytes: &[u8]) -> TestResult<PathBuf> {
        let (_, path) = tempfile::NamedTempFile::new_in(&self.0.folder)?.keep()?;
        std::fs::write(&path, bytes)?;
        Ok(path)
    }
}

async fn make_world() -> ArtifactWorld {
    let app = Arc::new(App::start().await);
    ArtifactWorld::new(app.artifacts(), Arc::new(Visitor(app.clone())), app)
}

domain::artifact_contracts!(make_world);
