//! Named places in a call's life where tests let the process die.

/// Dies here when the fail point `name` is switched on; nothing without the feature `failpoints`.
macro_rules! crash_point {
    ($name:literal) => {
        fail::fail_point!($name, |_| std::process::abort());
    };
}

pub(crate) use crash_point;
