//! What 20 ms of a call come to.

use domain::audio::Frame;
use domain::call::EndedReason;

/// What 20 ms of a call come to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Beat {
    Play(Frame),
    Silence,
    End(EndedReason),
}
