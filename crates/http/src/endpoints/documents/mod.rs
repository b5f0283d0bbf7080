//! `GET /api/openapi.json` and `GET /docs`: the interface about itself; no key, not counted.

mod pages;

use actix_web::HttpRequest;
use actix_web::HttpResponse;
use actix_web::http::Method;
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, ETAG, Header, IfNoneMatch, X_CONTENT_TYPE_OPTIONS,
};
use actix_web::web;

use self::pages::{OPENAPI_FILE, PAGE_FILE, Page, page};
use crate::error::ApiError;
use crate::openapi::schema::{choice, object, text};
use crate::openapi::{Description, Tag};
use crate::routes::{Endpoint, Needs};

/// The OpenAPI document.
pub(crate) const OPENAPI: Endpoint = Endpoint {
    method: Method::GET,
    path: "/api/openapi.json",
    limit: None,
    needs: Needs::NoKey,
    handler: || web::to(|request| async move { show(&request, OPENAPI_FILE) }),
    describe: describe_openapi,
};

/// Swagger UI, which shows the document to people.
pub(crate) const DOCS: Endpoint = Endpoint {
    method: Method::GET,
    path: "/docs",
    limit: None,
    needs: Needs::NoKey,
    handler: || web::to(|request| async move { show(&request, PAGE_FILE) }),
    describe: describe_docs,
};

/// What the page loads.
pub(crate) const DOCS_FILE: Endpoint = Endpoint {
    method: Method::GET,
    path: "/docs/{file}",
    limit: None,
    needs: Needs::NoKey,
    handler: || web::to(file),
    describe: describe_file,
};

/// Everything comes from here, and nobody else's page may frame it. Swagger UI shows its icons by
/// `data:` addresses.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

async fn file(request: HttpRequest) -> Result<HttpResponse, ApiError> {
    match request.match_info().get("file") {
        Some(name) if pages::FILES.contains(&name) => show(&request, name),
        _ => Err(ApiError::NoRoute),
    }
}

/// Sends a page, or says that the reader's own is still the same.
fn show(request: &HttpRequest, name: &str) -> Result<HttpResponse, ApiError> {
    let Page { bytes, kind, tag } = page(name).ok_or(ApiError::NoRoute)?;
    let same = match IfNoneMatch::parse(request) {
        Ok(IfNoneMatch::Any) => true,
        Ok(IfNoneMatch::Items(known)) => known.iter().any(|known| known.weak_eq(tag)),
        Err(_) => false,
    };
    let mut answer = if same { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    // May be kept, but is asked for anew: another version of the service shows another page.
    answer.insert_header((CACHE_CONTROL, "no-cache")).insert_header((ETAG, tag.clone()));
    if same {
        return Ok(answer.finish());
    }
    answer
        .insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .insert_header((CONTENT_SECURITY_POLICY, POLICY));
    Ok(answer.content_type(kind.as_str()).body(bytes.clone()))
}

fn describe_openapi() -> Description {
    let words = "This document: OpenAPI 3.1, made of the running program.";
    Description::new("getOpenApiDocument", Tag::Service, "The OpenAPI document", words)
        .answers_with(&["application/json"], "The document.", object("An OpenAPI document."))
        .kept_by_tag()
}

fn describe_docs() -> Description {
    let words = "A page for people that shows this document, and sends requests with a key of theirs.";
    Description::new("getDocs", Tag::Service, "Documentation for people", words)
        .answers_with(&["text/html; charset=utf-8"], "The page.", text("HTML.", "<!doctype html>"))
        .kept_by_tag()
}

fn describe_file() -> Description {
    let kinds = ["text/css", "text/javascript", "image/png"];
    Description::new("getDocsFile", Tag::Service, "What the documentation page loads", "A file of the page.")
        .path("file", choice("The file's name.", pages::FILES))
        .answers_with(&kinds, "The file.", text("The file's content.", ""))
        .kept_by_tag()
        .refuses([ApiError::NoRoute])
}
