//! Keeping every trunk pinged and registered, also those that were added meanwhile.

use std::sync::Arc;
use std::time::Duration;

use domain::ports::{Directory, Telephony};

use crate::causes::causes;

/// How often the directory is asked for new and changed trunks.
const EVERY: Duration = Duration::from_secs(5);

/// Shows the telephony adapter which trunks there are.
pub struct WatchTrunks {
    /// Lists them.
    pub directory: Arc<dyn Directory>,
    /// Pings and registers them.
    pub telephony: Arc<dyn Telephony>,
}

impl WatchTrunks {
    /// Watches until the task is dropped.
    pub async fn run(&self) {
        let mut looks = tokio::time::interval(EVERY);
        looks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut failing = false;
        loop {
            looks.tick().await;
            // While they cannot be read, trunks stay as they are.
            match self.directory.trunks().await {
                Ok(trunks) => {
                    failing = false;
                    self.telephony.watch(trunks).await;
                }
                Err(error) if !failing => {
                    failing = true;
                    tracing::error!(error = causes(&error), "the trunks cannot be read");
                }
                Err(_) => {}
            }
        }
    }
}
