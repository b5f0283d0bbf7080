//! Finding out who presents an API key.

use std::sync::Arc;

use domain::access::Principal;
use domain::ports::{Access, Clock, StoreUnavailable};

use crate::keys::digest_of_well_formed;

/// Checks API keys against the store, on every request.
pub struct Authenticate {
    access: Arc<dyn Access>,
    clock: Arc<dyn Clock>,
}

impl Authenticate {
    /// Builds the use case from its ports.
    pub fn new(access: Arc<dyn Access>, clock: Arc<dyn Clock>) -> Self {
        Self { access, clock }
    }

    /// The holder of a live key; none for anything else.
    pub async fn authenticate(&self, key: &str) -> Result<Option<Principal>, StoreUnavailable> {
        match digest_of_well_formed(key) {
            Some(digest) => self.access.authenticate(digest, self.clock.now()).await,
            None => Ok(None),
        }
    }
}
