//! Named places in a change of keys where tests let the process die.

/// Dies here when the fail point `name` is switched on: the whole process goes, as by a kill.
#[cfg(feature = "failpoints")]
pub(crate) fn crash_point(name: &'static str) {
    fail::fail_point!(name, |_| std::process::abort());
}

/// Nothing in a build that serves.
#[cfg(not(feature = "failpoints"))]
pub(crate) const fn crash_point(_name: &'static str) {}
