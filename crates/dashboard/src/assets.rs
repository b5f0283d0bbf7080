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

/// Each file by its address, which changes with its content.
static BY_ADDRESS: LazyLock<BTreeMap<String, &'static Asset>> =
    LazyLock::new(|| ASSETS.iter().map(|asset| (address_of(asset), asset)).collect());

/// Addresses by name.
static ADDRESSES: LazyLock<BTreeMap<&'static str, String>> =
    LazyLock::new(|| ASSETS.iter().map(|asset| (asset.name, address_of(asset))).collect());

fn address_of(asset: &Asset) -> String {
    let mut address = "/assets/".to_owned();
    for byte in Sha256::digest(asset.bytes).iter().take(6) {
        // Writing to a string cannot fail.
        let _ = write!(address, "{byte:02x}");
    }
    address + "/" + asset.name
}

/// The address of a file, for templates; a name that is not there shows as a missing file.
pub(crate) fn address(name: &str) -> &'static str {
    ADDRESSES.get(name).map_or("/assets/missing", String::as_str)
}

/// `GET /assets/{hash}/{name}`.
pub(crate) fn send(asked: Asked) -> Making {
    Box::pin(async move {
        let asset = BY_ADDRESS.get(asked.http.path()).ok_or(PageError::NotFound)?;
        Ok(HttpResponse::Ok()
            .content_type(asset.kind)
            .insert_header((CACHE_CONTROL, "public, max-age=31536000, immutable"))
            .insert_header((ETAG, format!("\"{}\"", asked.path("hash"))))
            .body(asset.bytes))
    })
}
