//! The page that asks before something is taken away.

use actix_web::HttpResponse;
use askama::Template;

use crate::answer;
use crate::error::PageError;
use crate::layout::Layout;

/// A question with one button that does it, and a way back.
#[derive(Template)]
#[template(path = "confirm.html")]
pub(crate) struct Confirm {
    pub(crate) layout: Layout,
    /// What is asked.
    pub(crate) title: &'static str,
    /// What it is about.
    pub(crate) name: String,
    /// What comes of it.
    pub(crate) text: &'static str,
    pub(crate) button: &'static str,
    /// Where the answer goes.
    pub(crate) action: String,
    /// Where one comes from.
    pub(crate) back: String,
}

impl Confirm {
    pub(crate) fn page(&self) -> Result<HttpResponse, PageError> {
        answer::page(self)
    }
}
