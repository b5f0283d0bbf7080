//! What stands in the fields of a form, and what is wrong with it.

use std::collections::BTreeMap;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use application::requests::Problem;
use askama::Template;
use domain::ports::Seen;

use crate::answer;
use crate::error::PageError;
use crate::language::Language;
use crate::pages::seen::{Values, digest};
use crate::request::Asked;
use crate::tell::Tell;

/// The values of a form's fields by name, and their problems in the reader's language.
#[derive(Clone, Debug)]
pub(crate) struct Filled {
    language: Language,
    values: BTreeMap<String, String>,
    problems: BTreeMap<String, String>,
    /// The digest of what stood in the fields before somebody typed; empty when nothing is stored yet.
    seen: String,
    overtaken: bool,
}

impl Filled {
    /// With values that are known.
    pub(crate) fn with<'a>(asked: &Asked, values: impl IntoIterator<Item = (&'a str, String)>) -> Self {
        let values = values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Self {
            language: asked.language,
            values,
            problems: BTreeMap::new(),
            seen: String::new(),
            overtaken: false,
        }
    }

    /// With what is stored; the form carries a digest of it.
    pub(crate) fn stored(asked: &Asked, values: Values) -> Self {
        Self { seen: digest(&values), ..Self::with(asked, values) }
    }

    /// What somebody typed into these fields; a password is never shown again.
    pub(crate) fn typed(asked: &Asked, names: &[&'static str]) -> Self {
        let typed = |name: &&'static str| Some((*name, asked.form.raw(name)?.to_owned()));
        Self::with(asked, names.iter().filter_map(typed))
    }

    /// What somebody typed over what was stored. A form that does not say what that was is no form of ours.
    pub(crate) fn retyped(asked: &Asked, names: &[&'static str]) -> Result<Self, PageError> {
        let seen = asked.form.text("seen").ok_or(PageError::BadForm)?.to_owned();
        Ok(Self { seen, ..Self::typed(asked, names) })
    }

    /// What a store asks whether it still holds it; `shown` is what a form shows of that.
    pub(crate) fn seen_by<T: 'static>(&self, shown: fn(&T) -> Values) -> Seen<T> {
        let seen = self.seen.clone();
        Seen::told_by(move |stored| digest(&shown(stored)) == seen)
    }

    /// Somebody else changed what is stored, to these values. What was typed stays, and replaces them when it
    /// is sent once more.
    pub(crate) fn overtake(&mut self, by: &[(&'static str, String)]) {
        self.seen = digest(by);
        self.overtaken = true;
    }

    /// Notes what is wrong with a field; of several things the first is told.
    pub(crate) fn note(&mut self, field: &str, wrong: &(impl Tell + ?Sized)) {
        self.problems.entry(field.to_owned()).or_insert_with(|| wrong.tell(self.language));
    }

    /// Reads a field that has to be there.
    pub(crate) fn required<T, Wrong: Tell>(
        &mut self,
        name: &str,
        read: impl FnOnce(&str) -> Result<T, Wrong>,
    ) -> Option<T> {
        let read = read(self.value(name).trim());
        read.map_err(|wrong| self.note(name, &wrong)).ok()
    }

    /// Reads a field that may be left empty.
    pub(crate) fn optional<T, Wrong: Tell>(
        &mut self,
        name: &str,
        read: impl FnOnce(&str) -> Result<T, Wrong>,
    ) -> Option<T> {
        if self.value(name).trim().is_empty() { None } else { self.required(name, read) }
    }

    /// What a reader of the interface found in these fields; all that is wrong is noted at them. Several parts
    /// of one field are told together, each with its name.
    pub(crate) fn judged<T>(&mut self, read: Result<T, Vec<Problem>>) -> Option<T> {
        let problems = match read {
            Ok(value) => return Some(value),
            Err(problems) => problems,
        };
        for Problem { field, fault } in problems {
            let Some((field, part)) = field.split_once('.') else {
                self.note(&field, &fault);
                continue;
            };
            let told = format!("{part}{}{}", self.language.pick(": ", " : "), fault.tell(self.language));
            let all = self.problems.entry(field.to_owned()).or_default();
            *all = if all.is_empty() { told } else { format!("{all} · {told}") };
        }
        None
    }

    pub(crate) fn is_fit(&self) -> bool {
        self.problems.is_empty()
    }

    /// The fields that something is wrong with, and what is.
    pub(crate) fn problems(&self) -> impl Iterator<Item = (&str, &str)> {
        self.problems.iter().map(|(name, told)| (name.as_str(), told.as_str()))
    }

    pub(crate) fn value(&self, name: &str) -> &str {
        self.values.get(name).map_or("", String::as_str)
    }

    pub(crate) fn ticked(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    /// What is wrong with a field; empty when nothing is.
    pub(crate) fn problem(&self, name: &str) -> &str {
        self.problems.get(name).map_or("", String::as_str)
    }

    /// The digest of what the form was made from.
    pub(crate) fn seen(&self) -> &str {
        &self.seen
    }

    pub(crate) const fn is_overtaken(&self) -> bool {
        self.overtaken
    }

    /// The id of what the form makes: sent twice, it makes one.
    pub(crate) fn id<Id>(&self, parse: fn(&str) -> Option<Id>) -> Result<Id, PageError> {
        parse(self.value("id")).ok_or(PageError::BadForm)
    }

    /// The form's page: with status 409 when somebody was faster, and 422 when something is wrong.
    pub(crate) fn page(&self, template: &impl Template) -> Result<HttpResponse, PageError> {
        let status = match (self.overtaken, self.is_fit()) {
            (true, _) => StatusCode::CONFLICT,
            (false, true) => StatusCode::OK,
            (false, false) => StatusCode::UNPROCESSABLE_ENTITY,
        };
        answer::page_with(status, template)
    }
}
