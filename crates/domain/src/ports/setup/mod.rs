//! What is set up before anybody is called: tenants, trunks, numbers, assistants, and what signs
//! callbacks. The command line reaches everything, a user of the dashboard what their scope covers;
//! what is out of reach is as missing. A change and its entry in the audit log are written together.

mod assistants;
mod numbers;
mod signing;
mod tenants;
mod test_lines;
mod trunks;

pub use assistants::Assistants;
pub use numbers::{CarriedNumber, Numbers};
pub use signing::Signing;
pub use tenants::Tenants;
pub use test_lines::{FreshTestLine, TestLines};
pub use trunks::{ReviseTrunkError, Trunks};

use super::StoreUnavailable;

/// What became of an addition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Added {
    /// It is there.
    Fresh,
    /// Its id is taken, perhaps by the same request that came before; nothing was done.
    Repeated,
}

/// Why something could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// What it belongs to does not exist, or not there.
    #[error("no such {0}")]
    Unknown(&'static str),
    /// See [`StoreUnavailable`].
    #[error(transparent)]
    Store(#[from] StoreUnavailable),
}
