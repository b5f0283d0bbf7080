//! Why a try came to no answer, in words for people that name no secret and no address.

use domain::ports::TryOutcome;

/// Why a try came to no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The guard refused the destination; nothing was sent, no connection was made.
    Refused(&'static str),
    /// The lookup, connection, TLS or the HTTP exchange failed.
    Broken(&'static str),
    /// The try's time was up.
    TimedOut,
}

impl From<egress::Failure> for Failure {
    fn from(failure: egress::Failure) -> Self {
        match failure {
            egress::Failure::Refused(why) => Self::Refused(why),
            egress::Failure::Broken(why) => Self::Broken(why),
            egress::Failure::TimedOut => Self::TimedOut,
        }
    }
}

impl From<Failure> for TryOutcome {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Refused(why) => Self::Refused(why.to_owned()),
            Failure::Broken(why) => Self::Broken(why.to_owned()),
            Failure::TimedOut => Self::TimedOut,
        }
    }
}

/// Names the kind of a failed HTTP exchange.
pub(crate) fn exchanging(error: &hyper::Error) -> Failure {
    Failure::Broken(if error.is_parse() {
        "the answer is not HTTP/1.1, or its head is too large"
    } else {
        "the connection closed before an answer"
    })
}
