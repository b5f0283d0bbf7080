//! The fields of the form. They are the keys of an assistant's file, by the same names: what the form shows
//! is read from the file's text, and what was typed becomes such a text again.

use std::collections::BTreeMap;

use toml::{Table, Value};

use super::keys::{self, Keys, Kind, STEP, TARGET};
use super::pairs::BadPair;
use crate::form::Form;

/// No form has more rows than there are fields read of it.
const ROWS_MAX: usize = 500;

/// How many keys a step waits for as long as nobody says another number.
const DIGITS: &str = "1";

/// What stands in some fields, by their keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Row(BTreeMap<&'static str, String>);

/// What stands in all of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Fields {
    engine: &'static str,
    values: Row,
    pub(super) steps: Vec<Row>,
    pub(super) targets: Vec<Row>,
    /// What the file has beside them: carried along as it is.
    pub(super) rest: Table,
}

/// A field, and the line in it that cannot be read.
pub(super) type Unreadable = (String, BadPair);

impl Fields {
    /// Of a file of this engine. A text that is no file has no fields.
    pub(super) fn of_file(engine: &'static str, text: &str) -> Self {
        let mut rest: Table = toml::from_str(text).unwrap_or_default();
        let values = Row::taken(&mut rest, keys::of(engine));
        let rows = |value: Option<Value>, keys: Keys| match value {
            Some(Value::Array(tables)) => tables
                .into_iter()
                .filter_map(|table| match table {
                    Value::Table(mut table) => Some(Row::taken(&mut table, keys.iter())),
                    _ => None,
                })
                .collect(),
            _ => Vec::new(),
        };
        let mut steps = rows(rest.remove("steps"), STEP);
        // Whoever makes a step wait for keys finds a number there.
        for row in steps.iter_mut().filter(|row| row.value("digits").is_empty()) {
            row.0.insert("digits", DIGITS.to_owned());
        }
        let targets = rows(rest.remove("transfer_targets"), TARGET);
        Self { engine, values, steps, targets, rest }
    }

    /// As they were typed into a form that showed `base`.
    pub(super) fn typed(form: &Form, base: &Self) -> Self {
        let rows = |list: &'static str, keys: Keys, before: &[Row]| {
            let first = keys.first().map_or("", |(key, _)| key);
            let sent = move |number: &usize| form.raw(&name_in(list, *number, first)).is_some();
            let row = |number: usize| {
                let row = Row::typed(form, keys.iter(), |key| name_in(list, number, key));
                match before.get(number - 1) {
                    Some(before) => row.keeping(before),
                    None => row,
                }
            };
            (1..=ROWS_MAX).take_while(sent).map(row).collect::<Vec<_>>()
        };
        let values = Row::typed(form, keys::of(base.engine), str::to_owned);
        let mut targets = rows("transfer_targets", TARGET, &base.targets);
        targets.retain(|target| !target.is_blank());
        Self {
            engine: base.engine,
            values: values.keeping(&base.values),
            steps: rows("steps", STEP, &base.steps),
            targets,
            rest: base.rest.clone(),
        }
    }

    /// The file that they describe, as far as each field can be read.
    pub(super) fn to_text(&self) -> Result<String, Vec<Unreadable>> {
        let (mut table, mut bad) = (self.rest.clone(), Vec::new());
        self.values.put(&mut table, keys::of(self.engine), str::to_owned, &mut bad);
        if self.value("voicemail.action").is_empty() && !self.value("voicemail.message").trim().is_empty() {
            // The reader refuses a message that goes with another action.
            put(&mut table, "voicemail.action", Value::from("hang-up"));
        }
        for (list, keys, rows) in [("steps", STEP, &self.steps), ("transfer_targets", TARGET, &self.targets)]
        {
            let tables: Vec<Value> = rows
                .iter()
                .zip(1..)
                .map(|(row, number)| {
                    let mut own = Table::new();
                    row.put(&mut own, keys.iter(), |key| name_in(list, number, key), &mut bad);
                    if row.value("wait_for") != "digits" {
                        own.remove("digits");
                    }
                    Value::Table(own)
                })
                .collect();
            if !tables.is_empty() {
                table.insert(list.to_owned(), Value::Array(tables));
            }
        }
        // Texts, numbers and tables of them can always be written.
        if bad.is_empty() { Ok(toml::to_string(&table).unwrap_or_default()) } else { Err(bad) }
    }

    /// What stands in the field of a key.
    pub(super) fn value(&self, key: &str) -> &str {
        self.values.value(key)
    }

    /// Whether a name stands among those of a key.
    pub(super) fn names(&self, key: &str, name: &str) -> bool {
        self.value(key).lines().any(|own| own.trim() == name)
    }

    /// One more step, as a new one begins.
    pub(super) fn add_step(&mut self) {
        let new = [("wait_for", "speech-or-digit"), ("digits", DIGITS)];
        self.steps.push(Row(new.map(|(key, value)| (key, value.to_owned())).into()));
    }
}

