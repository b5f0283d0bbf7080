//! An error and what lies behind it, in one line of a log.

use std::error::Error;

/// The error's own words, then those of each cause.
pub fn causes(error: &(dyn Error + 'static)) -> String {
    let mut told = error.to_string();
    let mut behind = error.source();
    while let Some(cause) = behind {
        told = format!("{told}: {cause}");
        behind = cause.source();
    }
    told
}
