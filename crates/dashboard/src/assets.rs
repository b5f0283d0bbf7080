//! Files that pages load: built in, named after their content, and kept by browsers for good.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::LazyLock;

use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, ETAG};
use sha2::{Digest, Sha256};

use crate::error::PageError;
use crate::request::Asked;
use crate::routes::Making;

struct Asset {
    name: &'static str,
    kind: &'static str,
    bytes: &'static [u8],
}

macro_rules! assets {
    ($($name:literal: $kind:literal),+ $(,)?) => {
        &[$(Asset { name: $name, kind: $kind, bytes: include_bytes!(concat!("../assets/", $name)) },)+]
    };
}

const ASSETS: &[Asset] = assets! {
    "style.css": "text/css; charset=utf-8",
    "app.js": "text/javascript; charset=utf-8",
    "live.js": "text/javascript; charset=utf-8",
    "player.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
};

/// Addresses by name; each changes with the file's content.
static ADDRESSES: LazyLock<BTreeMap<&'static str, String>> = LazyLock::new(|| {
    ASSETS.iter().map(|asset| (asset.name, format!("/assets/{}/{}", hash_of(asset), asset.name))).collect()
});

fn hash_of(asset: &Asset) -> String {
    Sha256::digest(asset.bytes).iter().take(6).fold(String::new(), |mut hash, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hash, "{byte:02x}");
        hash
    })
}

/// The address of a file, for templates; a name that is not there shows as a missing file.
pub(crate) fn address(name: &str) -> &'static str {
    ADDRESSES.get(name).map_or("/assets/missing", String::as_str)
}

/// `GET /assets/{hash}/{name}`. While nodes of two versions serve, a page of one may ask the other for its
/// files: it gets what is here by that name, and keeps it no longer than for this once.
pub(crate) fn send(asked: Asked) -> Making {
    Box::pin(async move {
        let name = asked.path("name");
        let asset = ASSETS.iter().find(|asset| asset.name == name).ok_or(PageError::NotFound)?;
        let own = address(name) == asked.http.path();
        let kept = if own { "public, max-age=31536000, immutable" } else { "no-cache" };
        Ok(HttpResponse::Ok()
            .content_type(asset.kind)
            .insert_header((CACHE_CONTROL, kept))
            .insert_header((ETAG, format!("\"{}\"", address(name))))
            .body(asset.bytes))
    })
}
