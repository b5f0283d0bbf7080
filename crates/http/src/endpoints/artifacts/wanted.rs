//! How much of a file a request wants: conditions (RFC 9110 §13) and ranges (§14).

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use actix_web::HttpMessage;
use actix_web::HttpRequest;
use actix_web::http::Method;
use actix_web::http::header::{
    EntityTag, Header, HttpDate, IF_NONE_MATCH, IF_RANGE, IfModifiedSince, IfNoneMatch, IfRange,
    LastModified, Range,
};

/// Which file it is, so that parts of two are never put together.
pub(super) struct Version {
    pub(super) tag: EntityTag,
    pub(super) modified: LastModified,
}

impl Version {
    /// By identity, length and moment: a file is replaced whole, and never written again.
    pub(super) fn of(known: &Metadata) -> Self {
        let since =
            known.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
        let tag = format!("{:x}-{:x}-{:x}", known.ino(), known.len(), since.as_nanos());
        // The header has whole seconds, and is compared as it was sent.
        let modified: SystemTime = UNIX_EPOCH + Duration::from_secs(since.as_secs());
        Self { tag: EntityTag::new_strong(tag), modified: LastModified(HttpDate::from(modified)) }
    }
}

/// What is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// All of it.
    Whole,
    /// From one byte to another, both included.
    Part { first: u64, last: u64 },
    /// The client has this version.
    Nothing,
    /// A part that the file does not have.
    Elsewhere,
}

/// What a request wants of a file of so many bytes. Ranges that make no sense are none; several at once
/// are not served one by one, and the whole is sent, as a server may.
pub(super) fn wanted(request: &HttpRequest, version: &Version, bytes: u64) -> Wanted {
    if is_known(request, version) {
        return Wanted::Nothing;
    }
    if request.method() != Method::GET || !is_wanted_version(request, version) {
        return Wanted::Whole;
    }
    match Range::parse(request) {
        Ok(Range::Bytes(ranges)) => match ranges.as_slice() {
            [range] => range
                .to_satisfiable_range(bytes)
                .map_or(Wanted::Elsewhere, |(first, last)| Wanted::Part { first, last }),
            _ => Wanted::Whole,
        },
        _ => Wanted::Whole,
    }
}

/// Whether the client has this version already; by its tag, where it names one.
fn is_known(request: &HttpRequest, version: &Version) -> bool {
    if request.headers().contains_key(IF_NONE_MATCH) {
        return match request.get_header() {
            Some(IfNoneMatch::Any) => true,
            Some(IfNoneMatch::Items(known)) => known.iter().any(|known| known.weak_eq(&version.tag)),
            None => false,
        };
    }
    let since: Option<IfModifiedSince> = request.get_header();
    since.is_some_and(|IfModifiedSince(since)| version.modified.0 <= since)
}

/// Whether the part is wanted of this version, or of whichever there is.
fn is_wanted_version(request: &HttpRequest, version: &Version) -> bool {
    if !request.headers().contains_key(IF_RANGE) {
        return true;
    }
    match request.get_header() {
        Some(IfRange::EntityTag(tag)) => tag.strong_eq(&version.tag),
        Some(IfRange::Date(at)) => at == version.modified.0,
        None => false,
    }
}
