//! How trunks stand, as a test says.

use std::collections::HashMap;
use std::sync::Mutex;

use domain::ids::TrunkId;
use domain::ports::{TrunkReport, TrunkReports};

/// Knows what it was told; every other trunk was never asked.
#[derive(Default)]
pub(crate) struct TrunkStates(Mutex<HashMap<TrunkId, TrunkReport>>);

impl TrunkStates {
    /// From now on the trunk stands so.
    pub(crate) fn set(&self, trunk: TrunkId, report: TrunkReport) {
        self.0.lock().unwrap().insert(trunk, report);
    }
}

impl TrunkReports for TrunkStates {
    fn report(&self, trunk: TrunkId) -> TrunkReport {
        self.0.lock().unwrap().get(&trunk).cloned().unwrap_or_default()
    }
}
