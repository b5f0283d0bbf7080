//! A form with a file in it (RFC 7578).

use bytes::Bytes;

/// Separates the parts. It must not occur in them, and cannot be guessed from outside into a WAV of
/// somebody's speech; text parts are checked.
const BOUNDARY: &str = "----callwright-6f1d0c94b7e24a5f";

/// A form under construction.
#[derive(Debug, Default)]
pub(crate) struct Form(Vec<u8>);

impl Form {
    /// Adds a field. Boundaries in its value are taken out.
    pub(crate) fn text(mut self, name: &str, value: &str) -> Self {
        let head = format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n");
        self.0.extend_from_slice(head.as_bytes());
        self.0.extend_from_slice(value.replace(BOUNDARY, "").as_bytes());
        self.0.extend_from_slice(b"\r\n");
        self
    }

    /// Adds a file.
    pub(crate) fn file(mut self, name: &str, file: &str, kind: &str, content: &[u8]) -> Self {
        let head = format!(
            "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"{file}\"\r\n\
             Content-Type: {kind}\r\n\r\n"
        );
        self.0.extend_from_slice(head.as_bytes());
        self.0.extend_from_slice(content);
        self.0.extend_from_slice(b"\r\n");
        self
    }

    /// The content type, and the body.
    pub(crate) fn finish(mut self) -> (String, Bytes) {
        self.0.extend_from_slice(format!("--{BOUNDARY}--\r\n").as_bytes());
        (format!("multipart/form-data; boundary={BOUNDARY}"), Bytes::from(self.0))
    }
}
