//! The pages, as they are sent.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, LazyLock};

use actix_web::http::header::EntityTag;
use actix_web::web::Bytes;
use utoipa_swagger_ui::Config;

use crate::openapi::openapi_document;

/// The document's name among the pages.
pub(super) const OPENAPI_FILE: &str = "openapi.json";
/// The page's name among the pages.
pub(super) const PAGE_FILE: &str = "index.html";
/// What the page loads: a script of ours, and Swagger UI.
pub(super) const FILES: [&str; 5] =
    [START_FILE, "index.css", "swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png"];
const START_FILE: &str = "start.js";

/// A page.
pub(super) struct Page {
    /// Its content.
    pub(super) bytes: Bytes,
    /// Its media type.
    pub(super) kind: String,
    /// Another content, another tag.
    pub(super) tag: EntityTag,
}

/// Looks a page up; all are made when the first is asked for.
pub(super) fn page(name: &str) -> Option<&'static Page> {
    static PAGES: LazyLock<BTreeMap<&str, Page>> = LazyLock::new(|| {
        let own = [
            (OPENAPI_FILE, Bytes::from(openapi_document()), "application/json".to_owned()),
            (
                PAGE_FILE,
                Bytes::from_static(include_bytes!("index.html")),
                "text/html; charset=utf-8".to_owned(),
            ),
            (START_FILE, Bytes::from_static(include_bytes!("start.js")), "text/javascript".to_owned()),
        ];
        let others = FILES.into_iter().filter_map(swagger_ui);
        own.into_iter().chain(others).map(|(name, bytes, kind)| (name, Page::of(bytes, kind))).collect()
    });
    PAGES.get(name)
}

/// A file of Swagger UI.
fn swagger_ui(name: &'static str) -> Option<(&'static str, Bytes, String)> {
    let file = utoipa_swagger_ui::serve(name, Arc::new(Config::default())).ok()??;
    Some((name, Bytes::from(file.bytes.into_owned()), file.content_type))
}

impl Page {
    fn of(bytes: Bytes, kind: String) -> Self {
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        let tag = EntityTag::new_strong(format!("{:016x}", hasher.finish()));
        Self { bytes, kind, tag }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_is_there() {
        for name in FILES.into_iter().chain([OPENAPI_FILE, PAGE_FILE]) {
            assert!(!page(name).unwrap().bytes.is_empty(), "{name}");
        }
    }
}
