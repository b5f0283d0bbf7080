//! Bringing a body to the bucket, with at most one part of it in memory.

use std::path::Path as File;

use bytes::{BufMut, Bytes, BytesMut};
use domain::call::ArtifactKind;
use domain::ports::{ArtifactBody, ArtifactsUnavailable};
use object_store::aws::AmazonS3;
use object_store::path::Path;
use object_store::{
    Attribute, Attributes, MultipartUpload, ObjectStore, PutMultipartOptions, PutOptions, PutPayload,
};
use tokio::io::AsyncReadExt;

use crate::unavailable;

/// Bytes of a part; S3 takes 10,000 of at least 5 MiB each, so that a file may have 78 GiB: more than
/// four weeks of sound.
const PART: usize = 8 << 20;

/// Puts a body in its place, whole or not at all; tells how many bytes it has.
pub(super) async fn upload(
    store: &AmazonS3,
    place: &Path,
    kind: ArtifactKind,
    body: ArtifactBody,
) -> Result<u64, ArtifactsUnavailable> {
    let attributes = Attributes::from_iter([
        (Attribute::ContentType, kind.content_type().to_owned()),
        (Attribute::ContentDisposition, format!("inline; filename=\"{}\"", kind.file_name())),
    ]);
    match body {
        ArtifactBody::Text(text) => put(store, place, attributes, text.into()).await,
        ArtifactBody::File(path) => file(store, place, attributes, &path).await,
    }
}

/// In one request.
async fn put(
    store: &AmazonS3,
    place: &Path,
    attributes: Attributes,
    body: Bytes,
) -> Result<u64, ArtifactsUnavailable> {
    let bytes = length(&body);
    let options = PutOptions::from(attributes);
    store.put_opts(place, PutPayload::from(body), options).await.map_err(unavailable)?;
    Ok(bytes)
}

/// In parts, unless one is enough.
async fn file(
    store: &AmazonS3,
    place: &Path,
    attributes: Attributes,
    path: &File,
) -> Result<u64, ArtifactsUnavailable> {
    let mut file = tokio::fs::File::open(path).await.map_err(unavailable)?;
    let first = part(&mut file).await.map_err(unavailable)?;
    if first.len() < PART {
        return put(store, place, attributes, first).await;
    }
    let options = PutMultipartOptions::from(attributes);
    let mut upload = store.put_multipart_opts(place, options).await.map_err(unavailable)?;
    match parts(upload.as_mut(), &mut file, first).await {
        Ok(bytes) => Ok(bytes),
        Err(failure) => {
            // What is there of it would be kept, and paid for.
            if let Err(cause) = upload.abort().await {
                tracing::warn!(%place, %cause, "parts of an upload that failed are left in the bucket");
            }
            Err(failure)
        }
    }
}

/// One after the other: the next is read when the one before is there.
async fn parts(
    upload: &mut dyn MultipartUpload,
    file: &mut tokio::fs::File,
    first: Bytes,
) -> Result<u64, ArtifactsUnavailable> {
    let (mut bytes, mut next) = (0, first);
    while !next.is_empty() {
        bytes += length(&next);
        upload.put_part(PutPayload::from(next)).await.map_err(unavailable)?;
        next = part(file).await.map_err(unavailable)?;
    }
    upload.complete().await.map_err(unavailable)?;
    Ok(bytes)
}

/// As much as makes a part; less at the end of the file.
async fn part(file: &mut tokio::fs::File) -> std::io::Result<Bytes> {
    let mut part = BytesMut::with_capacity(PART);
    // Room for all of it is there, and none is made.
    let mut rest = (&mut part).limit(PART);
    while rest.has_remaining_mut() && file.read_buf(&mut rest).await? > 0 {}
    Ok(part.freeze())
}

fn length(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}
