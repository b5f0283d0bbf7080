//! What somebody saw before they changed it, so that what others wrote meanwhile is not overwritten unseen.

use super::StoreUnavailable;

/// What somebody saw when they made up their mind. A store asks it about what it holds, in the
/// transaction that writes.
pub struct Seen<T>(Box<dyn Fn(&T) -> bool + Send + Sync>);

impl<T> Seen<T> {
    /// Told by whoever can say whether a stored thing `is` what was seen.
    pub fn told_by(is: impl Fn(&T) -> bool + Send + Sync + 'static) -> Self {
        Self(Box::new(is))
    }
}

impl<T: PartialEq> Seen<T> {
    /// Whether a change would overwrite what was not seen. The same change sent twice, after which
    /// the thing `becomes` what it is already, overwrites nothing.
    pub fn misses(&self, stored: &T, becomes: Option<&T>) -> bool {
        !(self.0)(stored) && becomes != Some(stored)
    }
}

/// Why nothing was put in the place of what stood there.
#[derive(Debug, thiserror::Error)]
pub enum ReviseError {
    /// There is no such thing, or not there.
    #[error("no such {0}")]
    Unknown(&'static str),
    /// Something else stands there than was seen; nothing was written.
    #[error("somebody changed it meanwhile")]
    Overtaken,
    /// See [`StoreUnavailable`].
    #[error(transparent)]
    Store(#[from] StoreUnavailable),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_seen_is_missed_unless_it_is_the_same_change_again() {
        let seen = Seen::told_by(|stored: &&str| stored.len() == 3);
        for (stored, becomes, missed) in [
            ("old", None, false),
            ("theirs", None, true),
            ("theirs", Some("mine"), true),
            ("mine", Some("mine"), false),
        ] {
            assert_eq!(seen.misses(&stored, becomes.as_ref()), missed, "{stored} {becomes:?}");
        }
    }
}
