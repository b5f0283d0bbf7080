//! Asking once more, and no more often.

use tokio::time::sleep;

use super::Fault;

/// What remains of the patience with one request.
#[derive(Debug, Default)]
pub(crate) struct Patience {
    spent: bool,
}

impl Patience {
    /// Waits until the request may be made once more; a fault that is not to be got over, or the second
    /// one, comes back.
    pub(crate) async fn wait(&mut self, fault: Fault) -> Result<(), Fault> {
        match fault.wait() {
            Some(wait) if !self.spent => {
                self.spent = true;
                sleep(wait).await;
                Ok(())
            }
            _ => Err(fault),
        }
    }
}
