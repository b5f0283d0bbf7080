//! `GET /artifacts/…`: recordings and transcripts that are kept on this node's disk, for whoever has a
//! signed address; no key, not counted.
//!
//! Not counted: a player asks again with every seek, and would spend the limit of the API's client behind
//! the same address. What an address opens was handed out by a counted request; one that opens nothing
//! costs a hash.

mod body;
mod description;
mod wanted;

use actix_web::body::{BoxBody, SizedStream};
use actix_web::http::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_RANGE,
    CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, LAST_MODIFIED, X_CONTENT_TYPE_OPTIONS,
};
use actix_web::http::{Method, StatusCode};
use actix_web::web::{self, Bytes, Data};
use actix_web::{HttpRequest, HttpResponse};
use domain::call::ArtifactKind;
use domain::ports::{ArtifactsUnavailable, Opened};
use futures_util::stream;
use std::fs::File;

use self::wanted::{Version, Wanted};
use crate::error::ApiError;
use crate::gate::Gate;
use crate::query::Query;
use crate::routes::{Endpoint, Needs};

/// Its entry in the table.
pub(crate) const ENDPOINT: Endpoint = Endpoint {
    method: Method::GET,
    path: "/artifacts/{tenant}/{organization}/{call}/{file}",
    limit: None,
    needs: Needs::SignedAddress,
    handler: || web::to(fetch),
    describe: description::describe,
};

/// Told only to those whose address is good.
const GONE: ApiError = ApiError::NotFound("The file is not here");

/// Signature, file, and as much of it as is wanted.
async fn fetch(gate: Data<Gate>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    let files = gate.service()?.signed_files.as_ref().ok_or(ApiError::NoRoute)?;
    let part = |name| request.match_info().get(name).unwrap_or_default();
    let path = ["tenant", "organization", "call", "file"].map(part).join("/");
    // What is missing, twice there, or no text is as good as wrong.
    let mut query = Query::of(&request);
    let mut text = |name| query.optional(name, |text| Ok(text.to_owned())).unwrap_or_default();
    let (expires, signature) = (text("expires"), text("signature"));
    match files.open(&path, &expires, &signature, gate.front.clock.now()).await? {
        Opened::Forbidden => Err(ApiError::BadAddress),
        Opened::Missing => Err(GONE),
        Opened::File { kind, file } => show(&request, kind, file),
    }
}

/// The file, the part of it that is wanted, or that the client has it already.
fn show(request: &HttpRequest, kind: ArtifactKind, file: File) -> Result<HttpResponse, ApiError> {
    // Of an open file the system knows these without asking the disk.
    let known = file.metadata().map_err(|cause| ArtifactsUnavailable(Box::new(cause)))?;
    let (version, bytes) = (Version::of(&known), known.len());
    let wanted = wanted::wanted(request, &version, bytes);
    let (status, from, length) = match wanted {
        Wanted::Whole => (StatusCode::OK, 0, bytes),
        Wanted::Part { first, last } => (StatusCode::PARTIAL_CONTENT, first, last - first + 1),
        Wanted::Nothing => (StatusCode::NOT_MODIFIED, 0, 0),
        Wanted::Elsewhere => return Err(ApiError::NoSuchPart { bytes }),
    };
    let mut answer = HttpResponse::build(status);
    answer
        // May be kept by the client alone: others may not hear it.
        .insert_header((CACHE_CONTROL, "private"))
        .insert_header((ETAG, version.tag))
        .insert_header((LAST_MODIFIED, version.modified))
        .insert_header((ACCEPT_RANGES, "bytes"))
        .insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .insert_header((CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'; sandbox"));
    if wanted == Wanted::Nothing {
        return Ok(answer.finish());
    }
    if let Wanted::Part { first, last } = wanted {
        answer.insert_header((CONTENT_RANGE, format!("bytes {first}-{last}/{bytes}")));
    }
    answer
        .insert_header((CONTENT_TYPE, kind.content_type()))
        .insert_header((CONTENT_DISPOSITION, format!("inline; filename=\"{}\"", kind.file_name())));
    if request.method() == Method::HEAD {
        // The framework would read the whole file to send none of it.
        answer.insert_header((CONTENT_LENGTH, length));
        let nothing = stream::empty::<Result<Bytes, std::io::Error>>();
        return Ok(answer.body(BoxBody::new(SizedStream::new(length, nothing))));
    }
    Ok(answer.body(BoxBody::new(SizedStream::new(length, body::read(file, from, length)))))
}
