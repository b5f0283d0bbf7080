//! Values that must never reach a log.

use std::fmt;

/// A confidential value: it prints as `[secret]`, and is only read where `reveal` is written.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret<T>(T);

impl<T> Secret<T> {
    /// Wraps a confidential value.
    pub const fn new(value: T) -> Self {
        Self(value)
    }

    /// The value itself, at the one place that needs it.
    pub const fn reveal(&self) -> &T {
        &self.0
    }
}

impl<T> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}
