//! Reading a form with a file in it (RFC 7578), strictly.

use std::collections::BTreeMap;

/// The fields of a form.
#[derive(Debug, Default)]
pub(crate) struct Form {
    pub(crate) texts: BTreeMap<String, String>,
    /// Name, type and content of the file.
    pub(crate) file: Option<(String, String, Vec<u8>)>,
}

/// Reads a form; what is wrong with it is told.
pub(crate) fn read(content_type: &str, body: &[u8]) -> Result<Form, String> {
    let boundary = content_type
        .strip_prefix("multipart/form-data; boundary=")
        .ok_or("Content-Type isn't multipart/form-data with a boundary")?;
    let opens = format!("--{boundary}\r\n");
    let mut rest = body.strip_prefix(opens.as_bytes()).ok_or("the form does not begin with its boundary")?;
    let delimiter = format!("\r\n--{boundary}");
    let mut form = Form::default();
    loop {
        let end = find(rest, delimiter.as_bytes()).ok_or("a part is not closed")?;
        let (part, after) = (&rest[..end], &rest[end + delimiter.len()..]);
        let gap = find(part, b"\r\n\r\n").ok_or("a part has no head")?;
        let head = std::str::from_utf8(&part[..gap]).map_err(|_| "a part's head is not UTF-8")?;
        let content = &part[gap + 4..];
        let name = parameter(head, "name").ok_or("a part has no name")?;
        if let Some(file) = parameter(head, "filename") {
            let kind = head.lines().find_map(|line| line.strip_prefix("Content-Type: "));
            let kind = kind.ok_or("the file has no type")?.to_owned();
            if name != "file" {
                return Err(format!("an unknown file {name}"));
            }
            form.file = Some((file, kind, content.to_vec()));
        } else {
            let text = std::str::from_utf8(content).map_err(|_| "a text is not UTF-8")?;
            form.texts.insert(name, text.to_owned());
        }
        match after.strip_prefix(b"\r\n") {
            Some(more) => rest = more,
            None if after == b"--\r\n" => return Ok(form),
            None => return Err("the form does not end with its boundary".to_owned()),
        }
    }
}

fn parameter(head: &str, name: &str) -> Option<String> {
    let line = head.lines().find(|line| line.starts_with("Content-Disposition: form-data;"))?;
    let (_, value) = line.split_once(&format!(" {name}=\""))?;
    value.split_once('"').map(|(value, _)| value.to_owned())
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}
