//! What stands in the fields of a form, and what is wrong with it.

use std::collections::BTreeMap;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use askama::Template;

use crate::answer;
use crate::error::PageError;
use crate::form::Form;

/// The values and problems of a form's fields, by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filled {
    values: BTreeMap<String, String>,
    problems: Vec<(String, String)>,
}

impl Filled {
    /// With these values.
    pub(crate) fn with<const N: usize>(values: [(&str, String); N]) -> Self {
        let values = values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Self { values, problems: Vec::new() }
    }

    /// With values that are known.
    pub(crate) fn of(values: Vec<(&str, String)>) -> Self {
        let values = values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Self { values, problems: Vec::new() }
    }

    /// What somebody typed into these fields; a password is never shown again.
    pub(crate) fn typed(form: &Form, names: &[&str]) -> Self {
        let typed = names.iter().filter_map(|name| Some(((*name).to_owned(), form.raw(name)?.to_owned())));
        Self { values: typed.collect(), problems: Vec::new() }
    }

    /// Notes what is wrong with a field.
    pub(crate) fn note(&mut self, field: &str, message: impl Into<String>) {
        self.problems.push((field.to_owned(), message.into()));
    }

    /// Reads a field that has to be there.
    pub(crate) fn required<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Option<T> {
        let text = self.value(name).trim().to_owned();
        self.keep(name, read(&text))
    }

    /// Reads a field that may be left empty.
    pub(crate) fn optional<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Option<T> {
        let text = self.value(name).trim().to_owned();
        if text.is_empty() { None } else { self.keep(name, read(&text)) }
    }

    fn keep<T>(&mut self, name: &str, read: Result<T, String>) -> Option<T> {
        match read {
            Ok(value) => Some(value),
            Err(message) => {
                self.note(name, message);
                None
            }
        }
    }

    pub(crate) fn is_fit(&self) -> bool {
        self.problems.is_empty()
    }

    pub(crate) fn value(&self, name: &str) -> &str {
        self.values.get(name).map_or("", String::as_str)
    }

    pub(crate) fn ticked(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    /// What is wrong with a field; empty when nothing is.
    pub(crate) fn problem(&self, name: &str) -> &str {
        let found = self.problems.iter().find(|(own, _)| own == name);
        found.map_or("", |(_, message)| message.as_str())
    }

    /// The form's page: with status 422 when something is wrong.
    pub(crate) fn page(&self, template: &impl Template) -> Result<HttpResponse, PageError> {
        let status = if self.is_fit() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
        answer::page_with(status, template)
    }
}
