//! Running use cases that write where a dropped request cancels nothing.

use std::sync::Arc;

use tracing::{Instrument, Span};

use crate::error::ApiError;
use crate::gate::Service;

/// Runs a use case on the control runtime and waits for it. When the request is dropped the use
/// case goes on to its end; its log lines still name the request.
pub(crate) async fn run<T, Work>(
    service: &Arc<Service>,
    work: impl FnOnce(Arc<Service>) -> Work,
) -> Result<T, ApiError>
where
    T: Send + 'static,
    Work: Future<Output = Result<T, ApiError>> + Send + 'static,
{
    let task = work(Arc::clone(service)).instrument(Span::current());
    match service.control.spawn(task).await {
        Ok(outcome) => outcome,
        Err(failure) if failure.is_panic() => {
            tracing::error!("a use case panicked");
            Err(ApiError::Internal)
        }
        // The runtime is being shut down.
        Err(_) => Err(ApiError::Unavailable("The service is shutting down")),
    }
}