impl Row {
    /// Takes the keys out of a table.
    fn taken(table: &mut Table, keys: impl Iterator<Item = &'static (&'static str, Kind)>) -> Self {
        let read = |(key, kind): &(&'static str, Kind)| (*key, kind.shown(take(table, key)));
        Self(keys.map(read).collect())
    }

    /// What was typed into the fields that `named` tells the names of.
    fn typed(
        form: &Form,
        keys: impl Iterator<Item = &'static (&'static str, Kind)>,
        named: impl Fn(&str) -> String,
    ) -> Self {
        let read =
            |(key, _): &(&'static str, Kind)| (*key, form.all(&named(key)).collect::<Vec<_>>().join("\n"));
        Self(keys.map(read).collect())
    }

    /// Browsers write all line ends alike: what was not changed otherwise keeps its own.
    fn keeping(mut self, before: &Self) -> Self {
        for (key, value) in &mut self.0 {
            let own = before.value(key);
            if own.replace("\r\n", "\n").replace('\r', "\n") == *value {
                own.clone_into(value);
            }
        }
        self
    }

    fn put(
        &self,
        table: &mut Table,
        keys: impl Iterator<Item = &'static (&'static str, Kind)>,
        named: impl Fn(&str) -> String,
        bad: &mut Vec<Unreadable>,
    ) {
        for (key, kind) in keys {
            match kind.written(self.value(key)) {
                Ok(Some(value)) => put(table, key, value),
                Ok(None) => {}
                Err(why) => bad.push((named(key), why)),
            }
        }
    }

    /// What stands in the field of a key.
    pub(super) fn value(&self, key: &str) -> &str {
        self.0.get(key).map_or("", String::as_str)
    }

    fn is_blank(&self) -> bool {
        self.0.values().all(|value| value.trim().is_empty())
    }
}

/// A row of a list, as the file's reader names it in its messages.
pub(super) fn row_of(list: &str, number: usize) -> String {
    format!("{list}[{number}]")
}

/// The name of a field in it.
pub(super) fn name_in(list: &str, number: usize, key: &str) -> String {
    format!("{}.{key}", row_of(list, number))
}

/// Takes what stands at a path, and the tables on its way that it leaves empty.
fn take(table: &mut Table, path: &str) -> Option<Value> {
    let Some((head, tail)) = path.split_once('.') else { return table.remove(path) };
    let inner = table.get_mut(head)?.as_table_mut()?;
    let found = take(inner, tail);
    if inner.is_empty() {
        table.remove(head);
    }
    found
}

/// Puts a value at a path.
fn put(table: &mut Table, path: &str, value: Value) {
    let Some((head, tail)) = path.split_once('.') else {
        table.insert(path.to_owned(), value);
        return;
    };
    let inner = table.entry(head).or_insert_with(|| Value::Table(Table::new()));
    if let Value::Table(inner) = inner {
        put(inner, tail, value);
    }
}
