//! A headless Chromium for tests: empty profile, no port, driven over its debugging pipe.
//!
//! A [`Browser`] lends [`Visitor`]s, who share no cookies; a visitor opens [`Page`]s. Pages write
//! down what goes wrong on them (errors in the console, violations of the Content-Security-Policy,
//! dialogs), and a test fails when it did not expect it.

#![allow(
    clippy::panic,
    clippy::expect_used,
    clippy::missing_panics_doc,
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    reason = "for tests only: without Chromium a test fails, and says why; a missing field of JSON is null"
)]

mod axe;
mod browser;
mod find;
mod hands;
mod launch;
mod look;
mod page;
mod seen;
mod wire;

use std::time::Duration;

pub use axe::Finding;
pub use browser::{Browser, Visitor};
pub use find::{Element, button, css, field, link};
pub use hands::Key;
pub use look::Look;
pub use page::{Cookie, Page};
pub use seen::{Document, Traffic};

/// Nothing that a page is waited for takes longer than this.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Between two looks at a page that is waited for.
const PAUSE: Duration = Duration::from_millis(20);
