//! Conclusions that the store could not take yet, kept on this machine.

use async_trait::async_trait;

use super::Conclusion;
use crate::ids::CallId;

/// The spool itself failed; the cause is for the log only.
#[derive(Debug, thiserror::Error)]
#[error("the spool failed")]
pub struct SpoolError(#[source] pub Box<dyn std::error::Error + Send + Sync>);

/// A durable local place for the ends of calls while the store is away.
#[async_trait]
pub trait Spool: Send + Sync {
    /// Keeps a conclusion; it survives a crash from the moment this returns.
    async fn keep(&self, conclusion: &Conclusion) -> Result<(), SpoolError>;

    /// What an earlier boot kept and never handed over.
    async fn pending(&self) -> Result<Vec<Conclusion>, SpoolError>;

    /// The store has it: forget it here.
    async fn forget(&self, call: CallId) -> Result<(), SpoolError>;
}
