//! What commands print: a readable table, or exactly one JSON object.

use std::io::{self, Write};

use serde::Serializer;
use serde_json::Value;

/// The fields of one thing, in the order in which they are shown.
pub(super) type Fields = Vec<(&'static str, Value)>;

/// How a command prints.
#[derive(Clone, Copy, Debug)]
pub(super) struct Output {
    json: bool,
}

impl Output {
    pub(super) const fn new(json: bool) -> Self {
        Self { json }
    }

    /// Whether JSON is wanted.
    pub(super) const fn is_json(self) -> bool {
        self.json
    }

    /// Prints one thing.
    pub(super) fn object(self, fields: &Fields) -> io::Result<()> {
        let text = if self.json { json(fields)? } else { lines(fields) };
        print(&text)
    }

    /// Prints a list: in JSON the fields of `whole` with the items under `name`.
    pub(super) fn list(self, whole: Fields, name: &'static str, items: &[Fields]) -> io::Result<()> {
        if !self.json {
            return print(&table(items));
        }
        let objects = items.iter().map(|fields| {
            Value::Object(fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect())
        });
        let mut fields = whole;
        fields.push((name, Value::Array(objects.collect())));
        print(&json(&fields)?)
    }
}

/// Tells on standard error why the command failed.
pub(super) fn complain(error: &anyhow::Error) {
    // With nowhere to complain to, the exit code still tells.
    let _ = writeln!(io::stderr(), "callwright: {}", reasons(error));
}

/// The error and its causes in one line; a cause that the text above it already quotes is left out.
pub(super) fn reasons(error: &anyhow::Error) -> String {
    error.chain().map(ToString::to_string).fold(String::new(), |told, cause| match cause.trim_end() {
        cause if told.is_empty() => cause.to_owned(),
        cause if told.contains(cause) => told,
        cause => format!("{told}: {cause}"),
    })
}

/// Prints one line.
pub(super) fn say(text: &str) -> io::Result<()> {
    print(text)
}

fn print(text: &str) -> io::Result<()> {
    match writeln!(io::stdout(), "{text}") {
        // A reader that has seen enough (`| head`) is no failure.
        Err(cause) if cause.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

fn json(fields: &Fields) -> io::Result<String> {
    let mut text = Vec::new();
    let mut serializer = serde_json::Serializer::new(&mut text);
    serializer.collect_map(fields.iter().map(|(name, value)| (name, value)))?;
    String::from_utf8(text).map_err(io::Error::other)
}

fn lines(fields: &Fields) -> String {
    let mut shown = Vec::new();
    for (name, value) in fields {
        flatten((*name).to_owned(), value, &mut shown);
    }
    let width = shown.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    let lines = shown.iter().map(|(name, value)| format!("{name:width$}  {}", text(value)));
    lines.collect::<Vec<_>>().join("\n")
}

/// What lies in an object is shown as `object.field`; what is absent is not shown.
fn flatten<'a>(name: String, value: &'a Value, into: &mut Vec<(String, &'a Value)>) {
    match value {
        Value::Null => {}
        Value::Object(inner) => {
            for (key, value) in inner {
                flatten(format!("{name}.{key}"), value, into);
            }
        }
        Value::Array(items) if items.iter().any(Value::is_object) => {
            for (index, item) in items.iter().enumerate() {
                flatten(format!("{name}[{}]", index + 1), item, into);
            }
        }
        _ => into.push((name, value)),
    }
}

fn table(items: &[Fields]) -> String {
    let Some(first) = items.first() else { return "none".to_owned() };
    let mut rows = vec![first.iter().map(|(name, _)| (*name).to_owned()).collect::<Vec<_>>()];
    rows.extend(items.iter().map(|fields| fields.iter().map(|(_, value)| text(value)).collect()));
    let widths: Vec<_> = (0..first.len())
        .map(|column| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max())
        .map(Option::unwrap_or_default)
        .collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => text.clone(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Array(items) => items.iter().map(text).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json as value;

    use super::*;

    fn item(id: &str, revoked: Value) -> Fields {
        vec![("id", value!(id)), ("permissions", value!(["a", "b"])), ("revokedAt", revoked)]
    }

    #[test]
    fn one_thing_is_lines_or_an_object_in_the_same_order() {
        let fields = item("x", Value::Null);
        assert_eq!(lines(&fields), "id           x\npermissions  a b");
        assert_eq!(json(&fields).unwrap(), r#"{"id":"x","permissions":["a","b"],"revokedAt":null}"#);
    }

    #[test]
    fn what_lies_in_an_object_is_shown_line_by_line() {
        let fields = vec![("id", value!("x")), ("a", value!({"b": [{"c": 1}], "d": null, "e": ["f", "g"]}))];
        assert_eq!(lines(&fields), "id        x\na.b[1].c  1\na.e       f g");
    }

    #[test]
    fn a_list_is_a_table_with_even_columns() {
        let items = [item("x", Value::Null), item("long", value!("today"))];
        assert_eq!(
            table(&items),
            "id    permissions  revokedAt\nx     a b          -\nlong  a b          today"
        );
        assert_eq!(table(&[]), "none");
    }
}
