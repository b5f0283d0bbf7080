//! The keys of secrets at rest, wherever they lie.

use std::sync::Arc;

use crate::at_rest::AtRestKeys;
use crate::secret::Secret;

/// Holds the keys, and follows when they are changed while the program runs.
pub trait KeyRing: Send + Sync {
    /// The keys as they were last read.
    fn keys(&self) -> Arc<AtRestKeys>;

    /// Reads them anew, since a value names a key that is not held; not more often than is good for a disk.
    fn keys_anew(&self) -> Arc<AtRestKeys>;
}

/// Keys that never change.
#[derive(Debug)]
pub struct FixedKeys(Arc<AtRestKeys>);

impl FixedKeys {
    /// A ring of these keys.
    pub fn new(keys: AtRestKeys) -> Self {
        Self(Arc::new(keys))
    }

    /// A ring of one key.
    pub fn one(bytes: [u8; 32]) -> Self {
        Self::new(AtRestKeys::first(Secret::new(bytes)))
    }
}

impl KeyRing for FixedKeys {
    fn keys(&self) -> Arc<AtRestKeys> {
        self.0.clone()
    }

    fn keys_anew(&self) -> Arc<AtRestKeys> {
        self.keys()
    }
}
