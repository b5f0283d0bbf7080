//! Writes the OpenAPI document to standard output.

use std::io::{self, Write};

fn main() -> io::Result<()> {
    io::stdout().write_all(http_api::openapi_document().as_bytes())
}
