//! What a live page shows: parts of it by their ids, and what of them changed since another time.

use std::hash::{DefaultHasher, Hash, Hasher};

use actix_web::web::Bytes;
use serde_json::json;

/// An element of a page.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Part {
    /// The element's id.
    pub(crate) id: String,
    /// The element.
    pub(crate) html: String,
}

impl Part {
    pub(crate) fn new(id: impl Into<String>, html: String) -> Self {
        Self { id: id.into(), html }
    }
}

/// All parts of a page that may change.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    parts: Vec<Part>,
    /// Which of the parts are rows of the page's list, in order; none when it has no list.
    rows: Option<Vec<String>>,
    /// Of two frames of a page with the same version both show the same.
    pub(crate) version: u64,
}

impl Frame {
    /// A page without a list.
    pub(crate) fn of(parts: Vec<Part>) -> Self {
        Self::with(parts, None)
    }

    /// A page with a list, whose rows come and go.
    pub(crate) fn with_rows(mut parts: Vec<Part>, rows: Vec<Part>) -> Self {
        let ids = rows.iter().map(|row| row.id.clone()).collect();
        parts.extend(rows);
        Self::with(parts, Some(ids))
    }

    fn with(parts: Vec<Part>, rows: Option<Vec<String>>) -> Self {
        let mut version = DefaultHasher::new();
        (&parts, &rows).hash(&mut version);
        Self { version: version.finish(), parts, rows }
    }

    /// A part's markup, for the page itself.
    pub(crate) fn part(&self, id: &str) -> &str {
        self.parts.iter().find(|part| part.id == id).map_or("", |part| part.html.as_str())
    }

    /// The rows' markup, in order.
    pub(crate) fn rows(&self) -> String {
        self.rows.iter().flatten().map(|id| self.part(id)).collect()
    }

    /// The event that brings a page up to date which shows `before`, or nothing that is known.
    pub(crate) fn event(&self, before: Option<&Self>) -> Bytes {
        let known =
            |part: &&Part| before.is_some_and(|before| before.parts.iter().any(|other| other == *part));
        let changed = self.parts.iter().filter(|part| !known(part));
        let parts: Vec<_> = changed.map(|part| json!([part.id, part.html])).collect();
        let data = json!({ "version": format!("{:x}", self.version), "parts": parts, "rows": self.rows });
        Bytes::from(format!("event: change\ndata: {data}\n\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(top: &str, rows: &[(&str, &str)]) -> Frame {
        let rows = rows.iter().map(|(id, html)| Part::new(*id, (*html).to_owned())).collect();
        Frame::with_rows(vec![Part::new("top", top.to_owned())], rows)
    }

    #[test]
    fn an_event_holds_what_changed_and_the_order_of_rows() {
        let before = frame("<p>1</p>", &[("a", "<tr>a</tr>"), ("b", "<tr>b</tr>")]);
        let after =
            frame("<p>1</p>", &[("c", "<tr>\n\"c\"</tr>"), ("a", "<tr>a!</tr>"), ("b", "<tr>b</tr>")]);
        let text = String::from_utf8(after.event(Some(&before)).to_vec()).unwrap();
        let data = text.strip_prefix("event: change\ndata: ").unwrap().strip_suffix("\n\n").unwrap();
        assert!(!data.contains('\n'));
        let data: serde_json::Value = serde_json::from_str(data).unwrap();
        assert_eq!(data["parts"], json!([["c", "<tr>\n\"c\"</tr>"], ["a", "<tr>a!</tr>"]]));
        assert_eq!(data["rows"], json!(["c", "a", "b"]));
        let all: serde_json::Value = {
            let text = String::from_utf8(after.event(None).to_vec()).unwrap();
            serde_json::from_str(text.trim().rsplit_once("data: ").unwrap().1).unwrap()
        };
        assert_eq!(all["parts"].as_array().unwrap().len(), 4);
        assert_eq!(after.rows(), "<tr>\n\"c\"</tr><tr>a!</tr><tr>b</tr>");
    }

    #[test]
    fn versions_follow_what_is_shown() {
        let one = frame("x", &[("a", "1")]);
        assert_eq!(one.version, frame("x", &[("a", "1")]).version);
        for other in [frame("y", &[("a", "1")]), frame("x", &[("a", "2")]), frame("x", &[("b", "1")])] {
            assert_ne!(one.version, other.version);
        }
    }
}
