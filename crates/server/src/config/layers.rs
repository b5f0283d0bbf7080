//! Lays file and environment over each other and remembers who set what.

use std::collections::BTreeMap;
use std::path::Path;

use config::{Config, ConfigError, File, FileFormat, Map, Source, Value, ValueKind};

use super::{Problem, Problems};
use crate::environment::Environment;

/// What names of our own variables begin with.
const PREFIX: &str = "CALLWRIGHT__";

/// What paths of credentials' settings begin with.
pub(super) const CREDENTIALS: &str = "engines.credentials.";

/// The customary variable for a database; our own prefixed one wins over it.
const DATABASE_URL: &str = "DATABASE_URL";

/// A setting as somebody wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Written {
    /// The variable, or the path in the file with the file's name.
    pub(super) name: String,
    /// Its text; the items of a list. None when it is neither text, number nor list of those.
    pub(super) items: Option<Vec<String>>,
    /// Whether it was written as a list.
    pub(super) list: bool,
}

/// Every setting that somebody wrote, by its path such as `http.listen`.
pub(super) fn collect(
    file: Option<&Path>,
    environment: &Environment,
) -> Result<BTreeMap<String, Written>, Problems> {
    let mut layers = Config::builder();
    if let Some(path) = file {
        let text = std::fs::read_to_string(path).map_err(|cause| Problem {
            setting: path.display().to_string(),
            reason: format!("the file cannot be read: {cause}"),
        })?;
        layers = layers.add_source(File::from_str(&text, FileFormat::Toml));
    }
    let merged =
        layers.add_source(Variables(environment.clone())).build().map_err(|cause| in_file(file, &cause))?;
    let mut written = BTreeMap::new();
    flatten(String::new(), &merged.cache, file, &mut written);
    let mut written = in_lower_case(written)?;
    // Of `CALLWRIGHT__HTTP` and `CALLWRIGHT__HTTP__LISTEN` the library keeps either one.
    for (name, text) in environment.with_prefix(PREFIX) {
        let swallowed = || Written { name: name.to_owned(), items: Some(vec![text.to_owned()]), list: false };
        written.entry(path_of(name.strip_prefix(PREFIX).unwrap_or(name))).or_insert_with(swallowed);
    }
    Ok(written)
}

/// Names of credentials have no case: environment variables are written in upper case, and a file may
/// use either. The environment wins over the file, as everywhere.
fn in_lower_case(written: BTreeMap<String, Written>) -> Result<BTreeMap<String, Written>, Problems> {
    let mut one_case = BTreeMap::<String, Written>::new();
    for (path, value) in written {
        let path = match path.strip_prefix(CREDENTIALS).and_then(|rest| rest.split_once('.')) {
            Some((name, field)) => format!("{CREDENTIALS}{}.{field}", name.to_ascii_lowercase()),
            None => path,
        };
        let of_environment = |own: &Written| own.name.starts_with(PREFIX);
        match one_case.get(&path) {
            Some(other) if of_environment(other) => {}
            Some(other) if !of_environment(&value) => {
                return Err(Problems(vec![Problem {
                    setting: value.name,
                    reason: format!(
                        "is there twice, as {} too: names of credentials have no case",
                        other.name
                    ),
                }]));
            }
            _ => {
                one_case.insert(path, value);
            }
        }
    }
    Ok(one_case)
}

fn in_file(file: Option<&Path>, cause: &ConfigError) -> Problem {
    Problem {
        setting: file.map_or_else(|| PREFIX.to_owned(), |path| path.display().to_string()),
        reason: cause.to_string(),
    }
}

/// Our variables as a layer; each value's origin is the variable's name.
#[derive(Clone, Debug)]
struct Variables(Environment);

impl Source for Variables {
    fn clone_into_box(&self) -> Box<dyn Source + Send + Sync> {
        Box::new(self.clone())
    }

    fn collect(&self) -> Result<Map<String, Value>, ConfigError> {
        let value =
            |name: &str, text: &str| Value::new(Some(&name.to_owned()), ValueKind::String(text.into()));
        let mut values = Map::new();
        if let Some(url) = self.0.get(DATABASE_URL).filter(|url| !url.is_empty()) {
            values.insert("database.url".to_owned(), value(DATABASE_URL, url));
        }
        for (name, text) in self.0.with_prefix(PREFIX) {
            let rest = name.strip_prefix(PREFIX).unwrap_or(name);
            values.insert(path_of(rest), value(name, text));
        }
        Ok(values)
    }
}

/// The path of a variable without its prefix; letters that no setting has are kept out of the
/// library's path language, where they would mean something.
fn path_of(name: &str) -> String {
    name.replace("__", ".")
        .chars()
        .map(
            |c| {
                if c.is_ascii_alphanumeric() || matches!(c, '_' | '.') { c.to_ascii_lowercase() } else { '-' }
            },
        )
        .collect()
}

fn flatten(path: String, value: &Value, file: Option<&Path>, into: &mut BTreeMap<String, Written>) {
    if let ValueKind::Table(table) = &value.kind {
        for (key, inner) in table {
            let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            flatten(path, inner, file, into);
        }
        return;
    }
    let name = match (value.origin(), file) {
        (Some(variable), _) => variable.to_owned(),
        (None, Some(file)) => format!("{path} in {}", file.display()),
        (None, None) => path.clone(),
    };
    let (items, list) = match &value.kind {
        ValueKind::Array(array) => (array.iter().map(scalar).collect(), true),
        _ => (scalar(value).map(|text| vec![text]), false),
    };
    into.insert(path, Written { name, items, list });
}

fn scalar(value: &Value) -> Option<String> {
    match &value.kind {
        ValueKind::String(text) => Some(text.clone()),
        ValueKind::I64(number) => Some(number.to_string()),
        ValueKind::U64(number) => Some(number.to_string()),
        ValueKind::Boolean(truth) => Some(truth.to_string()),
        _ => None,
    }
}
