//! What the document says of recordings and transcripts.

use domain::call::ArtifactKind;

use crate::error::ApiError;
use crate::openapi::schema::{choice, text, uuid};
use crate::openapi::{Description, Tag};

/// `GET /artifacts/…`.
pub(super) fn describe() -> Description {
    let words = "A recording or a transcript, by an address from `transcriptUrl` or `recordingUrl` of a call. \
                 Players may seek: ranges are served. Where the operator keeps files in S3, addresses lead \
                 there, and nothing is found here.";
    Description::new("getArtifact", Tag::Calls, "Recording or transcript", words)
        .path("tenant", uuid("Part of the address."))
        .path("organization", uuid("Part of the address."))
        .path("call", uuid("The call."))
        .path("file", choice("The file.", ArtifactKind::ALL.map(ArtifactKind::file_name)))
        .asks("expires", text("When the address stops working; Unix time in seconds.", "1772361058"))
        .asks(
            "signature",
            text("What makes the address good.", "mBn8fN1Ud_PvQ6hRkw3rZ0cXyLq5tTtJ2oEg4sVx7aA"),
        )
        .answers_with(
            &ArtifactKind::ALL.map(ArtifactKind::content_type),
            "The file.",
            text("Sound (WAV, stereo, 8 kHz), or text in UTF-8.", ""),
        )
        .kept_by_tag()
        .in_parts()
        .refuses([
            ApiError::BadAddress,
            super::GONE,
            ApiError::NoRoute,
            ApiError::Unavailable("The service is starting"),
            ApiError::Unavailable(crate::error::STORE_AWAY),
        ])
}
