//! Why a provider gave no answer, and whether it is worth asking once more.

use std::time::Duration;

use bytes::Bytes;
use hyper::StatusCode;

/// The wait before a request is made once more, unless the provider names another.
const BACK_OFF: Duration = Duration::from_millis(250);
/// The longest wait that a provider may ask for: somebody is listening to silence meanwhile.
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// Why a provider gave no answer; its text holds no secret, no address and nothing that was said.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Fault {
    /// The address guard refused the endpoint.
    #[error("the endpoint is refused: {0}")]
    Refused(&'static str),
    /// The key does not open the door (401, 403).
    #[error("the key was refused with status {0}")]
    Denied(StatusCode),
    /// The provider did not like the request; the body says why and is never logged, as it may repeat
    /// what was said.
    #[error("the request was refused with status {0}")]
    Rejected(StatusCode, Bytes),
    /// Too much to do, or out of order (408, 429, 5xx), and when to come again.
    #[error("the provider is unavailable with status {0}")]
    Busy(StatusCode, Option<Duration>),
    /// No connection, or one that broke.
    #[error("{0}")]
    Broken(&'static str),
    /// Nothing came for too long.
    #[error("the provider fell silent")]
    Stalled,
    /// The answer cannot be read.
    #[error("{0}")]
    Malformed(&'static str),
}

impl Fault {
    /// What an answer's status says, unless it is a success.
    pub(crate) fn of(status: StatusCode, retry_after: Option<Duration>, body: Bytes) -> Option<Self> {
        match status {
            status if status.is_success() => None,
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Some(Self::Denied(status)),
            StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS => {
                Some(Self::Busy(status, retry_after))
            }
            status if status.is_server_error() => Some(Self::Busy(status, retry_after)),
            status => Some(Self::Rejected(status, body)),
        }
    }

    /// How long to wait before asking once more; none when that would not help, or not soon enough.
    pub(crate) fn wait(&self) -> Option<Duration> {
        match self {
            Self::Busy(_, Some(wait)) => Some(*wait).filter(|wait| *wait <= LONGEST_WAIT),
            Self::Busy(_, None) | Self::Broken(_) => Some(BACK_OFF),
            // It was long enough.
            Self::Stalled => Some(Duration::ZERO),
            Self::Refused(_) | Self::Denied(_) | Self::Rejected(..) | Self::Malformed(_) => None,
        }
    }
}

impl From<egress::Failure> for Fault {
    fn from(failure: egress::Failure) -> Self {
        match failure {
            egress::Failure::Refused(why) => Self::Refused(why),
            egress::Failure::Broken(why) => Self::Broken(why),
            egress::Failure::TimedOut => Self::Broken("the connection took too long"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_may_be_over_soon_is_asked_again() {
        let wait = |status: u16, retry_after: Option<u64>| {
            let status = StatusCode::from_u16(status).unwrap();
            Fault::of(status, retry_after.map(Duration::from_secs), Bytes::new()).unwrap().wait()
        };
        assert_eq!(wait(503, None), Some(BACK_OFF));
        assert_eq!(wait(500, Some(1)), Some(Duration::from_secs(1)));
        assert_eq!(wait(429, Some(2)), Some(Duration::from_secs(2)));
        assert_eq!(wait(429, Some(3)), None);
        assert_eq!(Fault::Stalled.wait(), Some(Duration::ZERO));
        for status in [400, 401, 403, 404, 422, 302] {
            assert_eq!(wait(status, None), None, "{status}");
        }
        assert_eq!(Fault::of(StatusCode::CREATED, None, Bytes::new()), None);
    }
}
