//! What becomes of calls that are over: their records are filed, and read.

use std::sync::Arc;
use std::time::Duration;

use application::analyse_calls::AnalyseCalls;
use application::file_records::FileRecords;
use domain::ids::BootId;
use domain::ports::{Artifacts, Clock, RecordShelf};
use postgres::Store;
use tokio::task::JoinHandle;

use crate::adapters;
use crate::config::Settings;

pub(super) struct Afterwards {
    records: Arc<FileRecords>,
    analyses: Arc<AnalyseCalls>,
}

impl Afterwards {
    pub(super) fn build(
        settings: &Settings,
        store: &Arc<Store>,
        shelf: Arc<dyn RecordShelf>,
        artifacts: Arc<dyn Artifacts>,
        clock: &Arc<dyn Clock>,
        boot: BootId,
    ) -> anyhow::Result<Self> {
        let model = adapters::language_model(settings)?;
        let analyses = Arc::new(AnalyseCalls::new(store.clone(), model, Arc::clone(clock), boot));
        let records =
            FileRecords::new(shelf, store.clone(), artifacts, Arc::clone(clock), Arc::clone(&analyses));
        Ok(Self { records: Arc::new(records), analyses })
    }

    /// Starts both; what they leave is taken up by the next start.
    pub(super) fn start(&self) -> [JoinHandle<()>; 2] {
        let (records, analyses) = (Arc::clone(&self.records), Arc::clone(&self.analyses));
        [tokio::spawn(async move { records.run().await }), tokio::spawn(async move { analyses.run().await })]
    }

    /// Waits until every record is filed, or `limit` is over.
    pub(super) async fn filed(&self, limit: Duration) {
        self.records.settled(limit).await;
    }
}
