//! The process's environment, read once at the start and handed on as a value.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// The environment variables of one process; names and values that are not UTF-8 are left out.
#[derive(Clone, Debug, Default)]
pub struct Environment(BTreeMap<String, String>);

impl Environment {
    /// Reads this process's own variables.
    pub fn of_process() -> Self {
        let readable = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
        Self(readable.collect())
    }

    /// The value of a variable; an empty one counts as set.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// The variables whose names begin with `prefix`, in alphabetical order.
    pub fn with_prefix<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.0
            .iter()
            .filter(move |(name, _)| name.starts_with(prefix))
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The folders in which programs are searched (`PATH`).
    pub fn search_path(&self) -> Vec<PathBuf> {
        self.get("PATH").map(|path| std::env::split_paths(path).collect()).unwrap_or_default()
    }
}

impl<N: Into<String>, V: Into<String>> FromIterator<(N, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(variables: I) -> Self {
        Self(variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}
